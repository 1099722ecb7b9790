// Why an element of C is wrong: what its sum was made of, followed as far as it takes.
#pragma once
#include <atomic>
#include <optional>
#include <string_view>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// Follows an element of a wrong C through the PTX, with a short k first, then with longer ones.
/// A finding "wrong_index" with the line that read a wrong element; nothing if none shows, or if
/// the matrices are too large to be followed.
std::optional<CodeFinding> followed_mismatch(const KernelRequest& request,
                                             const KernelEntry& kernel, std::string_view ptx,
                                             Coord element, const std::atomic<bool>* cancelled);

/// Adds to the findings why C is wrong, if its first wrong element shows it.
void explain(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
             const Verification& wrong, const std::atomic<bool>* cancelled, CheckResult& checks);

}  // namespace tilescope::worker
