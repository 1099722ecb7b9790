// Landlock: by it a process gives up, for itself and all that it starts, to write where it need
// not. Linux has it since 5.13, where it is switched on.
#pragma once
#include <string>
#include <vector>

namespace tilescope::worker {

/// The version that this kernel has; 0: none.
int landlock_version();

/// From here on the calling process makes, changes, moves and removes no file but those named, and
/// those below the folders named; what is not there is left out. What it has open stays as it is,
/// and it reads what it may. For good. False, and nothing changes, where the kernel has none of it.
/// PR_SET_NO_NEW_PRIVS comes first.
bool write_only_below(const std::vector<std::string>& places);

}  // namespace tilescope::worker
