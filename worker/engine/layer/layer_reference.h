// A layer on one rank in double precision: nothing is rounded between its steps.
#pragma once
#include <vector>

#include "core/workload/workload.h"
#include "worker/engine/emulate/verify.h"

namespace tilescope::worker {

class LayerReference {
 public:
  /// `one`: make_workload() of the layer with one rank and one chunk.
  LayerReference(const workload::Workload& one, uint64_t seed, int threads);

  /// Adds a rank's part of a matrix of `w`, whose expected_matrix() is `expected`, to a comparison.
  void compare(const workload::Workload& w, int matrix, int rank, int expected,
               const std::byte* part, Comparison& to) const;
  static double bytes(const workload::Workload& one);  // that it takes

 private:
  void multiply(const workload::Step& step, int threads);
  void sum_columns(const workload::Step& step);
  const workload::Workload& one_;
  std::vector<std::vector<double>> values_;  // row-major, by matrix
};

}  // namespace tilescope::worker
