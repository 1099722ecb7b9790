// The parameter of column_sum; same text for g++ (host code), nvcc and NVRTC.
#pragma once
#include "core/layout/column_sum.h"

namespace tilescope {

/// `from`: address of the matrix's first element; `to`: of the sums, [parts, cols] float.
struct alignas(8) ColumnSumArgs {
  unsigned long long from = 0, to = 0;
  ColumnSum sum;
};
static_assert(sizeof(ColumnSumArgs) == 40);

}  // namespace tilescope
