// Planted bugs (assets/gallery): wrong kernels, each to be found with the panels, mended in the
// editor and proven right. What is said of one, and its cure, are its own files'.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/own/own_examples.h"
#include "app/state/app_state.h"

namespace tilescope {

struct PlantedBug {
  const OwnExample* example;       // its id, title, text and sheet
  std::string kind;                // of what is found: "race", "wrong_result"
  std::string see;                 // id of the panel that shows it
  std::vector<std::string> hints;  // the symptom, where it is seen, what to ask of the line
  std::string source;              // the kernels or issues that it is like: "NVIDIA/Fuser PR #387"
  std::vector<std::string> addresses;  // of these, where they have one
  std::string cure;                    // the text that is right
  std::vector<int> lines;  // of its own text: what the cure takes away, and behind which it adds
};

/// In the order of the gallery.
std::span<const PlantedBug> planted_bugs();
const PlantedBug* find_bug(std::string_view id);
/// The one that is looked at; null: something else is.
const PlantedBug* bug_of(const AppState& state);

/// The text with a diff of one file put on, whose lines stand where it says.
struct PatchedText {
  std::string text;
  std::vector<int> lines;  // as PlantedBug::lines
};
PatchedText patched_text(std::string_view text, std::string_view diff);

/// The addresses of what a line like "NVIDIA/Fuser PR #387 and PR #1534, NVIDIA/cutlass issue #321"
/// names; of a repository that no number follows its own.
std::vector<std::string> addresses_of(std::string_view source);

}  // namespace tilescope
