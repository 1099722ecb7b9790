// Copies by boxes and the mbarriers that they report to: inline PTX, one function per instruction.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/tensor_maps.h"

namespace tilescope {

/// `arrivals`: how many end a phase. One thread; the others see it after the next barrier.
__device__ __forceinline__ void mbarrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
/// Those that were made, for the copies' engine too.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Arrives, and says how many bytes the phase has to wait for.
__device__ __forceinline__ void mbarrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// What this thread has stored in shared memory is seen by copies and products, too, that whoever
/// it tells of it starts.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Waits until the phase of this parity has ended. Of a fresh barrier the phase before its first,
/// 1, counts as ended.
__device__ __forceinline__ void mbarrier_wait(unsigned barrier, int parity) {
  asm volatile(
      "{\n.reg .pred ended;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n@!ended bra AGAIN;\n}\n" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}

/// How many registers the threads of a warpgroup have from here on: all of it, at the same place.
template <int Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

/// One box, from (along, line) of the matrix on, to shared memory; its bytes are told to a barrier.
__device__ __forceinline__ void copy_box(unsigned to, const TensorMap& map, BoxPlace at,
                                         unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(at.along), "r"(at.line), "r"(barrier)
      : "memory");
}

/// The same to several CTAs of a cluster, a bit of `ctas` for each rank: to the same place in each
/// one's memory, and told to each one's barrier.
__device__ __forceinline__ void copy_box_to(int ctas, unsigned to, const TensorMap& map,
                                            BoxPlace at, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(at.along), "r"(at.line), "r"(barrier), "h"(static_cast<short>(ctas))
      : "memory");
}

/// A box of shared memory to (along, line) of the matrix; of what lies outside nothing is stored.
/// C is not read again: it is the first to leave the L2, not A and B.
__device__ __forceinline__ void send_box(const TensorMap& map, BoxPlace at, unsigned from) {
  // What createpolicy.fractional.L2::evict_first makes of 1.0; as a constant it takes no register.
  constexpr unsigned long long kEvictFirst = 0x12f0000000000000;
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint "
      "[%0, {%1, %2}], [%3], %4;" ::"l"(&map),
      "r"(at.along), "r"(at.line), "r"(from), "l"(kEvictFirst)
      : "memory");
}
__device__ __forceinline__ void commit_boxes() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all but the last Pending groups that this thread has sent have been read.
template <int Pending>
__device__ __forceinline__ void wait_boxes_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// An operand's tile of a slice, to a stage of the ring: all boxes of it, or of one part those that
/// `ctas` need. `at`: [outer, k] of the tile's first element in the matrix. One thread.
template <KernelPlan P, Operand O>
__device__ __forceinline__ void copy_boxes(unsigned stage, const TensorMap& map, Coord at,
                                           unsigned barrier, int part = 0, int ctas = 1) {
  constexpr CopyMap kMap = copy_of(P, O);
  constexpr SharedTile kTile = shared_of(P, O);
  // Many boxes, as of tiles without swizzle, would hold more addresses than a producer has
  // registers.
  constexpr int kAtOnce = kMap.part_chunks() <= 4 ? kMap.part_chunks() : 1;
#pragma unroll kAtOnce
  for (int i = 0; i < kMap.part_chunks(); ++i) {
    const Coord in_tile = copy_coord(kMap, 0, part * kMap.part_chunks() + i);
    const int offset = kTile.offset + plain_offset(kTile, in_tile.row, in_tile.col);
    const BoxPlace from = box_place(kMap, at + in_tile);
    if constexpr (kMap.shared_by > 1) {
      copy_box_to(ctas, stage + offset, map, from, barrier);
    } else {
      copy_box(stage + offset, map, from, barrier);
    }
  }
}

}  // namespace tilescope
