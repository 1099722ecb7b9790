// The tensor maps that a kernel takes behind its other arguments. Same text for g++, nvcc and
// NVRTC.
#pragma once
#include "core/layout/problem.h"

namespace tilescope {

/// What the driver's cuTensorMapEncodeTiled makes of a TensorBox (core/layout/tensor_box.h).
struct alignas(64) TensorMap {
  unsigned long long words[16] = {};
};
static_assert(sizeof(TensorMap) == 128);

/// Of the operands that come or go by boxes; the others are left zero.
struct TensorMaps {
  TensorMap a, b, c;
};

}  // namespace tilescope
