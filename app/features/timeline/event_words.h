// The present event in one sentence: who does what with which data.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "app/state/playback.h"

namespace tilescope {

/// "warp 2 copies 16 B per lane of A, slice 3, to stage 0"; empty while there is no event.
/// `trace`: that it is of; of a kernel without a plan it has the names of its buffers.
std::string event_words(const worker::TraceEvent* present, const worker::RawAccess* raw,
                        const worker::TraceResult& trace = {});
std::string event_words(const AppState& state);

}  // namespace tilescope
