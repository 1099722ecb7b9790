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
  bool is_planted_bug;  // of the gallery: something in it is wrong, and to be found
};
std::span<const OwnExample> own_examples();

/// Writes it into the app's data folder, unless it is there already, and opens it. Empty, or why
/// that could not be, in a sentence.
std::string open_example(AppState& state, const OwnExample& example);

/// The palette's: "example sgemm race".
std::vector<Answer> example_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope
