// Finds out why an element of C is wrong: follows what its sum was made of through the PTX.
#pragma once
#include <atomic>
#include <optional>
#include <string_view>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// Follows an element of a wrong C through the PTX, with a short k first, then with longer ones.
/// Returns a finding "wrong_index" that names the line which read a wrong element; nothing if no
/// such line shows, or if the matrices are too large to be followed.
std::optional<CodeFinding> followed_mismatch(const KernelRequest& request,
                                             const KernelEntry& kernel, std::string_view ptx,
                                             Coord element, const std::atomic<bool>* cancelled);

/// Adds to the findings why C is wrong, if its first wrong element shows it.
void explain(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
             const Verification& wrong, const std::atomic<bool>* cancelled, CheckResult& checks);

}  // namespace tilescope::worker
