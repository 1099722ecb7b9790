// Kernels that come with the program, to be opened as if they were somebody's own.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/answer.h"
#include "app/state/app_state.h"

namespace tilescope {

struct OwnExample {
  std::string id;       // "sgemm_race": its file's name
  std::string title;    // its first line
  const char* text;     // CUDA C++
  const char* sheet;    // its launch sheet
  const char* cure;     // of a planted bug: a diff of one file that makes it right; else empty
  bool is_planted_bug;  // of the gallery: something in it is wrong, and to be found
};
std::span<const OwnExample> own_examples();

/// Where it lies once it has been opened, in the app's data folder.
std::string example_file(const AppState& state, const OwnExample& example);
/// Writes it into the app's data folder, unless it is there already, and opens it. Empty, or why
/// that could not be, in a sentence.
std::string open_example(AppState& state, const OwnExample& example);

/// The palette's: "example sgemm race".
std::vector<Answer> example_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
