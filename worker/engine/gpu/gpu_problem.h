// One problem on a GPU: fresh random operands, the double-precision reference, the comparison.
#pragma once
#include <memory>
#include <optional>

#include "kernels/common/args.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/emulate/operands.h"
#include "worker/engine/gpu/gpu.h"
#include "worker/engine/gpu/gpu_kernels.h"
#include "worker/engine/gpu/l2_flush.h"
#include "worker/engine/gpu/vendor_library.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// The worker's own kernels (gpu_kernels.h), loaded.
class GpuTools {
 public:
  explicit GpuTools(const Gpu& gpu);
  void fill(cuda::DevicePointer to, const Problem& problem, Operand operand,
            const DataSpec& data) const;
  void fill(const GpuFill& fill) const;
  void fill_bias(cuda::DevicePointer to, const Problem& problem, const DataSpec& data) const;
  void reference(const GpuReference& reference) const;
  /// `c` and `bias` are not read where the problem has none.
  void reference(const Problem& problem, cuda::DevicePointer a, cuda::DevicePointer b,
                 cuda::DevicePointer c, cuda::DevicePointer bias, cuda::DevicePointer out) const;
  /// [m, n]; `square`: what elements' squares usually are.
  /// Enqueues a copy of lines of bytes, a multiple of 2; addresses and pitches are, too.
  void place(const GpuLines& from, const GpuLines& to, size_t bytes, size_t lines,
             cuda::Stream stream) const;
  Verification compare(const GpuMatrix& out, int m, int n, cuda::DevicePointer reference,
                       double tolerance, double square) const;
  Verification compare(const Problem& problem, cuda::DevicePointer reference,
                       cuda::DevicePointer out, double tolerance) const;

 private:
  static constexpr unsigned kBlocks = 1024, kThreads = 256;
  const Gpu& gpu_;
  std::unique_ptr<GpuModule> module_;
  cuda::Function fill_ = nullptr, reference_ = nullptr, compare_ = nullptr, place_ = nullptr;
  GpuBuffer partials_;
};

/// What a block of ts_compare has found, of a C of so many columns.
ComparedSums compared_sums(const GpuPartial& part, int cols);

/// An operand in its buffer, for the worker's own kernels.
GpuMatrix gpu_matrix(const Problem& p, Operand o, uint64_t buffer);

class GpuProblem {
 public:
  /// Fails with exit code 3 if the card's memory does not suffice, before anything is allocated.
  GpuProblem(const Gpu& gpu, const GpuTools& tools, const Problem& problem, const DataSpec& data);

  const Problem& problem() const { return problem_; }
  cuda::DevicePointer a() const { return a_.address(); }
  cuda::DevicePointer b() const { return b_.address(); }
  cuda::DevicePointer c() const { return c_.address(); }
  cuda::DevicePointer bias() const { return bias_.address(); }  // 0 if there is none
  BufferAddresses addresses() const { return {.a = a(), .b = b(), .c = c(), .bias = bias()}; }
  LibraryOperands library_operands() const {
    return {a(), b(), c(), workspace_.address(), bias(), gpu_.stream()};
  }
  /// C as it must be before a run: NaN everywhere, or the matrix that beta multiplies.
  void reset_c() const;
  Verification verify(double tolerance) const;
  /// So that nothing of A, B, C stays in the L2.
  const L2Flush& l2_flush() const { return *flush_; }
  static double needed_bytes(const Problem& problem, int l2_bytes);

 private:
  const Gpu& gpu_;
  const GpuTools& tools_;
  Problem problem_;
  GpuBuffer a_, b_, c_, bias_, c_before_, reference_, workspace_;
  std::optional<L2Flush> flush_;
};

}  // namespace tilescope::worker
