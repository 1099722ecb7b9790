// How long a call may take, by the kind of child that serves it. Whoever waits for one (a window, a
// command line, a script) waits no longer than that: a driver may hang in its first call, and then
// nothing but the end of its process helps.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope::worker {

struct CallLimit {
  int ms = 0;               // from the call's begin; then its child is killed; 0: none
  bool of_silence = false;  // what the call tells on its way begins it anew
  int launches = 0;         // and so many times what its request allows one launch ("time_limit")
  bool of_instructions = false;  // and the time of those that it allows ("max_lane_instructions")
};

/// `driver_limit_ms`: in place of what the search for devices and the calls of cards have by
/// themselves; 0: that.
CallLimit call_limit_of(const std::string& kind, int driver_limit_ms = 0);

/// Milliseconds of one call; 0: none. What is no number of seconds counts as what a request lacks.
int call_limit_ms(const CallLimit& limit, const nlohmann::json& params);

/// TILESCOPE_DRIVER_LIMIT in milliseconds: for drivers that take longer than any was seen to. 0: it
/// is not set, or is no number of seconds.
int driver_limit_of_environment();

}  // namespace tilescope::worker
