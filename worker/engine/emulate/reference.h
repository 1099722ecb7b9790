// alpha·A·B + beta·C in double precision, for any part of C.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "worker/engine/emulate/operands.h"

namespace tilescope::worker {

struct ReferenceInput {
  const Problem* problem = nullptr;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* c = nullptr;     // before the run; may be null if beta is 0
  const std::byte* bias = nullptr;  // may be null if the problem has none
};

/// Row-major [rect.rows, rect.cols]. Products of halves or floats are exact in double, and so are
/// sums to 29 bits more than a float holds: the result stands for the exact one. A and B may be
/// doubles.
void reference(const ReferenceInput& input, const Rect& rect, std::span<double> out);

}  // namespace tilescope::worker
