// Tiling by mouse: the wheel and a double click go one level into what is under the pointer.
#include <imgui_internal.h>

#include <utility>

#include "app/features/tiling/tiling_picture.h"
#include "app/features/tiling/tiling_view.h"
#include "app/kit/scene_view.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// This level is chosen, and the camera stands. Two frames that show the same do not say so: it
/// moves by the clock, and frames that are not drawn are over in less than it takes to move by a
/// pixel.
bool stands(ImGuiTestContext* ctx, int level) {
  std::string before;
  return eventually(ctx, [&] {
    const viz::Scene* scene = widgets::shown_scene("tiling_scene");
    const std::string now = scene ? viz::to_text(*scene) : "";
    return state().selection.level == level && !state().animating &&
           std::exchange(before, now) == now && !now.empty();
  });
}

void start(ImGuiTestContext* ctx, bool side_by_side) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 1024;
  set_problem(state(), p);
  select_cta(state(), {0, 0});
  select_warp(state(), 0);
  select_mma(state(), 0, 0);
  state().of<TilingView>().side_by_side = side_by_side;
  select_level(state(), 0);
  ctx->Yield(2);
  IM_CHECK(stands(ctx, 0));
}

/// The middle of something in the picture that a pick of this kind leads to.
template <class Wanted>
bool move_to(ImGuiTestContext* ctx, Wanted wanted) {
  const viz::Scene* scene = widgets::shown_scene("tiling_scene");
  const ImRect box = ctx->ItemInfo("//Tiling/tiling_scene").RectFull;
  const float s = shell().context.scale;
  for (float y = 2; scene && y < scene->size.h; y += 3) {
    for (float x = 2; x < scene->size.w; x += 3) {
      const std::optional<viz::Pick> pick = viz::pick(*scene, x, y);
      if (!pick || !wanted(*pick)) continue;
      ctx->MouseMoveToPos({box.Min.x + x * s, box.Min.y + y * s});
      return true;
    }
  }
  return false;
}

bool is_cta(const viz::Pick& p) {
  return p.kind == viz::Pick::Kind::cta && p.cta_row == 5 && p.cta_col == 2;
}
bool is_warp(const viz::Pick& p) { return p.kind == viz::Pick::Kind::warp && p.warp == 3; }
bool is_mma(const viz::Pick& p) {
  return p.kind == viz::Pick::Kind::mma && p.mma_m == 2 && p.mma_n == 1;
}

UI_TEST("tiling", "the_wheel_goes_into_what_is_under_the_pointer") {
  start(ctx, false);
  ctx->Yield(2);
  IM_CHECK(move_to(ctx, is_cta));
  ctx->MouseWheelY(1);
  IM_CHECK(stands(ctx, 1));
  ctx->Yield(3);
  IM_CHECK_EQ(state().selection.cta.row, 5);
  IM_CHECK_EQ(state().selection.cta.col, 2);
  screenshot(ctx, "one_level_cta");
  IM_CHECK(move_to(ctx, is_warp));
  ctx->MouseWheelY(1);
  IM_CHECK(stands(ctx, 2));
  ctx->Yield(3);
  IM_CHECK_EQ(state().selection.warp, 3);
  IM_CHECK(move_to(ctx, is_mma));
  ctx->MouseWheelY(1);
  IM_CHECK(stands(ctx, 3));
  IM_CHECK_EQ(state().selection.mma_m, 2);
  IM_CHECK_EQ(state().selection.mma_n, 1);
  ctx->Yield(3);
  for (int level = 2; level >= 0; --level) {
    ctx->MouseWheelY(-1);
    IM_CHECK(stands(ctx, level));
    ctx->Yield(3);
  }
}

UI_TEST("tiling", "a_double_click_goes_one_level_in_and_a_click_only_chooses") {
  start(ctx, false);
  IM_CHECK(move_to(ctx, is_cta));
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK_EQ(state().selection.cta.row, 5);
  IM_CHECK_EQ(state().selection.level, 0);
  ctx->MouseDoubleClick(0);
  IM_CHECK(stands(ctx, 1));
  // Side by side, too: from a warp to its mma tiles and no further.
  start(ctx, true);
  select_level(state(), 4);
  ctx->Yield(2);
  IM_CHECK(move_to(ctx, is_warp));
  ctx->MouseDoubleClick(0);
  ctx->Yield(3);
  IM_CHECK_EQ(state().selection.warp, 3);
  IM_CHECK_EQ(state().selection.level, 2);
  state().of<TilingView>().side_by_side = true;
  select_level(state(), 4);
}

/// How large a level's C is: the box around the picks of its parts.
float height_of_c(const viz::Scene& scene, bool (*part)(const viz::Pick&)) {
  float low = 1e9f, high = -1e9f;
  for (float y = 0; y < scene.size.h; y += 1) {
    for (float x = 0; x < scene.size.w; x += 2) {
      const std::optional<viz::Pick> pick = viz::pick(scene, x, y);
      if (!pick || !part(*pick)) continue;
      low = std::min(low, y), high = std::max(high, y);
      break;
    }
  }
  return high - low;
}

UI_TEST("tiling", "one_level_fills_the_panel") {
  const AppContext& context = shell().context;
  start(ctx, true);
  const ImRect box = ctx->ItemInfo("//Tiling/tiling_scene").RectFull;
  const viz::Size size{box.GetWidth() / context.scale, box.GetHeight() / context.scale};
  constexpr bool (*kParts[])(const viz::Pick&) = {
      [](const viz::Pick& p) { return p.kind == viz::Pick::Kind::cta; },
      [](const viz::Pick& p) { return p.kind == viz::Pick::Kind::warp; },
      [](const viz::Pick& p) { return p.kind == viz::Pick::Kind::mma; }};
  for (int level = 0; level < 3; ++level) {
    viz::TilingState t = tiling_picture(state(), static_cast<float>(level));
    const auto height = [&](bool side_by_side) {
      t.side_by_side = side_by_side;
      return height_of_c(
          viz::build_tiling(t, widgets::palette_of(context), widgets::FontMeasure(context), size),
          kParts[level]);
    };
    const float beside = height(true), alone = height(false);
    const float least = (level == 1 ? 0.4f : 0.5f) * size.h;  // the stages stand below the CTA
    if (alone < 1.6f * beside || alone < least) {
      ctx->LogError("level %d: %.0f alone, %.0f beside, of %.0f", level, alone, beside, size.h);
    }
    IM_CHECK_GE(alone, 1.6f * beside);
    IM_CHECK_GE(alone, least);
  }
}

}  // namespace
}  // namespace tilescope::ui_test
