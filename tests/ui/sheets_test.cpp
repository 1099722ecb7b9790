// The panels that show the model: the L2 in the course of a launch, accesses beside the code,
// occupancy, the notes' tables.
#include <optional>

#include "app/features/notes/notes_sheet.h"
#include "app/kit/scene_view.h"
#include "app/state/access_rows.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "tests/ui/ui_test.h"
#include "viz/scene/scene.h"

namespace tilescope::ui_test {
namespace {

void start_sheets(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 4096;
  set_problem(state(), p);
}

std::string text_of(const char* scene) {
  const viz::Scene* shown = widgets::shown_scene(scene);
  return shown ? viz::to_text(*shown) : "";
}

/// What a launch reads from DRAM, as simulated; nothing while it is begun again, since the
/// compiler's registers or the device have come.
std::optional<double> simulated_read() {
  const auto& l2 = state().derived.l2;
  return l2 && l2_known(state()) ? std::optional(l2->read) : std::nullopt;
}

UI_TEST("l2", "shows_the_launch_and_follows_raster_and_clicks") {
  start_sheets(ctx);
  show_panel(ctx, *find_panel("l2"));
  const auto whole = [] {
    return text_of("l2_scene").find("100 % of the launch") != std::string::npos;
  };
  IM_CHECK(eventually(ctx, whole));
  screenshot(ctx, "l2");
  std::optional<double> before;
  IM_CHECK(eventually(ctx, [&] { return (before = simulated_read()).has_value(); }));
  ctx->ItemClick("//L2/l2_raster/1");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.raster, 1);
  IM_CHECK(eventually(ctx, [&] {
    const auto now = simulated_read();
    return now && *now != *before;
  }));
  IM_CHECK(settled(ctx));  // the registers that the compiler tells begin it again, and end a play
  IM_CHECK(eventually(ctx, whole));
  ctx->ItemClick("//##header_l2/###l2_play");
  IM_CHECK(eventually(ctx, [] {
    return text_of("l2_scene").find("100 % of the launch") == std::string::npos &&
           text_of("l2_scene").find("of the launch") != std::string::npos;
  }));
  screenshot(ctx, "l2_playing");
  ctx->ItemClick("//##header_l2/###l2_play");
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

UI_TEST("l2", "an_illegal_tile_has_none") {
  start_sheets(ctx);
  show_panel(ctx, *find_panel("l2"));
  set_tile_field(state(), TileFieldId::stages, 8);
  ctx->Yield(3);
  IM_CHECK(!state().derived.legal());
  IM_CHECK(!ctx->ItemExists("//L2/l2_raster/1"));
  screenshot(ctx, "l2_illegal");
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

UI_TEST("accesses", "a_row_leads_to_its_lines_and_a_line_to_its_rows") {
  start_sheets(ctx);
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  show_panel(ctx, *find_panel("traffic"));
  const char* inside = "//Memory traffic/traffic_tab/accesses";
  ctx->ItemClick(ctx->ItemExists(inside) ? inside : "//##header_traffic/traffic_part/accesses");
  IM_CHECK(eventually(ctx, [] {
    return state().results.edit_serial == state().edit_serial && state().results.emulated &&
           state().results.trace;
  }));
  ctx->Yield(3);
  screenshot(ctx, "accesses");
  choose_access(state(), "shared.load");
  ctx->Yield(3);
  const std::vector<int> lines = lines_of_access(state(), "shared.load", CodeText::kernel);
  IM_CHECK(!lines.empty());
  IM_CHECK_EQ(state().view.line_metric, static_cast<int>(LineMetric::wavefronts));
  screenshot(ctx, "accesses_chosen");
  link_code(state(), CodeText::kernel, lines.front());
  ctx->Yield(2);
  const std::vector<std::string> rows = accesses_at(state(), linked_code(state()));
  IM_CHECK(std::find(rows.begin(), rows.end(), "shared.load") != rows.end());
  IM_CHECK_EQ(chosen_access(state()), std::string());
}

UI_TEST("occupancy", "is_shown_for_each_slider") {
  start_sheets(ctx);
  show_panel(ctx, *find_panel("occupancy"));
  ctx->Yield(3);
  IM_CHECK(text_of("occupancy_stages").find("stages") != std::string::npos);
  screenshot(ctx, "occupancy");
  set_tile_field(state(), TileFieldId::stages, 8);
  ctx->Yield(3);
  screenshot(ctx, "occupancy_illegal");
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

UI_TEST("notes", "a_click_on_a_row_sets_the_sliders") {
  start_sheets(ctx);
  show_panel(ctx, *find_panel("notes"));
  for (const NotesTable& table : notes_tables()) {
    ctx->ItemClick((std::string("//##header_notes/notes_table/") + table.name).c_str());
    ctx->Yield(2);
    screenshot(ctx,
               (std::string("notes_") + std::to_string(&table - notes_tables().data())).c_str());
  }
  ctx->ItemClick("//##header_notes/notes_table/shared");
  ctx->Yield(2);
  ctx->ItemClick("//Notes' tables/notes/##row3");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.block_m, 128);
  IM_CHECK_EQ(state().edit.rung().tile.block_k, 32);
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

}  // namespace
}  // namespace tilescope::ui_test
