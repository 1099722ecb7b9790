// What a layer's matrices should be, in double precision on a card, part by part.
#pragma once
#include <map>

#include "core/workload/workload.h"
#include "worker/engine/gpu/gpu_kernels.h"
#include "worker/engine/gpu/gpu_problem.h"

namespace tilescope::worker {

class CardReference {
 public:
  /// `one`: the layer on one rank. Given matrices and those that others are computed of are kept
  /// whole until the end.
  CardReference(const Gpu& gpu, const GpuTools& tools, const workload::Workload& one,
                uint64_t seed);
  /// Of a part of a matrix, which lies dense and row-major at `part`.
  Verification compare(int matrix, const workload::Slice& slice, cuda::DevicePointer part,
                       ElementType type);

 private:
  struct Whole {
    GpuBuffer buffer;
    GpuMatrix matrix;
  };
  const Whole& whole(int matrix);
  GpuBuffer compute(int matrix, const workload::Slice& slice);

  const Gpu& gpu_;
  const GpuTools& tools_;
  const workload::Workload& one_;
  const uint64_t seed_;
  std::map<int, Whole> wholes_;
  GpuBuffer one_word_;  // 1.0f: a row of ones that sums columns
};

}  // namespace tilescope::worker
