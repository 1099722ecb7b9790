#include "viz/scene/fragment_scene.h"

#include "viz/scene/fragment_parts.h"

namespace tilescope::viz {

std::string element_text(Operand matrix, Coord at) {
  return std::string(kOperandNames[static_cast<int>(matrix)]) + "[" + std::to_string(at.row) +
         ", " + std::to_string(at.col) + "]";
}

bool inside(const Problem& problem, Operand matrix, Coord at) {
  return at.row < operand_rows(problem, matrix) && at.col < operand_cols(problem, matrix);
}

bool has_tab(const KernelPlan& plan, FragmentTab tab) {
  switch (tab) {
    case FragmentTab::mma:
    case FragmentTab::warp_tile:
      return true;
    case FragmentTab::ldmatrix:
      return plan.math == Math::mma;
    case FragmentTab::shared_memory:
    default:
      return plan.shared_a.present;
  }
}

Scene build_fragment(const FragmentState& state, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  const KernelPlan& plan = state.plan;
  const bool mma = plan.math == Math::mma;
  const bool drawable =
      plan.threads > 0 && (!mma || (mmas_m(plan) > 0 && mmas_n(plan) > 0 && plan.warps_n > 0));
  if (!drawable || !has_tab(plan, state.tab)) {
    const char* what = drawable ? "This kernel has no such instruction"
                                : "This tile has no fragment: no warp fits into the block tile";
    b.text(size.w / 2, size.h / 2, what,
           {palette.dim, 12, Weight::regular, Align::center, size.w - 16});
    return b.finish();
  }
  FragmentContext f{state, plan, clamped(state.selection, plan), clamped(state.moment, plan), {}};
  f.axes = thread_axes(plan, f.selection, f.moment);
  switch (state.tab) {
    case FragmentTab::mma:
      mma ? draw_mma_tab(b, f, size) : draw_thread_tile_tab(b, f, size);
      break;
    case FragmentTab::warp_tile:
      draw_warp_tile_tab(b, f, size);
      break;
    case FragmentTab::ldmatrix:
      draw_ldmatrix_tab(b, f, size);
      break;
    case FragmentTab::shared_memory:
      draw_shared_tab(b, f, size);
      break;
  }
  return b.finish();
}

}  // namespace tilescope::viz
