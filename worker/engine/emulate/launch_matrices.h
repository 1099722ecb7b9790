// What the buffers of a launch of any PTX are made of: rows and columns, as its sheet says.
#pragma once
#include <string>
#include <vector>

#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/origin_words.h"

namespace tilescope::worker {

struct LaunchMatrix {
  std::string name;
  uint64_t address = 0;
  uint64_t rows = 1, cols = 0;
  bool by_rows = true;
  uint32_t bytes = 1;  // of an element

  /// Row and column of a byte; row −1: it lies behind the last one.
  Coord at(uint64_t offset) const;
  uint64_t offset_of(Coord at) const;
};

/// One for each buffer, in its order. Those of a GEMM have the extents that it says; a buffer
/// without a type is a row of bytes. A launch without a sheet has rows of bytes alone.
std::vector<LaunchMatrix> launch_matrices(const LaunchRequest& request,
                                          const EmulatedLaunch& launch);
/// The buffer of an argument; −1: it is a value.
int buffer_of_argument(const EmulatedLaunch& launch, int argument);
/// For put_into_words(): of a GEMM with what belongs to A·B. `launch` and `all` must outlive it.
Matrices matrices_of(const LaunchRequest& request, const EmulatedLaunch& launch,
                     const std::vector<LaunchMatrix>& all);

}  // namespace tilescope::worker
