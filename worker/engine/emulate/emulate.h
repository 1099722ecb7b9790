// Runs a kernel in the emulator: exact counts, and the result against double precision.
#pragma once
#include <atomic>
#include <functional>
#include <string_view>

#include "kernels/registry.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/operands.h"
#include "worker/messages/messages.h"

namespace tilescope::emulator {
struct Counts;
class Program;
}  // namespace tilescope::emulator

namespace tilescope::worker {

struct EmulateOptions {
  using Scope = EmulationScope;
  /// Up to it `automatic` is all of the launch.
  static constexpr double kWholeLimit = 2048.0 * 2048.0 * 2048.0;  // m·n·k
  Scope scope = Scope::automatic;
  DataSpec data;
  bool verify = true;
  /// True: the checks look at all that runs, and an error that they find is a failure. False: they
  /// look at one CTA of each class beside the run, and what they find is in the result's `checks`.
  bool check = false;
  int threads = 1;
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(uint64_t done, uint64_t all)> progress;  // CTAs
};

/// The request must be legal. Fails with exit code 4 on a fault of the kernel, and says then what
/// the checks found; a wrong result is no failure, it is `verified->ok == false`.
EmulateResult emulate(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                      const EmulateOptions& options);

/// The emulator's counts as a message; lines are those of `file`, the kernel's own.
CountedTraffic counted_traffic(const emulator::Counts& counts, const emulator::Program& program,
                               const std::string& file);

}  // namespace tilescope::worker
