// A text that Source shows against the one that stands there, in its place, until it is taken
// away: what would make a file right.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "app/state/private_copy.h"

namespace tilescope {

/// AppState::of<TextBeside>().
struct TextBeside {
  std::string of;      // file_identity() of the file that it is for; empty: there is none
  std::string text;    // that would stand there
  bool asked = false;  // Source is to turn to the kernel's text; taken with its next frame
};

/// Of the file that is looked at; null: nothing is to be shown.
inline const TextBeside* text_beside(const AppState& state) {
  const auto& beside = state.of<TextBeside>();
  return !beside.of.empty() && beside.of == file_identity(state) ? &beside : nullptr;
}

}  // namespace tilescope
