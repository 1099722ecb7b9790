// Tune on a machine without a card: what was recorded and modelled, and who says that no more can
// be had.
#include "app/features/tune/tune.h"
#include "app/features/tune/tune_pictures.h"
#include "app/kit/scene_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

UI_TEST("tune", "recorded_figures_stand_in_ladder_and_landscape") {
  open_tune(ctx, "recorded:NVIDIA H200", "mma_multistage", 4096);
  int recorded = 0;
  for (const LadderPart& part : ladder_parts(state())) {
    for (const LadderRow& rung : part.rungs) {
      IM_CHECK_SILENT(rung.standing != Standing::measured);
      recorded += rung.standing == Standing::recorded;
    }
  }
  IM_CHECK(recorded > 10);
  IM_CHECK(landscape(state()).count(Standing::recorded) >= 2);
  IM_CHECK_EQ(landscape(state()).count(Standing::measured), 0);
  const viz::Scene* scene = widgets::shown_scene("landscape_scene");
  IM_CHECK(scene != nullptr);
  IM_CHECK(viz::to_text(*scene).find("recorded") != std::string::npos);
  screenshot(ctx, "tune_recorded");
  choose_device(state(), kEmulator);
  ctx->Yield(4);
  IM_CHECK_EQ(landscape(state()).count(Standing::recorded), 0);
  choose_device(state(), "recorded:NVIDIA H200");
}

UI_TEST("tune", "without_a_card_a_sweep_says_so") {
  open_tune(ctx, "recorded:NVIDIA H200", "mma_multistage", 4096);
  ctx->ItemClick("//##header_landscape/###sweep");
  ctx->Yield(2);
  IM_CHECK(!state().of<Sweeping>().sweep.running);
  IM_CHECK(state().said.find("A sweep measures on a GPU") == 0);
}

UI_TEST("tune", "a_slider_shows_its_recorded_curve_and_a_click_goes_there") {
  open_tune(ctx, "recorded:NVIDIA H200", "mma_multistage", 4096);
  ctx->MouseMove("//Controls/stages");
  ctx->MouseClick(ImGuiMouseButton_Right);
  ctx->Yield(3);
  IM_CHECK_STR_EQ(state().of<TuneView>().slider_curve.c_str(), "stages");
  IM_CHECK(cut_along(state(), TileFieldId::stages).count(Standing::recorded) >= 2);
  const viz::Scene* scene = widgets::shown_scene("slider_curve");
  const ImRect box = ctx->ItemInfo("//Controls/stages/slider_curve").RectFull;
  for (float x = 1; x < scene->size.w; x += 2) {
    const auto pick = viz::pick(*scene, x, 60);
    if (!pick || pick->value != 2) continue;
    ctx->MouseMoveToPos(
        {box.Min.x + x * shell().context.scale, box.Min.y + 60 * shell().context.scale});
    break;
  }
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.rung().tile.stages, 4);
  ctx->ItemClick("//Controls/stages/×");
  ctx->Yield(2);
  IM_CHECK(state().of<TuneView>().slider_curve.empty());
}

UI_TEST("tune", "axes_are_chosen_and_swap") {
  open_tune(ctx, "recorded:NVIDIA H200", "mma_multistage", 4096);
  const Axes before = landscape_axes(state());
  ctx->ItemClick("//Landscape/##across");
  ctx->ItemClick((std::string("//$FOCUSED/") + "block M").c_str());
  ctx->Yield(2);
  IM_CHECK(landscape_axes(state()).across == before.down);
  IM_CHECK(landscape_axes(state()).down == before.across);
  choose_across(state(), before.across);
}

}  // namespace
}  // namespace tilescope::ui_test
