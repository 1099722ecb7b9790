// What a stepped run has shown up to its place, as rows: findings, copies on their way.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "worker/messages/messages_step.h"

namespace tilescope {

/// A moment of the run that can be gone to.
struct OutputMoment {
  BlockIndex cta;
  int warp = -1;  // −1: there is none
  uint64_t step = 0;
};

struct FindingSoFar {
  std::string head;  // "racy: line 174 · 32 lanes"
  std::string text;  // the sentence
  CodeLink place;
  OutputMoment moment;  // at which it was seen first
};
std::vector<FindingSoFar> findings_so_far(const worker::StepAnswer& answer);
/// "2 up to here, 1 comes later": beside their heading.
std::string findings_summary(const worker::StepAnswer& answer);

/// cp.async of a warp that it has not waited for.
struct CopiesOfWarp {
  int warp = 0;
  std::string words;  // "2 groups: 2,048 B, 2,048 B · 512 B not committed"
  std::string tip;    // a line for each
  CodeLink place;     // of the oldest
  OutputMoment moment;
};
/// Warps without any are left out.
std::vector<CopiesOfWarp> copies_in_flight(const emulator::StepState& state);

/// The end of a text that is longer than `most` bytes, from a line's beginning; what was left out
/// is said in its first line.
std::string end_of_text(const std::string& text, size_t most);

}  // namespace tilescope
