// Ladder, landscape and sweep by mouse, on a machine with a card (the driver of tests/driver).
#include <imgui_internal.h>

#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/features/tune/tune_pictures.h"
#include "app/kit/scene_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The pointer on a point of a picture, by its index; false: it is not there.
bool move_to(ImGuiTestContext* ctx, const char* item, const char* scene_id, int value) {
  const viz::Scene* scene = widgets::shown_scene(scene_id);
  const ImRect box = ctx->ItemInfo(item).RectFull;
  const float s = shell().context.scale;
  for (float y = 1; scene && y < scene->size.h; y += 3) {
    for (float x = 1; x < scene->size.w; x += 3) {
      const auto pick = viz::pick(*scene, x, y);
      if (!pick || pick->value != value) continue;
      ctx->MouseMoveToPos({box.Min.x + (x + 4) * s, box.Min.y + (y + 4) * s});
      return true;
    }
  }
  return false;
}

/// Index of the cell of a landscape that a tile is in.
int cell_of(const Landscape& land, const TileConfig& tile) {
  for (size_t i = 0; i < land.cells.size(); ++i) {
    if (land.cells[i].tile == tile) return static_cast<int>(i);
  }
  return -1;
}

UI_TEST("with_card", "a_sweep_fills_the_landscape_and_a_click_goes_there") {
  open_tune(ctx, "cuda:0", "naive", 64);
  const Sweep plan = plan_sweep(state(), all_of(landscape_axes(state())));
  IM_CHECK(plan.cells.size() > 2);
  ctx->ItemClick("//##header_landscape/###sweep");
  IM_CHECK(eventually(ctx, [] { return state().of<Sweeping>().sweep.running; }));
  IM_CHECK(eventually(ctx, [] { return progress_of(state().of<Sweeping>().sweep).done > 0; }));
  screenshot(ctx, "tune_sweeping");
  IM_CHECK(eventually(ctx, [] { return !state().of<Sweeping>().sweep.running; }));
  const Landscape land = landscape(state());
  IM_CHECK_EQ(land.count(Standing::measured) + land.illegal(), static_cast<int>(land.cells.size()));
  IM_CHECK_EQ(land.count(Standing::modelled), 0);
  screenshot(ctx, "tune_swept");
  // A cell goes to its tile.
  const TileConfig wanted = plan.cells.back().tile;
  IM_CHECK(move_to(ctx, "//Landscape/landscape_scene", "landscape_scene", cell_of(land, wanted)));
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK(state().edit.rung().tile == wanted);
  // The table of the best tiles has them all.
  IM_CHECK_EQ(known_tiles(state()).size(), plan.cells.size() + static_cast<size_t>(plan.known));
  // Nothing is left to be measured.
  ctx->ItemClick("//##header_landscape/###sweep");
  ctx->Yield(2);
  IM_CHECK(!state().of<Sweeping>().sweep.running);
  IM_CHECK(state().said.find("measured already") != std::string::npos);
}

UI_TEST("with_card", "stop_ends_a_sweep_and_it_is_resumed") {
  open_tune(ctx, "cuda:0", "naive", 64);
  set_kernel(state(), "thread_tile_2d");
  ctx->Yield(2);
  IM_CHECK(eventually(ctx, [] {
    return state().results.stage == Stage::done &&
           state().results.edit_serial == state().edit_serial;
  }));
  const Sweep plan = plan_sweep(state(), all_of(landscape_axes(state())));
  run_command(ctx, "sweep.start");
  IM_CHECK(eventually(ctx, [] { return progress_of(state().of<Sweeping>().sweep).done > 0; }));
  IM_CHECK(state().of<Sweeping>().sweep.running);
  ctx->ItemClick("//##header_landscape/Stop");
  ctx->Yield(3);
  IM_CHECK(!state().of<Sweeping>().sweep.running);
  const int done = progress_of(state().of<Sweeping>().sweep).done;
  const Sweep rest = plan_sweep(state(), all_of(landscape_axes(state())));
  IM_CHECK(done > 0);
  IM_CHECK_EQ(rest.known, plan.known + done);
  IM_CHECK_EQ(rest.cells.size() + static_cast<size_t>(done), plan.cells.size());
}

UI_TEST("with_card", "right_click_on_a_slider_sweeps_it") {
  open_tune(ctx, "cuda:0", "naive", 64);
  ctx->MouseMove("//Controls/block_n");
  ctx->MouseClick(ImGuiMouseButton_Right);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(state().of<TuneView>().slider_curve.c_str(), "block_n");
  IM_CHECK(eventually(ctx, [] {
    return !state().of<Sweeping>().sweep.running && state().of<Sweeping>().wanted.empty();
  }));
  const Landscape line = cut_along(state(), TileFieldId::block_n);
  IM_CHECK_EQ(line.count(Standing::measured) + line.illegal(), static_cast<int>(line.cells.size()));
  ctx->Yield(3);
  screenshot(ctx, "tune_curve");
  ctx->MouseMove("//Controls/block_n");
  ctx->MouseClick(ImGuiMouseButton_Right);
  ctx->Yield(2);
  IM_CHECK(state().of<TuneView>().slider_curve.empty());
}

UI_TEST("with_card", "a_click_on_the_ladder_goes_to_the_rung") {
  open_tune(ctx, "cuda:0", "naive", 64);
  show_panel(ctx, *find_panel("ladder"));
  const std::vector<LadderPart> parts = ladder_parts(state());
  IM_CHECK(parts[0].rungs[0].standing == Standing::measured);
  IM_CHECK(move_to(ctx, "//Ladder/ladder_scene", "ladder_scene", 2));
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), parts[0].rungs[2].kernel->info.id);
  IM_CHECK_EQ(state().edit.problem.m, 64);
}

UI_TEST("with_lost", "a_card_lost_in_the_middle_ends_the_sweep_with_one_sentence") {
  open_tune(ctx, "cuda:0", "naive", 64);
  const Sweep plan = plan_sweep(state(), all_of(landscape_axes(state())));
  run_command(ctx, "sweep.start");
  IM_CHECK(eventually(ctx, [] { return !state().of<Sweeping>().sweep.ended.empty(); }));
  const Sweep& sweep = state().of<Sweeping>().sweep;
  const int done = progress_of(sweep).done;
  IM_CHECK(!sweep.running);
  IM_CHECK(done > 0 && done < static_cast<int>(plan.cells.size()));
  IM_CHECK_EQ(progress_of(sweep).failed, 0);
  IM_CHECK(sweep.ended.find("The sweep of naive ended after ") == 0);
  IM_CHECK(sweep.ended.find("What was measured stays.") != std::string::npos);
  ctx->Yield(4);
  screenshot(ctx, "tune_lost");
  // The driver of the tests forgets with its process: the card is there again, and so is the rest.
  choose_device(state(), "cuda:0");
  IM_CHECK(eventually(ctx, [&] {
    return state().device == "cuda:0" &&
           landscape(state()).count(Standing::measured) == plan.known + done;
  }));
}

}  // namespace
}  // namespace tilescope::ui_test
