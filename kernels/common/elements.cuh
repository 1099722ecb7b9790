// Loads and stores a few neighbouring elements of C by one access: f32 or f16 in global memory,
// floats in registers.
#pragma once
#include "core/layout/element_type.h"
#include "kernels/common/vector.cuh"

namespace tilescope {

__device__ __forceinline__ float half_to_float(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ __forceinline__ unsigned short float_to_half(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
/// Two halves in one register, the first in the low half.
__device__ __forceinline__ unsigned floats_to_halves(float low, float high) {
  unsigned bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}

/// Width elements, 16 bytes at most, aligned to their size.
template <ElementType Type, int Width>
__device__ __forceinline__ void store_elements(unsigned long long to, const float (&v)[Width]) {
  if constexpr (Type == ElementType::f32) {
    store_global(to, v);
  } else if constexpr (Width == 1) {
    asm volatile("st.global.b16 [%0], %1;" ::"l"(to), "h"(float_to_half(v[0])) : "memory");
  } else {
    unsigned packed[Width / 2];
#pragma unroll
    for (int i = 0; i < Width / 2; ++i) packed[i] = floats_to_halves(v[2 * i], v[2 * i + 1]);
    store_global(to, packed);
  }
}
template <ElementType Type, int Width>
__device__ __forceinline__ void load_elements(float (&v)[Width], unsigned long long from) {
  if constexpr (Type == ElementType::f32) {
    load_global(v, from);
  } else if constexpr (Width == 1) {
    unsigned short bits;
    asm volatile("ld.global.b16 %0, [%1];" : "=h"(bits) : "l"(from) : "memory");
    v[0] = half_to_float(bits);
  } else {
    unsigned packed[Width / 2];
    load_global(packed, from);
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      v[i] = half_to_float(static_cast<unsigned short>(packed[i / 2] >> i % 2 * 16));
    }
  }
}

}  // namespace tilescope
