// May a plan be made of what somebody else has written? Kernels divide by a tile's extents, so
// nothing asks them about a stored request before this has.
#pragma once
#include <string>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// Empty: there is a plan, whatever card it needs. A tile of an older version of its kernel may be
/// one that no card holds by today's rules, and was measured all the same. Else why there is none,
/// in a sentence without its end.
std::string why_no_plan(const KernelRequest& request, const KernelEntry& kernel);

inline bool has_plan(const KernelRequest& request, const KernelEntry& kernel) {
  return why_no_plan(request, kernel).empty();
}

}  // namespace tilescope::worker
