// The main loop of a child: one thread reads, another runs the calls one after the other. Reads and
// writes may block, since a child does nothing else.
#pragma once
#include "worker/service.h"

namespace tilescope::worker {

/// Answers calls by the table until the stream ends or `exit` comes. Then it ends the process at
/// once, even if a call is running: a kernel that hangs cannot be waited for. Does not return.
[[noreturn]] void run_child(const MethodTable& methods, int in_fd, int out_fd);

/// Exit codes of a child that the supervisor knows.
inline constexpr int kExitFatal = 70;     // after an error marked fatal
inline constexpr int kExitProtocol = 71;  // the stream could not be read

}  // namespace tilescope::worker
