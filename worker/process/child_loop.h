// What runs inside a child: one thread reads, one thread runs the calls one after the other. Uses
// blocking reads and writes, since nothing else happens in a child.
#pragma once
#include "worker/service.h"

namespace tilescope::worker {

/// Serves the table until the stream ends or `exit` comes; then ends the process at once, whatever
/// a call is doing (a hung kernel cannot be waited for). Does not return.
[[noreturn]] void run_child(const MethodTable& methods, int in_fd, int out_fd);

/// Exit codes of a child that the supervisor knows.
inline constexpr int kExitFatal = 70;     // after an error marked fatal
inline constexpr int kExitProtocol = 71;  // the stream could not be read

}  // namespace tilescope::worker
