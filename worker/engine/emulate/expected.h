// What a launch's buffers hold after the run, against what its sheet expects of them: what another
// kernel writes, given the same, or files.
#pragma once
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "worker/engine/emulate/emulated_launch.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

/// What an argument's buffer holds, against what it is to hold; of equal size.
BufferVerdict compare_buffer(const LaunchRequest& request, int argument,
                             std::span<const std::byte> found, std::span<const std::byte> expected,
                             const std::string& against);
/// What a file says that a buffer of so many bytes is to hold. Throws sheet::SheetError for one
/// that cannot be read or is of another size.
std::vector<std::byte> read_expected(const LaunchRequest& request, uint64_t bytes,
                                     const sheet::Expectation::File& file);
/// Of the other kernel's argument: the number of the launch's buffer that it is compared with, one
/// that the kernel writes; −1: none.
int compared_with(const LaunchRequest& request, const std::vector<int>& other_args, size_t its);
/// Where the sheet expects another kernel's results: fails with 2 if that was not opened.
void need_other(const LaunchRequest& request, const std::optional<LaunchRequest>& other);
/// The name by which a verdict calls it.
std::string file_name(const sheet::Expectation::File& file);
std::string kernel_name(const LaunchRequest& other);

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
