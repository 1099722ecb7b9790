// Samples of a kernel and of the library in turns, and the figures that follow from them: of
// kernels of the ladder and of anybody's own alike (docs/measuring.md).
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/engine/gpu/gpu_session.h"
#include "worker/engine/gpu/sampler.h"

namespace tilescope::worker {

struct MeasureOptions {
  int ordinal = 0;
  double seconds = 2;      // of taking samples
  double rest = 3;         // idle time between samples, as a multiple of the time that they took
  double time_limit = 10;  // seconds of one launch
  bool library = true;
  bool only_verify = false;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const MeasureResult&)> progress;
  std::function<void(std::string sentence)> remark;  // what is left out, and why

  /// Throws if somebody has cancelled.
  void check_cancelled() const;
  void say(const std::string& sentence) const {
    if (remark) remark(sentence);
  }
};

/// Who measures, and when.
MeasureResult measured_here(const GpuSession& session, int ordinal);

/// Times a kernel and puts the figures into the result, in turns with the library of the session's
/// problem if there is something for it to work on. `flops`: of a launch; 0: it has no TFLOPS.
/// Fails as GpuEvent::wait() does.
void time_launches(GpuSession& session, const L2Flush& flush, const Timed& kernel, double flops,
                   const std::optional<LibraryOperands>& library, const MeasureOptions& options,
                   MeasureResult& result);

}  // namespace tilescope::worker
