#include "app/features/fragment/fragment_view.h"

namespace tilescope {

void show_atom(AppState& state, const std::string& ptx_name) {
  const model::Instruction* found = model::find_instruction(ptx_name);
  state.of<FragmentView>().atom.name = found ? found->name : "";
  state.of<FragmentView>().atom.playing = false;
}

const model::Instruction* shown_instruction(const AppState& state) {
  const std::string& name = state.of<FragmentView>().atom.name;
  return name.empty() ? nullptr : model::find_instruction(name);
}

}  // namespace tilescope
