// Verify, then time: one kernel at one tile on one problem, next to the library.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/registry.h"
#include "worker/engine/gpu/cublaslt.h"
#include "worker/engine/gpu/gpu_problem.h"
#include "worker/engine/gpu/nvml.h"
#include "worker/engine/methods.h"

namespace tilescope::worker {

/// What a device child keeps from call to call.
class GpuSession {
 public:
  explicit GpuSession(int ordinal);
  const Gpu& gpu() const { return *gpu_; }
  void set_time_limit(double seconds) { gpu_->set_time_limit(seconds); }
  const Nvml* nvml() const { return nvml_.get(); }
  /// Operands and reference, made anew (with fresh random data) if the problem is another one.
  GpuProblem& problem(const Problem& problem);
  /// The library, ready for the session's problem, and its fastest candidate; null if there is
  /// none. Asked after problem().
  const CublasLt* library();
  /// Why library() is null, in a sentence.
  const std::string& why_no_library() const { return why_no_library_; }
  int library_candidate() const { return candidate_; }

 private:
  void choose_candidate();
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<GpuTools> tools_;
  std::unique_ptr<GpuProblem> problem_;
  std::unique_ptr<CublasLt> library_;
  std::string why_no_library_;
  bool library_opened_ = false, library_ready_ = false;
  int candidate_ = -1;
};

struct MeasureOptions {
  int ordinal = 0;
  double seconds = 2;      // of taking samples
  double time_limit = 10;  // seconds of one launch
  bool library = true;
  bool only_verify = false;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const MeasureResult&)> progress;
  std::function<void(std::string sentence)> remark;  // what is left out, and why
};

/// A wrong result is not timed: `verified->ok` is then false and `tflops` empty.
MeasureResult measure(GpuSession& session, const KernelRequest& request, const KernelEntry& kernel,
                      const Code& code, const MeasureOptions& options);

}  // namespace tilescope::worker
