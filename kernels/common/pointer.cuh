// Addresses of global memory as pointers, and pointers to shared memory as addresses.
#pragma once

namespace tilescope {

/// The compiler learns that it is global memory: it would take a plain cast for a generic address.
template <class T>
__device__ __forceinline__ T* global_pointer(unsigned long long address) {
  return static_cast<T*>(__cvta_global_to_generic(address));
}

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
/// One float. Plain loads of neighbours the compiler would join to a wider one.
__device__ __forceinline__ float load_shared(unsigned address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

}  // namespace tilescope
