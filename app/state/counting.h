// Reading a card's counters for the present position, by hand: what is asked for, what may be.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// Why the present position cannot be counted, in one sentence; empty: it can.
std::string why_no_counting(const AppState& state);
/// Begun as soon as nothing is timed any more.
void ask_for_counters(AppState& state);
void stop_counting(AppState& state);
/// "waiting for the measurement", "counting with ncu 2025.3.1, 3 s"; empty: nothing is going on.
std::string counting_text(const AppState& state);

/// Counters of the present position; null if there are none.
const worker::CountersResult* counters_of(const AppState& state);
/// "counted 2026-11-22 on cuda:0 by ncu 2025.3.1": where they come from.
std::string counters_origin(const AppState& state, const worker::CountersResult& counters);

}  // namespace tilescope
