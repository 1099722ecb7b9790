// 06_vectorized.cuh: 16 bytes per access: float4 copies, both operands stored with k as the line (A
// is transposed on the way), so that a thread's fragments are read by float4 too.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/thread_tile.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_staged.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/pointer.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct Vectorized {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return float_info(6, "vectorized", "Vectorized",
                      "16 bytes per access: a quarter of the memory instructions");
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 8, 4, 8, 16, 32);
    s.add(TileFieldId::thread_m, 8, 1, 2, 4, 8, 16);
    s.add(TileFieldId::thread_n, 8, 1, 2, 4, 8, 16);
    return s;
  }
  // Every offered thread tile divides every offered block tile.
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    const int run = s.order_c == Order::row_major ? tile.thread_n : tile.thread_m;
    s.width_c = min_of(s.width_c, min_of(run, 4));
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    const ThreadTile threads{.threads_m = tile.block_m / tile.thread_m,
                             .threads_n = tile.block_n / tile.thread_n,
                             .thread_m = tile.thread_m,
                             .thread_n = tile.thread_n,
                             .run_m = min_of(tile.thread_m, 4),
                             .run_n = min_of(tile.thread_n, 4)};
    KernelPlan k;
    k.warp_m = tile.block_m, k.warp_n = tile.block_n;
    k.threads = threads.threads_m * threads.threads_n;
    k.atom = thread_tile_atom(threads);
    set_operands(k, tile, s, CopyKind::staged, 1);
    // Copied, then all may read; read, then all may copy.
    k.syncs.add({.kind = SyncKind::cta_barrier, .count = 2});
    return k;
  }
  /// Copies, ring and loads of a kernel whose atoms have runs of up to four rows and columns a
  /// thread. Asynchronous copies that turn move an element at a time.
  static constexpr void set_operands(KernelPlan& k, const TileConfig& tile, const Specialization& s,
                                     CopyKind kind, int stages) {
    k.spec = s;
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = tile.block_k;
    const bool turn_a = s.order_a == Order::row_major, turn_b = s.order_b == Order::column_major;
    const bool async = kind == CopyKind::cp_async;
    k.copy_a = {.kind = kind,
                .outer = k.block_m,
                .depth = k.block_k,
                .width = async && turn_a ? 1 : s.width_a,
                .bytes = 4,
                .k_contiguous = turn_a,
                .threads = k.threads};
    k.copy_b = k.copy_a;
    k.copy_b.outer = k.block_n, k.copy_b.k_contiguous = turn_b;
    k.copy_b.width = async && turn_b ? 1 : s.width_b;
    set_ring(k, lines_of_k(k.copy_a), lines_of_k(k.copy_b), stages);
    k.load_a = {.kind = LoadKind::lds, .width = min_of(tile.thread_m, 4)};
    k.load_b = {.kind = LoadKind::lds, .width = min_of(tile.thread_n, 4)};
    k.epilogue.width = s.width_c;
  }

 private:
  /// A thread's values lie side by side. Copies that run along k are turned on the way; 16 bytes of
  /// padding spread those stores over the banks and keep 16-byte loads aligned.
  static constexpr SharedTile lines_of_k(const CopyMap& map) {
    return {.present = true,
            .outer = map.outer,
            .depth = map.depth,
            .bytes_per_element = 4,
            .k_contiguous = false,
            .panel = map.outer,
            .pitch = map.outer * 4 + (map.k_contiguous ? 16 : 0)};
  }
};

#ifdef __CUDACC__
/// A thread's accumulators: of each atom of its warp tile those in the order of P.atom.c, which is
/// [thread_m, thread_n].
template <KernelPlan P>
using ThreadSums = float[mmas_m(P)][mmas_n(P)][P.atom.c.values()];

/// A thread's values of one operand in one k step, [atoms][values]. `mine`: its first one in k 0.
template <KernelPlan P, Operand O, int Atoms, int Values>
__device__ __forceinline__ void load_values(float (&to)[Atoms][Values], const unsigned char* mine,
                                            int k) {
  constexpr FragmentLayout kFragment = fragment_of(P.atom, O);
  constexpr int kRun = load_of(P, O).width;
#pragma unroll
  for (int atom = 0; atom < Atoms; ++atom) {
#pragma unroll
    for (int v = 0; v < Values; v += kRun) {
      const Coord at = value_coord(kFragment, v) + mma_origin(P, atom, atom);
      const int outer = O == Operand::a ? at.row : at.col;
      const Floats<kRun> run = load_floats<kRun>(mine + shared_step(shared_of(P, O), outer, k));
#pragma unroll
      for (int i = 0; i < kRun; ++i) to[atom][v + i] = run.value[i];
    }
  }
}

/// k between two jumps. Two k of a large thread tile hide the loop's own work; more only take
/// longer to compile. The compiler takes loads apart and joins them again, 64 floats of a thread at
/// a time: fewer k where that would cut one.
template <KernelPlan P>
constexpr int unrolled_k() {
  constexpr int kJoined = 64;
  constexpr int kA = mmas_m(P) * thread_m(P), kB = mmas_n(P) * thread_n(P);
  const auto cuts_a_load = [](int count) {
    for (int floats = kJoined; floats < count * (kA + kB); floats += kJoined) {
      const int in_k = floats % (kA + kB);  // A's come first
      if ((in_k < kA ? in_k % P.load_a.width : (in_k - kA) % P.load_b.width) != 0) return true;
    }
    return false;
  };
  int count = kA * kB > 64 ? 2 : 8;
  while (count > 1 && cuts_a_load(count)) count /= 2;
  return count;
}

/// Adds the k slice in `stage` to a thread's sums.
template <KernelPlan P>
__device__ __forceinline__ void multiply_stage(const unsigned char* stage, ThreadSums<P>& sums) {
  constexpr int kAtomsM = mmas_m(P), kAtomsN = mmas_n(P);
  constexpr int kM = thread_m(P), kN = thread_n(P);
  constexpr int kUnroll = unrolled_k<P>();
  const Coord mine = thread_origin(P, threadIdx.x);
  const unsigned char* my_a = stage + shared_offset(P.shared_a(), mine.row, 0);
  const unsigned char* my_b = stage + shared_offset(P.shared_b(), mine.col, 0);
#pragma unroll kUnroll
  for (int k = 0; k < P.block_k; ++k) {
    float a[kAtomsM][kM], b[kAtomsN][kN];
    load_values<P, Operand::a>(a, my_a, k);
    load_values<P, Operand::b>(b, my_b, k);
#pragma unroll
    for (int mi = 0; mi < kAtomsM; ++mi) {
#pragma unroll
      for (int i = 0; i < kM; ++i) {
#pragma unroll
        for (int ni = 0; ni < kAtomsN; ++ni) {
#pragma unroll
          for (int j = 0; j < kN; ++j) sums[mi][ni][i * kN + j] += a[mi][i] * b[ni][j];
        }
      }
    }
  }
}

/// C of the block tile whose first row and column is `at`.
template <KernelPlan P>
__device__ __forceinline__ void store_thread_sums(const GemmArgs& args, Coord at,
                                                  const ThreadSums<P>& sums) {
  const Coord mine = at + thread_origin(P, threadIdx.x);
#pragma unroll
  for (int mi = 0; mi < mmas_m(P); ++mi) {
#pragma unroll
    for (int ni = 0; ni < mmas_n(P); ++ni) {
      store_atom<P>(args, mine + mma_origin(P, mi, ni), sums[mi][ni]);
    }
  }
}

template <TileConfig T, Specialization S>
__device__ void vectorized(const GemmArgs& args) {
  constexpr KernelPlan P = Vectorized::tile_plan(T, S);
  // A [block_k, block_m] float, then B [block_k, block_n] float, whatever their order in global
  // memory.
  extern __shared__ __align__(1024) unsigned char shared[];
  const Coord first = block_origin(P, this_block_tile(1));

  ThreadSums<P> sums = {};
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a(), S.edge_m, S.edge_k>(
        global_pointer<const float>(args.a), args.lda, first.row, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
        global_pointer<const float>(args.b), args.ldb, first.col, args.n, k0, args.k, shared);
    __syncthreads();
    multiply_stage<P>(shared, sums);
    __syncthreads();
  }
  store_thread_sums<P>(args, first, sums);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A swapped index: wrong result
-  const unsigned char* my_b = stage + shared_offset(P.shared_b(), mine.col, 0);
+  const unsigned char* my_b = stage + shared_offset(P.shared_b(), mine.row, 0);
*/
