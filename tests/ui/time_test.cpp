// Where the time goes, in Memory traffic: a click on a better neighbour sets the sliders.
#include "app/features/traffic/why.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The tab *time*: in the panel, or beside its title where the roofline has a place of its own.
void show_time(ImGuiTestContext* ctx) {
  show_panel(ctx, *find_panel("traffic"));
  const char* inside = "//Memory traffic/traffic_tab/time";
  ctx->ItemClick(ctx->ItemExists(inside) ? inside : "//##header_traffic/traffic_part/time");
  ctx->Yield(3);
}

UI_TEST("time", "a_better_neighbour_is_a_click_away") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  TileConfig tile = state().derived.kernel->sliders.defaults();
  set_tile(state(), tile);
  set_tile_field(state(), TileFieldId::swizzle, 0);
  IM_CHECK(state().derived.legal());
  show_time(ctx);
  IM_CHECK(settled(ctx));
  BetterTiles better;
  IM_CHECK(eventually(ctx, [&] {
    better = better_tiles(state(), 4);
    return better.complete;
  }));
  IM_CHECK(!better.tiles.empty());
  screenshot(ctx, "time");
  const TileConfig best = better.tiles.front().tile;
  ctx->ItemClick(("//Memory traffic/###" + better.tiles.front().label).c_str());
  ctx->Yield(2);
  IM_CHECK(state().edit.rung().tile == best);
  IM_CHECK(why_time(state()).now.us > 0);
  screenshot(ctx, "time_after");
}

UI_TEST("time", "dram_is_as_the_l2_was_simulated_once_it_is_known") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 8192;
  set_problem(state(), p);
  IM_CHECK(!l2_known(state()));
  IM_CHECK(eventually(ctx, [] { return l2_known(state()); }));
  IM_CHECK(expected_traffic(state()).dram.read > state().derived.traffic.dram.read);
  p.m = p.n = p.k = 1024;
  set_problem(state(), p);
  IM_CHECK(eventually(ctx, [] { return l2_known(state()); }));
}

UI_TEST("time", "an_illegal_tile_has_none") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  show_time(ctx);
  set_tile_field(state(), TileFieldId::stages, 8);
  ctx->Yield(3);
  IM_CHECK(!state().derived.legal());
  screenshot(ctx, "time_illegal");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  ctx->Yield(2);
}

}  // namespace
}  // namespace tilescope::ui_test
