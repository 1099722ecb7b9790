#include "app/state/feature.h"
#include <algorithm>
#include "app/features/fragment/fragment_answers.h"
#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/fragment/prover.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace fragment_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) {
    visit("atom", view.atom.name);
    visit("atom_lane", view.atom.selection.lane);
    visit("atom_warp", view.atom.selection.warp);
    visit("atom_output", view.atom.selection.output);
    visit("atom_k_step", view.atom.k_step);
    visit("atom_row_bytes", view.atom.row_bytes);
    visit("atom_descriptor", view.atom.descriptor);
    visit("atom_descriptor_step", view.atom.descriptor_step);
    visit("fragment_tab", view.tab);
    visit("fragment_operand", view.operand);
    visit("fragment_cure", view.cure);
    visit("fragment_phase", view.phase);
  }
  static void settle(FragmentView& v) {
    const model::Instruction* atom = model::find_instruction(v.atom.name);
    v.atom.name = atom ? atom->name : "";
    v.atom.selection.lane = std::clamp(v.atom.selection.lane, 0, 31);
    v.atom.selection.warp = std::clamp(v.atom.selection.warp, 0, 3);
    v.atom.selection.output = std::max(0, v.atom.selection.output);
    v.atom.k_step = std::clamp(v.atom.k_step, 0, kMaxExtent);
    if (v.atom.row_bytes != 32 && v.atom.row_bytes != 64) v.atom.row_bytes = 128;
    v.atom.descriptor = std::clamp(v.atom.descriptor, 0, kWgmmaLayoutCount - 1);
    v.atom.descriptor_step =
        std::clamp(v.atom.descriptor_step, 0, kWgmmaLayouts[v.atom.descriptor].steps() - 1);
    v.tab = std::clamp(v.tab, 0, viz::kFragmentTabs - 1);
    v.operand = std::clamp(v.operand, 0, 1);
    v.cure = std::clamp(v.cure, 0, 1);
    v.phase = std::clamp(v.phase, 0, 3);
  }
};

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<Prover>(link); }

constexpr Picture kPictures[] = {
    {.name = "fragment",
     .build = [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m,
                 viz::Size size) { return viz::build_fragment(fragment_picture(s), p, m, size); }}};

}  // namespace
}  // namespace fragment_row

extern const Feature fragment_feature{
    .askers = fragment_row::askers,
    .session = session_of_options<FragmentView, fragment_row::Options>(),
    .pictures = fragment_row::kPictures,
    .answers = fragment_answers};

}  // namespace tilescope
