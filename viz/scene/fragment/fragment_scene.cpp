#include "viz/scene/fragment/fragment_scene.h"

#include <algorithm>

#include "core/layout/atom_plan.h"
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {

std::string element_text(Operand matrix, Coord at) {
  return std::string(kOperandNames[static_cast<int>(matrix)]) + "[" + std::to_string(at.row) +
         ", " + std::to_string(at.col) + "]";
}

bool inside(const Problem& problem, Operand matrix, Coord at) {
  return at.row < operand_rows(problem, matrix) && at.col < operand_cols(problem, matrix);
}

namespace {

/// Which lane reads which element of shared memory: of wmma.load the PTX ISA leaves it open.
bool places_known(LoadKind kind) {
  switch (kind) {
    case LoadKind::lds:
    case LoadKind::ldmatrix:
      return true;
    case LoadKind::none:
    case LoadKind::global:
    case LoadKind::wmma:
      return false;
  }
  return false;
}

}  // namespace

bool has_tab(const FragmentState& state, FragmentTab tab) {
  const KernelPlan& plan = state.plan;
  if (state.is_move()) return tab == FragmentTab::ldmatrix || tab == FragmentTab::formulas;
  switch (tab) {
    case FragmentTab::mma:
    case FragmentTab::warp_tile:
      return true;
    case FragmentTab::ldmatrix:
      return ldmatrix_loads(plan.atom, Operand::a) || ldmatrix_loads(plan.atom, Operand::b);
    case FragmentTab::formulas:
      return plan.math() == Math::mma;
    case FragmentTab::shared_memory:
    default:
      return plan.atom.b_in_shared || (plan.shared_a().present && places_known(plan.load_a.kind));
  }
}

const char* tab_name(const FragmentState& state, FragmentTab tab) {
  switch (tab) {
    case FragmentTab::mma:
      return state.plan.math() == Math::mma ? "mma" : "thread tile";
    case FragmentTab::warp_tile:
      return "warp tile";
    case FragmentTab::ldmatrix:
      return state.is_move() ? "lanes" : "ldmatrix";
    case FragmentTab::shared_memory:
      return "shared memory";
    case FragmentTab::formulas:
    default:
      return "formulas";
  }
}

Scene build_fragment(const FragmentState& state, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  const KernelPlan& plan = state.plan;
  const Hierarchy table = hierarchy_of(plan);
  const bool drawable = state.is_move() || table.has(Level::atom);
  if (!drawable || !has_tab(state, state.tab)) {
    const char* what = drawable ? "This kernel has no such instruction"
                                : "This tile has no fragment: no warp fits into the block tile";
    b.text(size.w / 2, size.h / 2, what,
           {palette.dim, 12, Weight::regular, Align::center, size.w - 16});
    return b.finish();
  }
  if (state.is_move()) {
    state.tab == FragmentTab::formulas ? draw_move_formulas(b, state, size)
                                       : draw_move_tab(b, state, size);
    return b.finish();
  }
  FragmentContext f{state, plan, clamped(state.selection, plan), clamped(state.moment, plan), {}};
  f.axes = atom_axes(plan, f.selection, f.moment);
  switch (state.tab) {
    case FragmentTab::mma:
      table.lanes_share_atoms() ? draw_mma_tab(b, f, size) : draw_thread_tile_tab(b, f, size);
      break;
    case FragmentTab::warp_tile:
      draw_warp_tile_tab(b, f, size);
      break;
    case FragmentTab::ldmatrix:
      draw_ldmatrix_tab(b, f, size);
      break;
    case FragmentTab::shared_memory:
      plan.atom.b_in_shared ? draw_descriptor_tab(b, f, size) : draw_shared_tab(b, f, size);
      break;
    case FragmentTab::formulas:
      draw_formulas_tab(b, f, size);
      break;
  }
  return b.finish();
}

}  // namespace tilescope::viz
