// What of the Fragment panel is chosen.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "core/instructions/instructions.h"

namespace tilescope {

/// An instruction of the list that the Fragment panel shows instead of the kernel's own, and what
/// of it is chosen: nothing of the kernel's selection follows.
struct AtomView {
  std::string name;  // in PTX; empty: the kernel's own
  viz::Selection selection{{}, 0, 0, 0, 17, 0};
  int k_step = 0;
  int row_bytes = 128;  // of a row in shared memory
  int descriptor = 0;   // wgmma: of kWgmmaLayouts, and which 32 bytes of a line
  int descriptor_step = 0;
  bool playing = false;  // its k loop
};

struct FragmentView {
  AtomView atom;
  int tab = 0;      // viz::FragmentTab
  int operand = 0;  // A or B, in the tabs ldmatrix and shared memory
  int cure = 0;     // shared memory: compared with XOR or with padding
  int phase = 0;    // of ldmatrix, in the tab shared memory
};

/// Shows an instruction of the list in the Fragment panel; an empty or unknown name: the kernel's.
void show_atom(AppState& state, const std::string& ptx_name);
/// What the panel shows instead of the kernel's own instruction; nullptr: that.
const model::Instruction* shown_instruction(const AppState& state);

}  // namespace tilescope
