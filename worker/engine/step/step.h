// Steps through a launch, of any PTX or of a kernel of the ladder.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "kernels/registry.h"
#include "worker/messages/calls_run.h"

namespace tilescope::worker {

/// What is needed of a kernel of the ladder beside the request.
struct SteppedKernel {
  const KernelRequest& request;
  const KernelEntry& entry;
  std::string ptx;
};

/// Keeps the launch that was stepped last, found by what it is of: whoever steps on goes on from
/// its checkpoints, and a child that was killed costs nothing but time.
class StepKeeper {
 public:
  StepKeeper();
  ~StepKeeper();
  /// `kernel`: null for a launch of any PTX, and for one that is named (Request::kept). Fails like
  /// prepare_launch() and prepare_gemm(), with 2 for a stop or a part of the state that the launch
  /// does not have.
  StepAnswer step(const calls::Step::Request& request, const SteppedKernel* kernel,
                  const std::atomic<bool>* cancelled);

 private:
  struct Kept;
  static StepAnswer answer_of(Kept& kept, const calls::Step::Request& request,
                              const std::atomic<bool>* cancelled);
  static void move(Kept& kept, const StepMotion& motion, StepAnswer& answer);
  std::mutex mutex_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace tilescope::worker
