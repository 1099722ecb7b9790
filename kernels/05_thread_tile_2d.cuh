// 05_thread_tile_2d.cuh: each thread keeps thread_m × thread_n elements of C in registers, so that
// a value loaded from shared memory is used thread_n (or thread_m) times.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/thread_tile.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_staged.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct ThreadTile2d {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {.number = 5,
            .id = "thread_tile_2d",
            .title = "2-D thread tile",
            .idea = "Registers hold a tile of C: each shared value is used many times",
            .type_a = ElementType::f32,
            .type_b = ElementType::f32,
            .type_c = ElementType::f32,
            .layouts = kNN | kNT | kTN | kTT,
            .default_layout = kTT,
            .min_sm = 50};
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 128, 16, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 8, 4, 8, 16, 32);
    s.add(TileFieldId::thread_m, 8, 1, 2, 4, 8, 16);
    s.add(TileFieldId::thread_n, 8, 1, 2, 4, 8, 16);
    s.add(TileFieldId::raster, 1, 1, 2, 4, 8, 16);
    return s;
  }
  // Every offered thread tile divides every offered block tile.
  static constexpr Violation rules(const TileConfig&) { return {}; }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    s.width_c = min_of(s.width_c, min_of(tile.thread_n, 4));
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    // A thread's rows come in runs of up to 4, a 16-byte load.
    const ThreadTile threads{.threads_m = tile.block_m / tile.thread_m,
                             .threads_n = tile.block_n / tile.thread_n,
                             .thread_m = tile.thread_m,
                             .thread_n = tile.thread_n,
                             .run_m = min_of(tile.thread_m, 4),
                             .run_n = min_of(tile.thread_n, 4)};
    KernelPlan k;
    k.spec = s;
    k.block_m = k.warp_m = tile.block_m, k.block_n = k.warp_n = tile.block_n;
    k.block_k = tile.block_k;
    k.threads = threads.threads_m * threads.threads_n;
    k.atom = thread_tile_atom(threads);
    k.copy_a = staged_copy(k.block_m, k.block_k, s.width_a, s.order_a == Order::row_major, k);
    k.copy_b = staged_copy(k.block_n, k.block_k, s.width_b, s.order_b == Order::column_major, k);
    set_ring(k, shared_tile(k.block_m, k.block_k, k.copy_a.k_contiguous),
             shared_tile(k.block_n, k.block_k, k.copy_b.k_contiguous), 1);
    k.load_a = {.kind = LoadKind::lds, .width = threads.run_m};
    k.load_b = {.kind = LoadKind::lds, .width = threads.run_n};
    // Copied, then all may read; read, then all may copy.
    k.syncs.add({.kind = SyncKind::cta_barrier, .count = 2});
    k.epilogue.width = s.width_c;
    return k;
  }

 private:
  static constexpr CopyMap staged_copy(int outer, int depth, int width, bool k_contiguous,
                                       const KernelPlan& k) {
    return {.kind = CopyKind::staged,
            .outer = outer,
            .depth = depth,
            .width = width,
            .bytes = 4,
            .k_contiguous = k_contiguous,
            .threads = k.threads};
  }
  /// Shared memory holds both operands with k as the line, so a thread's values lie side by side.
  /// Copies that run along k are turned on the way; 16 bytes of padding spread those stores over
  /// the banks and keep 16-byte loads aligned.
  static constexpr SharedTile shared_tile(int outer, int depth, bool turned) {
    return {.present = true,
            .outer = outer,
            .depth = depth,
            .bytes_per_element = 4,
            .k_contiguous = false,
            .panel = outer,
            .pitch = outer * 4 + (turned ? 16 : 0)};
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void thread_tile_2d(const GemmArgs& args) {
  constexpr KernelPlan P = ThreadTile2d::tile_plan(T, S);
  constexpr int kRunM = P.load_a.width, kRunN = P.load_b.width;
  extern __shared__ __align__(1024) unsigned char shared[];  // one stage: A then B

  const Coord block = this_block_tile(T.raster);
  const int first_m = block.row * P.block_m, first_n = block.col * P.block_n;
  const Coord mine = thread_coord(P.atom.c, threadIdx.x);
  const unsigned char* my_a = shared + shared_offset(P.shared_a(), mine.row, 0);
  const unsigned char* my_b = shared + shared_offset(P.shared_b(), mine.col, 0);

  // Two k of a large thread tile hide the loop's own work; more only take longer to compile.
  constexpr int kUnroll = T.thread_m * T.thread_n > 64 ? 2 : 8;
  float acc[T.thread_m * T.thread_n] = {};  // [thread_m, thread_n]
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a(), S.edge_m, S.edge_k>(
        global_pointer<const float>(args.a), args.lda, first_m, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b(), S.edge_n, S.edge_k>(
        global_pointer<const float>(args.b), args.ldb, first_n, args.n, k0, args.k, shared);
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < P.block_k; ++k) {
      Floats<kRunM> a[T.thread_m / kRunM];
      Floats<kRunN> b[T.thread_n / kRunN];
#pragma unroll
      for (int i = 0; i < T.thread_m / kRunM; ++i) {
        const int row = value_coord(P.atom.c, i * kRunM * T.thread_n).row;
        a[i] = load_floats<kRunM>(my_a + shared_step(P.shared_a(), row, k));
      }
#pragma unroll
      for (int j = 0; j < T.thread_n / kRunN; ++j) {
        const int col = value_coord(P.atom.c, j * kRunN).col;
        b[j] = load_floats<kRunN>(my_b + shared_step(P.shared_b(), col, k));
      }
#pragma unroll
      for (int i = 0; i < T.thread_m; ++i) {
#pragma unroll
        for (int j = 0; j < T.thread_n; ++j) {
          acc[i * T.thread_n + j] += a[i / kRunM].value[i % kRunM] * b[j / kRunN].value[j % kRunN];
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int v = 0; v < T.thread_m * T.thread_n; v += S.width_c) {
    const Coord at = Coord{first_m, first_n} + mine + value_coord(P.atom.c, v);
    if ((!S.edge_m || at.row < args.m) && (!S.edge_n || at.col < args.n)) {
      store_c<S.width_c, S.reads_c>(args, at.row, at.col, acc + v);
    }
  }
}
#endif

}  // namespace tilescope
