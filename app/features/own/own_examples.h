// Kernels that come with the program, to be opened as if they were somebody's own.
#pragma once
#include <span>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

struct OwnExample {
  const char* id;     // "sgemm_race": its file's name
  const char* title;  // of the menu
  const char* text;   // CUDA C++
  const char* sheet;  // its launch sheet
};
std::span<const OwnExample> own_examples();

/// Writes it into the app's data folder, unless it is there already, and opens it. Empty, or why
/// that could not be, in a sentence.
std::string open_example(AppState& state, const OwnExample& example);

}  // namespace tilescope
