// Addresses of global memory as pointers, and pointers to shared memory as addresses.
#pragma once

namespace tilescope {

/// An address as a pointer of which the compiler knows that it is of global memory. Of a plain cast
/// it would not know, and load and store by slower generic instructions.
template <class T>
__device__ __forceinline__ T* global_pointer(unsigned long long address) {
  return static_cast<T*>(__cvta_global_to_generic(address));
}

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
/// Loads one float, by inline PTX: plain loads of neighbours would be joined to a wider one by the
/// compiler, and these rungs are to show what one float at a time costs.
__device__ __forceinline__ float load_shared(unsigned address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

/// Four words by one access of 16 bytes.
__device__ __forceinline__ void load_shared(unsigned (&words)[4], unsigned address) {
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void store_shared(unsigned address, const float (&v)[2]) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(v[0]), "f"(v[1]) : "memory");
}
__device__ __forceinline__ void store_shared(unsigned address, const unsigned (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

}  // namespace tilescope
