// C of a launch whose sheet says that it is a GEMM, against double precision.
#pragma once
#include <atomic>
#include <cstddef>
#include <vector>

#include "core/layout/problem.h"
#include "core/sheet/launch_sheet.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

class SheetGemm {
 public:
  /// Before the run, of whose buffers it keeps C if the kernel reads that. Throws
  /// sheet::SheetError, as prepare_sheet() does.
  SheetGemm(const sheet::LaunchSheet& sheet, EmulatedLaunch& launch);

  /// After the run. Products and sums that the kernel does in 16 bits are given more room.
  GemmVerdict verdict(EmulatedLaunch& launch, const emulator::Counts& counts, int threads,
                      const std::atomic<bool>* cancelled) const;
  const Problem& problem() const { return problem_; }

 private:
  std::vector<std::string> right_layouts(EmulatedLaunch& launch, double tolerance) const;

  sheet::GemmSheet gemm_;
  Problem problem_;
  std::vector<std::byte> c_before_;
};

/// Of a sheet with a gemm; C is as long as its buffer.
Problem problem_of(const sheet::LaunchSheet& sheet);

}  // namespace tilescope::worker
