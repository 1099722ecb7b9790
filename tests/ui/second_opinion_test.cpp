// nvMatmulHeuristics in the window: beside our time, and its tiles as presets.
#include "app/features/second_opinion/opinion.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// False where the library is not there: then one sentence says so.
bool is_there(ImGuiTestContext* ctx) {
  const bool said =
      eventually(ctx, [] { return opinion_of_tile(state()) || !opinion_error(state()).empty(); });
  IM_CHECK_RETV(said, false);
  if (opinion_of_tile(state())) return true;
  IM_CHECK_RETV(opinion_error(state()).find("install the wheel") != std::string::npos, false);
  return false;
}

void present_position() {
  set_kernel(state(), "mma_multistage");
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 2048;
  set_problem(state(), p);
  set_tile(state(), state().derived.kernel->sliders.defaults());
  set_tile_field(state(), TileFieldId::raster, 1);
}

UI_TEST("second_opinion", "its_best_tile_is_a_click_away_in_time") {
  reset_layout(ctx);
  present_position();
  show_panel(ctx, *find_panel("traffic"));
  const char* inside = "//Memory traffic/traffic_tab/time";
  ctx->ItemClick(ctx->ItemExists(inside) ? inside : "//##header_traffic/traffic_part/time");
  if (!is_there(ctx)) return;
  IM_CHECK(settled(ctx));
  screenshot(ctx, "second_opinion");
  const Suggestions suggestions = suggested_tiles(state());
  IM_CHECK(!suggestions.presets.empty());
  const TileConfig best = suggestions.presets[0].edit.rung().tile;
  IM_CHECK(state().edit.rung().tile != best);
  ctx->ItemClick("//Memory traffic/**/###its_best");
  ctx->Yield(2);
  IM_CHECK(state().edit.rung().tile == best);
  IM_CHECK(eventually(ctx, [] { return opinion_of_tile(state()) != nullptr; }));
}

UI_TEST("second_opinion", "a_preset_sets_the_sliders") {
  reset_layout(ctx);
  present_position();
  ctx->ItemClick("//Controls/##presets");
  if (!is_there(ctx)) return ctx->PopupCloseAll();
  ctx->Yield(2);
  screenshot(ctx, "second_opinion_presets");
  const Suggestions suggestions = suggested_tiles(state());
  IM_CHECK(suggestions.presets.size() >= 2);
  const Preset chosen = suggestions.presets.back();
  IM_CHECK(state().edit.rung().tile != chosen.edit.rung().tile);
  ctx->ItemClick(("//$FOCUSED/" + chosen.name).c_str());
  ctx->Yield(2);
  IM_CHECK(state().edit.rung().tile == chosen.edit.rung().tile);
  IM_CHECK(state().derived.legal());
  undo(state());
  IM_CHECK(state().edit.rung().tile != chosen.edit.rung().tile);
}

}  // namespace
}  // namespace tilescope::ui_test
