// What a launch's buffers hold after it on a card, against what its sheet expects of them; the
// emulator's are compared by worker/engine/emulate/expected.h.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "worker/engine/gpu/sheet_kernel.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

/// Another kernel that is right, of any PTX, and which of the launch's arguments its own are.
struct OtherLaunch {
  std::optional<LaunchRequest> launch = {};
  std::vector<int> args = {};
};

/// After the launch's first run: reads its buffers back, gives the other kernel, which the driver
/// compiles, what they held at first, and runs it. Nothing where the sheet expects nothing. Fails
/// with 2 where the other kernel is missing, and as SheetKernel does for it; throws
/// sheet::SheetError for files that do not fit.
std::vector<BufferVerdict> expected_on_card(const Gpu& gpu, const LaunchRequest& launch,
                                            const SheetKernel& kernel, const OtherLaunch& other);

/// What the emulator cannot run, a card may. Fails with 4 where the text is no PTX.
std::shared_ptr<const emulator::Program> read_program(const std::string& ptx);

}  // namespace tilescope::worker
