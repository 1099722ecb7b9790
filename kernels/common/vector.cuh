// Float vectors by width, for accesses of 4, 8 or 16 bytes.
#pragma once

namespace tilescope {

template <int Width>
struct FloatVector;
template <>
struct FloatVector<1> {
  using Type = float;
};
template <>
struct FloatVector<2> {
  using Type = float2;
};
template <>
struct FloatVector<4> {
  using Type = float4;
};

/// Width floats in registers, moved by one access. Aligned to its size.
template <int Width>
union Floats {
  typename FloatVector<Width>::Type vector;
  float value[Width];
};

template <int Width>
__device__ __forceinline__ Floats<Width> load_floats(const void* from) {
  Floats<Width> v;
  v.vector = *static_cast<const typename FloatVector<Width>::Type*>(from);
  return v;
}
template <int Width>
__device__ __forceinline__ void store_floats(void* to, const Floats<Width>& v) {
  *static_cast<typename FloatVector<Width>::Type*>(to) = v.vector;
}

}  // namespace tilescope
