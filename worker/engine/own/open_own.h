// Opens a .cu or .ptx of somebody's own.
#pragma once
#include <atomic>

#include "worker/messages/messages_open.h"

namespace tilescope::worker {

/// Fails with exit code 2 for a file that cannot be read or is neither (the sentence says what it
/// is), and like compile_own(). What the emulator cannot run of it is no failure but told.
OpenAnswer open_own(const OpenRequest& request, const std::atomic<bool>* cancelled);

}  // namespace tilescope::worker
