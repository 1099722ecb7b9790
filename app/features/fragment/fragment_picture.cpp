#include "app/features/fragment/fragment_picture.h"

#include <algorithm>

#include "app/features/fragment/executed_mma.h"
#include "app/features/fragment/fragment_view.h"
#include "app/state/scene_words.h"
#include "app/state/wrong_answer.h"
#include "core/layout/atom_plan.h"

namespace tilescope {
namespace {

/// An instruction of the list, in a warp tile of about 64×64.
void show_instruction(viz::FragmentState& f, const model::Instruction& instruction,
                      const AtomView& view) {
  constexpr int kExtent = 64;
  f.instruction = &instruction;
  if (!f.is_move()) {
    const MmaAtom& atom = instruction.mma;
    const int m = std::max(1, kExtent / atom.m), n = std::max(1, kExtent / atom.n);
    f.plan = atom_plan(atom, m, n, view.row_bytes, swizzle_for_rows(view.row_bytes));
    f.problem = atom_problem(f.plan);
  }
  f.descriptor = kWgmmaLayouts[view.descriptor];
  f.descriptor_step = view.descriptor_step;
  f.selection = view.selection;
  f.selection.lane = std::clamp(f.selection.lane, 0, 31);
  f.moment = {0, f.is_move() ? 0 : view.k_step % viz::k_steps(f.plan)};
}

}  // namespace

viz::FragmentState fragment_picture(const AppState& state) {
  viz::FragmentState f;
  f.tab = static_cast<viz::FragmentTab>(state.of<FragmentView>().tab);
  f.operand = state.of<FragmentView>().operand == 0 ? Operand::a : Operand::b;
  f.phase = state.of<FragmentView>().phase;
  f.pad = state.of<FragmentView>().cure == 1;
  if (const model::Instruction* instruction = shown_instruction(state)) {
    show_instruction(f, *instruction, state.of<FragmentView>().atom);
  } else if (const auto executed = executed_mma(state); executed && executed->instruction) {
    show_instruction(f, *executed->instruction, state.of<FragmentView>().atom);
    f.selection.lane = std::clamp(state.selection.lane, 0, 31);
    if (!shows_executed(f.tab)) f.tab = viz::FragmentTab::mma;
  } else {
    f.plan = state.derived.plan;
    f.problem = state.edit.problem;
    f.selection = scene_selection(state);
    f.moment = scene_moment(state, moment_of(state));
    f.hover = state.hover_before.pick;
    f.marks = answer_marks(state);
  }
  for (int tab = 0; tab < viz::kFragmentTabs && !viz::has_tab(f, f.tab); ++tab) {
    f.tab = static_cast<viz::FragmentTab>(tab);
  }
  return f;
}

}  // namespace tilescope
