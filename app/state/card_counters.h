// What a card has counted of the present position.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// Counters of the present position; null if there are none.
const worker::CountersResult* counters_of(const AppState& state);
/// "counted 2026-11-22 on cuda:0 by ncu 2025.3.1": where they come from.
std::string counters_source(const AppState& state, const worker::CountersResult& counters);

}  // namespace tilescope
