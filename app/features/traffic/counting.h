// Reading a card's counters for the present position, by hand: what is asked for, what may be.
#pragma once
#include <string>

#include "app/state/card_counters.h"

namespace tilescope {

/// A launch of the present edit on its way to being counted by the card.
struct Counting {
  bool wanted = false;  // asked for, not yet begun
  bool running = false;
  bool stop = false;                 // asked for while it runs
  double since = 0;                  // seconds
  std::string stage;                 // "counting with ncu 2025.3.1"
  std::string error, error_details;  // why there are no counters, one sentence
};

/// Why the present position cannot be counted, in one sentence; empty: it can.
std::string why_no_counting(const AppState& state);
/// Begun as soon as nothing is timed any more.
void ask_for_counters(AppState& state);
void stop_counting(AppState& state);
/// "waiting for the measurement", "counting with ncu 2025.3.1, 3 s"; empty: nothing is going on.
std::string counting_text(const AppState& state);

}  // namespace tilescope
