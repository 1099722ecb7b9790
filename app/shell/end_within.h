// A report of a crash that cannot be ended ends all the same.
#pragma once

namespace tilescope {

/// In a handler of signals: whatever is waited for from now on, a lock of the loader's that
/// somebody holds for example, the process ends as by `signal` after so many seconds at most.
void end_within(unsigned seconds, int signal);

}  // namespace tilescope
