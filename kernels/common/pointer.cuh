// Addresses of global memory as pointers.
#pragma once

namespace tilescope {

/// The compiler learns that it is global memory: it would take a plain cast for a generic address.
template <class T>
__device__ __forceinline__ T* global_pointer(unsigned long long address) {
  return static_cast<T*>(__cvta_global_to_generic(address));
}

}  // namespace tilescope
