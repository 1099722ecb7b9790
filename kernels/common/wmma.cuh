// WMMA's m16n16k16 as inline PTX. The orders of the operands are part of an instruction's name.
#pragma once
#include "core/layout/problem.h"

namespace tilescope {

// Eight registers of a fragment, from and to shared memory; `stride` elements per line.
#define TILESCOPE_WMMA_LOAD(operand, order)                                              \
  asm volatile("wmma.load." operand ".sync.aligned." order                               \
               ".m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"       \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), \
                 "=r"(r[6]), "=r"(r[7])                                                  \
               : "r"(address), "r"(stride)                                               \
               : "memory")
template <Operand O, Order Lines>
__device__ __forceinline__ void wmma_load(unsigned (&r)[8], unsigned address, int stride) {
  if constexpr (O == Operand::a && Lines == Order::row_major) {
    TILESCOPE_WMMA_LOAD("a", "row");
  } else if constexpr (O == Operand::a) {
    TILESCOPE_WMMA_LOAD("a", "col");
  } else if constexpr (Lines == Order::row_major) {
    TILESCOPE_WMMA_LOAD("b", "row");
  } else {
    TILESCOPE_WMMA_LOAD("b", "col");
  }
}
#undef TILESCOPE_WMMA_LOAD

/// c[8] += a[8] · b[8], halves in, floats out.
#define TILESCOPE_WMMA(order_a, order_b)                                                       \
  asm volatile("wmma.mma.sync.aligned." order_a "." order_b                                    \
               ".m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, " \
               "%13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "                    \
               "{%0, %1, %2, %3, %4, %5, %6, %7};"                                             \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),       \
                 "+f"(c[6]), "+f"(c[7])                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]),  \
                 "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]),  \
                 "r"(b[6]), "r"(b[7]))
template <Order A, Order B>
__device__ __forceinline__ void wmma_mma(float (&c)[8], const unsigned (&a)[8],
                                         const unsigned (&b)[8]) {
  if constexpr (A == Order::row_major && B == Order::row_major) {
    TILESCOPE_WMMA("row", "row");
  } else if constexpr (A == Order::row_major) {
    TILESCOPE_WMMA("row", "col");
  } else if constexpr (B == Order::row_major) {
    TILESCOPE_WMMA("col", "row");
  } else {
    TILESCOPE_WMMA("col", "col");
  }
}
#undef TILESCOPE_WMMA

#define TILESCOPE_WMMA_STORE(order)                                                                \
  asm volatile("wmma.store.d.sync.aligned." order                                                  \
               ".m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"r"(address), \
               "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]),        \
               "f"(c[7]), "r"(stride)                                                              \
               : "memory")
template <Order Lines>
__device__ __forceinline__ void wmma_store(unsigned address, const float (&c)[8], int stride) {
  if constexpr (Lines == Order::row_major) {
    TILESCOPE_WMMA_STORE("row");
  } else {
    TILESCOPE_WMMA_STORE("col");
  }
}
#undef TILESCOPE_WMMA_STORE

}  // namespace tilescope
