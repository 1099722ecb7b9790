// Traces one CTA of any launch. Without a plan nothing is known of matrices and slices, so an event
// says which buffer it touches and in which iteration of the outermost loop it is.
#pragma once
#include "worker/engine/trace/trace.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::worker {

/// TraceRequest::k_step is an iteration of the loop with most events. Fails like prepare_launch(),
/// with 2 for a CTA or k step outside the launch, 4 on a fault of the kernel.
TraceResult trace_launch(const LaunchRequest& request, const TraceRequest& options);

}  // namespace tilescope::worker
