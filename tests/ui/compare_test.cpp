// Two positions beside each other, by keyboard and mouse.
#include <imgui_internal.h>

#include "app/features/compare/measured_turns.h"
#include "app/features/traffic/traffic_rows.h"
#include "app/kit/scene_view.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "app/state/second.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

void compare_layout(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  run_command(ctx, "view.layout.compare");
  ctx->Yield(4);
}

bool both_whole(ImGuiTestContext* ctx) {
  return eventually(ctx, [] {
    const AppState* b = second_of(state());
    return b && trust_of(*b) == Trust::whole && trust_of(state()) == Trust::whole &&
           b->results.stage == Stage::done && state().results.stage == Stage::done;
  });
}

/// Where a picture shows a place of the kind that is looked for.
std::optional<ImVec2> place_of(const char* id,
                               const std::function<bool(const viz::Pick&)>& wanted) {
  const viz::Scene* scene = widgets::shown_scene(id);
  const ImVec2 corner = widgets::shown_at(id);
  const float s = shell().context.scale;
  if (!scene) return {};
  for (float y = 2; y < scene->size.h; y += 3) {
    for (float x = 2; x < scene->size.w; x += 3) {
      const auto pick = viz::pick(*scene, x, y);
      if (pick && wanted(*pick)) return ImVec2{corner.x + x * s, corner.y + y * s};
    }
  }
  return {};
}

}  // namespace

UI_TEST("compare", "Ctrl+B pins what stands there, and what is moved then is told in each panel") {
  compare_with_nothing(state());
  compare_layout(ctx);
  screenshot(ctx, "compare_empty");
  IM_CHECK(eventually(ctx, [] { return trust_of(state()) == Trust::whole; }));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B);
  IM_CHECK(eventually(ctx, [] { return second_of(state()) != nullptr; }));
  const int stages = get(state().edit.rung().tile, TileFieldId::stages);
  set_tile_field(state(), TileFieldId::stages, stages == 2 ? 3 : 2);
  IM_CHECK_SILENT(both_whole(ctx));
  ctx->Yield(4);
  screenshot(ctx, "compare_two");
  IM_CHECK_EQ(get(second_of(state())->edit.rung().tile, TileFieldId::stages), stages);
  // Swapped by key, and undone.
  const Edit before = state().edit;
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_B);
  IM_CHECK(eventually(ctx, [&] { return !same_request(state().edit, before); }));
  IM_CHECK_EQ(get(state().edit.rung().tile, TileFieldId::stages), stages);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(eventually(ctx, [&] { return same_request(state().edit, before); }));
  run_command(ctx, "compare.end");
  IM_CHECK(second_of(state()) == nullptr);
  reset_layout(ctx);
}

// A cell too many in a row would begin another one.
UI_TEST("compare", "each row of Memory traffic has as many cells as there are columns") {
  compare_layout(ctx);
  pin_as_second(state());
  show_panel(ctx, *find_panel("traffic"));
  IM_CHECK_SILENT(eventually(ctx, [] { return second_of(state()) != nullptr; }));
  ctx->Yield(3);
  const char* inside = "//Memory traffic/traffic_tab/levels";
  ctx->ItemClick(ctx->ItemExists(inside) ? inside : "//##header_traffic/traffic_part/levels");
  ctx->Yield(3);
  const int levels = static_cast<int>(traffic_rows(state(), model::Count::bytes).size());
  int found = 0;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  for (int i = 0; i < g.Tables.GetMapSize(); ++i) {
    const ImGuiTable* table = g.Tables.TryGetMapData(i);
    if (!table || table->LastFrameActive < g.FrameCount - 1) continue;
    const ImGuiWindow* window = table->OuterWindow->RootWindow;
    if (!window || !std::string_view(window->Name).starts_with(find_panel("traffic")->title))
      continue;
    ++found;
    IM_CHECK_EQ(table->CurrentRow, levels + 1);  // the heads, and one below the last
    IM_CHECK_GE(table->ColumnsCount, 7);         // "from B" among them
  }
  IM_CHECK_GE(found, 1);
  run_command(ctx, "compare.end");
  reset_layout(ctx);
}

UI_TEST("compare", "a click in either picture chooses there, and the other goes along") {
  compare_layout(ctx);
  Edit wide = state().edit;
  set_kernel(state(), "mma_multistage");
  wide = state().edit;
  set(wide.change_rung().tile, TileFieldId::block_n, 256);
  compare_with(state(), wide, "wide");
  IM_CHECK_SILENT(both_whole(ctx));
  ctx->Yield(4);
  for (const char* id : {"compare_tiling_a", "compare_tiling_b"}) {
    const bool first = std::string_view(id).ends_with("a");
    const auto at = place_of(id, [&](const viz::Pick& pick) {
      const AppState& side = first ? state() : *second_of(state());
      return pick.kind == viz::Pick::Kind::cta && pick.cta_row >= 0 &&
             !(side.selection.cta == Coord{pick.cta_row, pick.cta_col});
    });
    IM_CHECK_SILENT(at.has_value());
    ctx->MouseMoveToPos(*at);
    ctx->MouseClick();
    ctx->Yield(3);
    const AppState &a = state(), &b = *second_of(state());
    const Coord in_b = block_of(b.derived.plan, block_origin(a.derived.plan, a.selection.cta));
    const Coord in_a = block_of(a.derived.plan, block_origin(b.derived.plan, b.selection.cta));
    IM_CHECK(in_b == b.selection.cta || in_a == a.selection.cta);
  }
  run_command(ctx, "compare.end");
  reset_layout(ctx);
}

UI_TEST("compare", "each panel says what is wrong with a side") {
  compare_layout(ctx);
  set_kernel(state(), "mma_multistage");
  Edit illegal = state().edit;
  set(illegal.change_rung().tile, TileFieldId::stages, 8);
  compare_with(state(), illegal, "too many stages");
  IM_CHECK(eventually(ctx, [] { return trust_of(state()) == Trust::whole; }));
  ctx->Yield(6);
  screenshot(ctx, "compare_illegal");
  IM_CHECK(!second_of(state())->derived.legal());
  run_command(ctx, "compare.turns");
  IM_CHECK(!state().of<Turns>().error.empty());
  run_command(ctx, "compare.end");
  reset_layout(ctx);
}

}  // namespace tilescope::ui_test
