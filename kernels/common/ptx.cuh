// Inline PTX, one function per instruction. No CUDA headers: they cost more compile time than
// kernels.
#pragma once
#include "core/layout/element_type.h"
#include "kernels/common/pointer.cuh"

namespace tilescope {

/// Copies Bytes (4, 8, 16) or, if !valid, writes zeros. .cg passes L1 by and exists for 16 only.
template <int Bytes>
__device__ __forceinline__ void cp_async(unsigned to, const void* from, bool valid) {
  const int source_bytes = valid ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(source_bytes));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                 "r"(source_bytes));
  }
}
/// The same for copies that are always valid, which saves a register and an instruction.
template <int Bytes>
__device__ __forceinline__ void cp_async(unsigned to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes));
  }
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
/// Waits until at most Pending of this thread's groups are unfinished.
template <int Pending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

template <bool Transposed>
__device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], unsigned address) {
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  }
}

/// c[4] += a[4] · b[2], f16 or bf16 in, floats out.
template <ElementType Type>
__device__ __forceinline__ void mma_m16n8k16(float (&c)[4], const unsigned (&a)[4],
                                             const unsigned* b) {
  if constexpr (Type == ElementType::bf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

/// The `value` of the lane whose number differs from this one's in the bits of `mask`. To be called
/// by all lanes of the warp.
__device__ __forceinline__ float shuffle_xor(float value, int mask) {
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(value), "r"(mask));
  return other;
}

/// Adds one to a counter in global memory and returns what it was before. Whoever then reads the
/// new count also sees what this CTA wrote before its last barrier (release).
__device__ __forceinline__ unsigned arrive(unsigned* counter) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter))
               : "memory");
  return before;
}
/// Waits until the counter is `count`, and then sees what was written before it (acquire).
__device__ __forceinline__ void wait_for(const unsigned* counter, unsigned count) {
  unsigned now;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(now)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
  } while (now != count);
}

__device__ __forceinline__ void store_shared_u16(unsigned address, unsigned short value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(value) : "memory");
}

}  // namespace tilescope
