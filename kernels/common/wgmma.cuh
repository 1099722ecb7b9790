// wgmma of a warpgroup, both operands in shared memory: inline PTX for each n and each type.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/wgmma_shared.h"
#include "kernels/common/pointer.cuh"

namespace tilescope {

/// Before a warpgroup's first product, and where it has touched the sums since the last.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most Pending of the groups that were committed are unfinished.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
/// The compiler may not read the sums before this, nor after it take what they were before.
template <int Count>
__device__ __forceinline__ void wgmma_done(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Eight sums: their names in the text, and the operands; of an n the first n / 16 eights.
#define TILESCOPE_WGMMA_R0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define TILESCOPE_WGMMA_R1 "%8, %9, %10, %11, %12, %13, %14, %15"
#define TILESCOPE_WGMMA_R2 "%16, %17, %18, %19, %20, %21, %22, %23"
#define TILESCOPE_WGMMA_R3 "%24, %25, %26, %27, %28, %29, %30, %31"
#define TILESCOPE_WGMMA_R4 "%32, %33, %34, %35, %36, %37, %38, %39"
#define TILESCOPE_WGMMA_R5 "%40, %41, %42, %43, %44, %45, %46, %47"
#define TILESCOPE_WGMMA_R6 "%48, %49, %50, %51, %52, %53, %54, %55"
#define TILESCOPE_WGMMA_R7 "%56, %57, %58, %59, %60, %61, %62, %63"
#define TILESCOPE_WGMMA_R8 "%64, %65, %66, %67, %68, %69, %70, %71"
#define TILESCOPE_WGMMA_R9 "%72, %73, %74, %75, %76, %77, %78, %79"
#define TILESCOPE_WGMMA_R10 "%80, %81, %82, %83, %84, %85, %86, %87"
#define TILESCOPE_WGMMA_R11 "%88, %89, %90, %91, %92, %93, %94, %95"
#define TILESCOPE_WGMMA_R12 "%96, %97, %98, %99, %100, %101, %102, %103"
#define TILESCOPE_WGMMA_R13 "%104, %105, %106, %107, %108, %109, %110, %111"
#define TILESCOPE_WGMMA_R14 "%112, %113, %114, %115, %116, %117, %118, %119"
#define TILESCOPE_WGMMA_R15 "%120, %121, %122, %123, %124, %125, %126, %127"
#define TILESCOPE_WGMMA_D(i)                                                                      \
  "+f"(d[8 * i]), "+f"(d[8 * i + 1]), "+f"(d[8 * i + 2]), "+f"(d[8 * i + 3]), "+f"(d[8 * i + 4]), \
      "+f"(d[8 * i + 5]), "+f"(d[8 * i + 6]), "+f"(d[8 * i + 7])
#define TILESCOPE_WGMMA_NAMES_16 TILESCOPE_WGMMA_R0
#define TILESCOPE_WGMMA_SUMS_16 TILESCOPE_WGMMA_D(0)
#define TILESCOPE_WGMMA_NAMES_32 TILESCOPE_WGMMA_NAMES_16 ", " TILESCOPE_WGMMA_R1
#define TILESCOPE_WGMMA_SUMS_32 TILESCOPE_WGMMA_SUMS_16, TILESCOPE_WGMMA_D(1)
#define TILESCOPE_WGMMA_NAMES_64 \
  TILESCOPE_WGMMA_NAMES_32 ", " TILESCOPE_WGMMA_R2 ", " TILESCOPE_WGMMA_R3
#define TILESCOPE_WGMMA_SUMS_64 TILESCOPE_WGMMA_SUMS_32, TILESCOPE_WGMMA_D(2), TILESCOPE_WGMMA_D(3)
#define TILESCOPE_WGMMA_NAMES_96 \
  TILESCOPE_WGMMA_NAMES_64 ", " TILESCOPE_WGMMA_R4 ", " TILESCOPE_WGMMA_R5
#define TILESCOPE_WGMMA_SUMS_96 TILESCOPE_WGMMA_SUMS_64, TILESCOPE_WGMMA_D(4), TILESCOPE_WGMMA_D(5)
#define TILESCOPE_WGMMA_NAMES_128 \
  TILESCOPE_WGMMA_NAMES_96 ", " TILESCOPE_WGMMA_R6 ", " TILESCOPE_WGMMA_R7
#define TILESCOPE_WGMMA_SUMS_128 TILESCOPE_WGMMA_SUMS_96, TILESCOPE_WGMMA_D(6), TILESCOPE_WGMMA_D(7)
#define TILESCOPE_WGMMA_NAMES_160 \
  TILESCOPE_WGMMA_NAMES_128 ", " TILESCOPE_WGMMA_R8 ", " TILESCOPE_WGMMA_R9
#define TILESCOPE_WGMMA_SUMS_160 \
  TILESCOPE_WGMMA_SUMS_128, TILESCOPE_WGMMA_D(8), TILESCOPE_WGMMA_D(9)
#define TILESCOPE_WGMMA_NAMES_192 \
  TILESCOPE_WGMMA_NAMES_160 ", " TILESCOPE_WGMMA_R10 ", " TILESCOPE_WGMMA_R11
#define TILESCOPE_WGMMA_SUMS_192 \
  TILESCOPE_WGMMA_SUMS_160, TILESCOPE_WGMMA_D(10), TILESCOPE_WGMMA_D(11)
#define TILESCOPE_WGMMA_NAMES_224 \
  TILESCOPE_WGMMA_NAMES_192 ", " TILESCOPE_WGMMA_R12 ", " TILESCOPE_WGMMA_R13
#define TILESCOPE_WGMMA_SUMS_224 \
  TILESCOPE_WGMMA_SUMS_192, TILESCOPE_WGMMA_D(12), TILESCOPE_WGMMA_D(13)
#define TILESCOPE_WGMMA_NAMES_256 \
  TILESCOPE_WGMMA_NAMES_224 ", " TILESCOPE_WGMMA_R14 ", " TILESCOPE_WGMMA_R15
#define TILESCOPE_WGMMA_SUMS_256 \
  TILESCOPE_WGMMA_SUMS_224, TILESCOPE_WGMMA_D(14), TILESCOPE_WGMMA_D(15)

/// sums = A · B + (keep ? sums : 0) of one instruction, 32 bytes deep. `a`, `b`: descriptors. An
/// operand whose lines run across k is turned, if it has 16 bits.
template <int N, ElementType TypeA, ElementType TypeB, bool TurnA, bool TurnB>
struct Wgmma;

#define TILESCOPE_WGMMA(N, TYPE, A, B, KEEP, TURN_A, TURN_B)                                   \
  template <bool TurnA, bool TurnB>                                                            \
  struct Wgmma<N, ElementType::TYPE, ElementType::TYPE, TurnA, TurnB> {                        \
    static __device__ __forceinline__ void add(float (&d)[N / 2], unsigned long long a,        \
                                               unsigned long long b, int keep) {               \
      asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #KEEP                            \
                   ", 0;\n"                                                                    \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." #TYPE "." #TYPE           \
                   " {" TILESCOPE_WGMMA_NAMES_##N "}, %" #A ", %" #B ", keep, 1, 1, %" #TURN_A \
                                                  ", %" #TURN_B ";\n}"                         \
                   : TILESCOPE_WGMMA_SUMS_##N                                                  \
                   : "l"(a), "l"(b), "r"(keep), "n"(TurnA ? 1 : 0), "n"(TurnB ? 1 : 0));       \
    }                                                                                          \
  };
#define TILESCOPE_WGMMA_ALONG_K(N, TYPE_A, TYPE_B, DEPTH, A, B, KEEP)                            \
  template <>                                                                                    \
  struct Wgmma<N, ElementType::TYPE_A, ElementType::TYPE_B, false, false> {                      \
    static __device__ __forceinline__ void add(float (&d)[N / 2], unsigned long long a,          \
                                               unsigned long long b, int keep) {                 \
      asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #KEEP                              \
                   ", 0;\n"                                                                      \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k" #DEPTH ".f32." #TYPE_A "." #TYPE_B \
                   " {" TILESCOPE_WGMMA_NAMES_##N "}, %" #A ", %" #B ", keep, 1, 1;\n}"          \
                   : TILESCOPE_WGMMA_SUMS_##N                                                    \
                   : "l"(a), "l"(b), "r"(keep));                                                 \
    }                                                                                            \
  };
#define TILESCOPE_WGMMA_8(N, TYPE, A, B, KEEP, TURN_A, TURN_B) \
  TILESCOPE_WGMMA_ALONG_K(N, TYPE, e4m3, 32, A, B, KEEP)
#define TILESCOPE_WGMMA_TF32(N, TYPE, A, B, KEEP, TURN_A, TURN_B) \
  TILESCOPE_WGMMA_ALONG_K(N, TYPE, TYPE, 8, A, B, KEEP)
// n, and behind its n / 2 sums the numbers of the other operands.
#define TILESCOPE_WGMMA_EACH(DEFINE, TYPE)   \
  DEFINE(16, TYPE, 8, 9, 10, 11, 12)         \
  DEFINE(32, TYPE, 16, 17, 18, 19, 20)       \
  DEFINE(64, TYPE, 32, 33, 34, 35, 36)       \
  DEFINE(96, TYPE, 48, 49, 50, 51, 52)       \
  DEFINE(128, TYPE, 64, 65, 66, 67, 68)      \
  DEFINE(160, TYPE, 80, 81, 82, 83, 84)      \
  DEFINE(192, TYPE, 96, 97, 98, 99, 100)     \
  DEFINE(224, TYPE, 112, 113, 114, 115, 116) \
  DEFINE(256, TYPE, 128, 129, 130, 131, 132)
TILESCOPE_WGMMA_EACH(TILESCOPE_WGMMA, f16)
TILESCOPE_WGMMA_EACH(TILESCOPE_WGMMA, bf16)
TILESCOPE_WGMMA_EACH(TILESCOPE_WGMMA_8, e4m3)
TILESCOPE_WGMMA_EACH(TILESCOPE_WGMMA_8, e5m2)
TILESCOPE_WGMMA_EACH(TILESCOPE_WGMMA_TF32, tf32)

#undef TILESCOPE_WGMMA
#undef TILESCOPE_WGMMA_8
#undef TILESCOPE_WGMMA_TF32
#undef TILESCOPE_WGMMA_ALONG_K
#undef TILESCOPE_WGMMA_EACH
#undef TILESCOPE_WGMMA_D
#undef TILESCOPE_WGMMA_NAMES_16
#undef TILESCOPE_WGMMA_SUMS_16
#undef TILESCOPE_WGMMA_NAMES_32
#undef TILESCOPE_WGMMA_SUMS_32
#undef TILESCOPE_WGMMA_NAMES_64
#undef TILESCOPE_WGMMA_SUMS_64
#undef TILESCOPE_WGMMA_NAMES_96
#undef TILESCOPE_WGMMA_SUMS_96
#undef TILESCOPE_WGMMA_NAMES_128
#undef TILESCOPE_WGMMA_SUMS_128
#undef TILESCOPE_WGMMA_NAMES_160
#undef TILESCOPE_WGMMA_SUMS_160
#undef TILESCOPE_WGMMA_NAMES_192
#undef TILESCOPE_WGMMA_SUMS_192
#undef TILESCOPE_WGMMA_NAMES_224
#undef TILESCOPE_WGMMA_SUMS_224
#undef TILESCOPE_WGMMA_NAMES_256
#undef TILESCOPE_WGMMA_SUMS_256
#undef TILESCOPE_WGMMA_R0
#undef TILESCOPE_WGMMA_R1
#undef TILESCOPE_WGMMA_R2
#undef TILESCOPE_WGMMA_R3
#undef TILESCOPE_WGMMA_R4
#undef TILESCOPE_WGMMA_R5
#undef TILESCOPE_WGMMA_R6
#undef TILESCOPE_WGMMA_R7
#undef TILESCOPE_WGMMA_R8
#undef TILESCOPE_WGMMA_R9
#undef TILESCOPE_WGMMA_R10
#undef TILESCOPE_WGMMA_R11
#undef TILESCOPE_WGMMA_R12
#undef TILESCOPE_WGMMA_R13
#undef TILESCOPE_WGMMA_R14
#undef TILESCOPE_WGMMA_R15

/// The warpgroup's products of a slice that lies at a stage's shared address: in each k step one
/// for each atom along m, of rows `at.row` on and columns `at.col` on of the block tile. Of
/// elements that were split those with their rests come before, while the sums are small. `keep`: 0
/// where the sums begin anew, whatever they are.
template <KernelPlan P>
__device__ __forceinline__ void multiply_stage(float (&sums)[mmas_m(P)][P.atom.c.values()],
                                               unsigned stage, Coord at, int keep) {
  static_assert(mmas_n(P) == 1);
  constexpr SharedTile kA = P.shared_a(), kB = P.shared_b();
  constexpr unsigned long long kDescriptorA = wgmma_descriptor(kA);
  constexpr unsigned long long kDescriptorB = wgmma_descriptor(kB);
  // Whole units of a descriptor's address: constants are added behind the one of the stage.
  const unsigned long long a =
      kDescriptorA | wgmma_start(stage + kA.offset + plain_offset(kA, at.row, 0));
  const unsigned long long b =
      kDescriptorB | wgmma_start(stage + kB.offset + plain_offset(kB, at.col, 0));
#pragma unroll
  for (int product = 0; product < P.split.products(); ++product) {
    const auto rests = [&](Operand o) {
      return P.split.takes_rests(product, o) ? wgmma_start(P.split.rests) : 0;
    };
#pragma unroll
    for (int step = 0; step < mmas_k(P); ++step) {
#pragma unroll
      for (int mi = 0; mi < mmas_m(P); ++mi) {
        using Product =
            Wgmma<P.atom.n, P.atom.type_a, P.atom.type_b, !kA.k_contiguous, !kB.k_contiguous>;
        const auto of_a = a + wgmma_start(plain_offset(kA, mi * P.atom.m, step * P.atom.k));
        const auto of_b = b + wgmma_start(plain_offset(kB, 0, step * P.atom.k));
        Product::add(sums[mi], of_a + rests(Operand::a), of_b + rests(Operand::b),
                     product == 0 && step == 0 ? keep : 1);
      }
    }
  }
}

}  // namespace tilescope
