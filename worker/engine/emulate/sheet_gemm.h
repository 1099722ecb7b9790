// C of a launch whose sheet says that it is a GEMM, against double precision.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "core/sheet/launch_sheet.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/operands.h"
#include "worker/messages/messages_run.h"

namespace tilescope::worker {

/// How a kernel rounds, which says how far off a right C may be.
struct GemmRounding {
  bool tensor_cores = false;
  bool in_16_bits = false;  // products and sums
};
GemmRounding rounding_of(const emulator::Counts& counts);
/// Of an entry that was not run: by what it may execute.
GemmRounding rounding_of(const emulator::Program& program, const std::string& entry);

/// The matrices, each as long as its buffer.
struct GemmMatrices {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* c_before = nullptr;  // may be null if beta is 0
  const std::byte* c = nullptr;         // after the run
};
/// Makes alpha·A·B + beta·C of a rectangle: [rect.rows, rect.cols], row-major.
using ExactPart = std::function<void(const Rect& rect, std::span<double> out)>;

/// C against `exact`, or where that is empty, against what is computed of A and B here. The verdict
/// names no other layout.
GemmVerdict compare_gemm(const Problem& problem, const GemmMatrices& matrices,
                         const GemmRounding& rounding, const ExactPart& exact, int threads,
                         const std::atomic<bool>* cancelled);
/// For which other orders of its matrices a wrong C would be right: "TN or NT with a column-major
/// C"; empty: for none.
std::string right_layouts(const Problem& problem, const GemmMatrices& matrices,
                          const GemmRounding& rounding);

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
  sheet::GemmSheet gemm_;
  Problem problem_;
  std::vector<std::byte> c_before_;
};

/// Of a sheet with a gemm; C is as long as its buffer.
Problem problem_of(const sheet::LaunchSheet& sheet);

}  // namespace tilescope::worker
