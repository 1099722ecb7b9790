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

/// Stores Width words (floats or 32-bit registers) to global memory by one instruction of inline
/// PTX. Of plain stores the compiler compares each with each other, to join neighbours: a quarter
/// of NVRTC's time for a tile of C.
template <int Width>
__device__ __forceinline__ void store_global(unsigned long long to, const unsigned (&v)[Width]) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  if constexpr (Width == 1) {
    asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(v[0]) : "memory");
  } else if constexpr (Width == 2) {
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(v[0]), "r"(v[1]) : "memory");
  } else {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v[0]), "r"(v[1]),
                 "r"(v[2]), "r"(v[3])
                 : "memory");
  }
}
template <int Width>
__device__ __forceinline__ void store_global(unsigned long long to, const float (&v)[Width]) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  if constexpr (Width == 1) {
    asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(v[0]) : "memory");
  } else if constexpr (Width == 2) {
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(v[0]), "f"(v[1]) : "memory");
  } else {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3])
                 : "memory");
  }
}
/// The same for loads.
template <int Width>
__device__ __forceinline__ void load_global(unsigned (&v)[Width], unsigned long long from) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  if constexpr (Width == 1) {
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(v[0]) : "l"(from) : "memory");
  } else if constexpr (Width == 2) {
    asm volatile("ld.global.v2.b32 {%0, %1}, [%2];"
                 : "=r"(v[0]), "=r"(v[1])
                 : "l"(from)
                 : "memory");
  } else {
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(from)
                 : "memory");
  }
}
template <int Width>
__device__ __forceinline__ void load_global(float (&v)[Width], unsigned long long from) {
  static_assert(Width == 1 || Width == 2 || Width == 4);
  if constexpr (Width == 1) {
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[0]) : "l"(from) : "memory");
  } else if constexpr (Width == 2) {
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];"
                 : "=f"(v[0]), "=f"(v[1])
                 : "l"(from)
                 : "memory");
  } else {
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "l"(from)
                 : "memory");
  }
}

}  // namespace tilescope
