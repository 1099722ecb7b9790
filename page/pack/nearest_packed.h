// The packed position nearest to one that has no compiled code.
#pragma once
#include <optional>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::web {

/// Of `packed`, all of the request's kernel: another tile for the same problem if one has code for
/// it, the fewest steps of the sliders away; else another tile and the layout and size that it is
/// packed for. Nothing if none is packed.
std::optional<worker::KernelRequest> nearest_packed(
    const worker::KernelRequest& request, const std::vector<worker::KernelRequest>& packed);

}  // namespace tilescope::web
