// The present event in one sentence: who does what with which data.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "app/state/playback.h"

namespace tilescope {

/// "warp 2 copies 16 B per lane of A, slice 3, to stage 0"; empty while there is no event.
std::string event_words(const worker::TraceEvent* present, const worker::RawAccess* raw);
std::string event_words(const AppState& state);

}  // namespace tilescope
