// What a launch's buffers hold after the run, against what its sheet expects of them: what another
// kernel writes, given the same, or files.
#pragma once
#include <atomic>
#include <optional>
#include <vector>

#include "worker/engine/emulate/emulated_launch.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

class ExpectedBuffers {
 public:
  /// Before the run: the other kernel gets what the launch's buffers hold then. Throws
  /// sheet::SheetError for files that cannot be read or are of another size, fails with 2 where the
  /// other kernel is missing.
  ExpectedBuffers(const RunRequest& request, EmulatedLaunch& launch);

  /// After it. Runs the other kernel; a fault of that fails with exit code 4 and its sentence.
  std::vector<BufferVerdict> verdicts(const RunRequest& request, EmulatedLaunch& launch,
                                      const std::atomic<bool>* cancelled);

 private:
  std::optional<EmulatedLaunch> other_;
};

}  // namespace tilescope::worker
