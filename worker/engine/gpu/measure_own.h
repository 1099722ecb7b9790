// Verify, then time: a kernel of somebody's own, launched as its sheet says.
#pragma once
#include <optional>
#include <string>

#include "worker/engine/compile/kernel_code.h"
#include "worker/engine/gpu/card_expected.h"
#include "worker/engine/gpu/measurement.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

struct OwnMeasured {
  MeasureResult result;                      // TFLOPS and a library beside it: of a GEMM alone
  std::optional<GemmVerdict> gemm = {};      // of a sheet that says that it is one
  std::vector<BufferVerdict> expected = {};  // of a sheet that expects something
  std::string printed = {};                  // by the first launch
};

/// A first launch into buffers as the sheet fills them, whose C, if it is a GEMM, is compared with
/// double precision as the emulator's is; so is what else the sheet expects. What is wrong is not
/// timed. Launches that are timed find C
/// as the one before left it; where the kernel may write other buffers, all that it may write is
/// filled anew before each of them. Fails as SheetKernel does, and for a kernel that faults or
/// takes too long; {"log"} has what it printed until then.
OwnMeasured measure_own(GpuSession& session, const LaunchRequest& launch, const OtherLaunch& other,
                        const Code& code, const MeasureOptions& options);

}  // namespace tilescope::worker
