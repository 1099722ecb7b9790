// 05_thread_tile_2d.cuh: each thread keeps thread_m × thread_n elements of C in registers, so that
// a value loaded from shared memory is used thread_n (or thread_m) times.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_staged.cuh"
#include "kernels/common/epilogue.cuh"
#else
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
#endif
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
  static constexpr Violation validate(const TileConfig& tile, const Problem& p,
                                      const DeviceLimits& device) {
    if (Violation v = check_problem(p); !v.legal()) return v;
    if (Violation v = check_types(p, ElementType::f32, ElementType::f32, ElementType::f32);
        !v.legal()) {
      return v;
    }
    if (Violation v = check_offered(sliders(), tile); !v.legal()) return v;
    // Every offered thread tile divides every offered block tile: no rule is needed for that.
    if (Violation v =
            check_launch(launch(tile, p), device, TileFieldId::thread_m, TileFieldId::block_k);
        !v.legal()) {
      return v;
    }
    return check_registers(tile.thread_m * tile.thread_n,
                           tile.thread_m + tile.thread_n + kOtherRegisters,
                           tile.block_m / tile.thread_m * (tile.block_n / tile.thread_n), device,
                           TileFieldId::thread_m);
  }
  static constexpr Launch launch(const TileConfig& tile, const Problem& p) {
    return launch_of(plan(tile, p));
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    s.width_c = min_of(s.width_c, min_of(tile.thread_n, 4));
    return s;
  }
  static constexpr KernelPlan plan(const TileConfig& tile, const Problem& p) {
    KernelPlan k = tile_plan(tile, specialization(tile, p));
    set_work(k, tile, p);
    return k;
  }
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    const int threads_m = tile.block_m / tile.thread_m, threads_n = tile.block_n / tile.thread_n;
    // A thread's rows come in runs of up to 4, a 16-byte load, spread over the block tile so that
    // neighbouring threads read neighbouring words.
    const int run_m = min_of(tile.thread_m, 4), run_n = min_of(tile.thread_n, 4);
    KernelPlan k;
    k.spec = s;
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = tile.block_k;
    k.threads = threads_m * threads_n;
    k.copy_a = {CopyKind::staged, k.block_m, k.block_k, s.width_a, 4, s.order_a == Order::row_major,
                k.threads};
    k.copy_b = {CopyKind::staged, k.block_n, k.block_k,
                s.width_b,        4,         s.order_b == Order::column_major,
                k.threads};
    k.shared_a = shared_tile(k.block_m, k.block_k, k.copy_a.k_contiguous, 0);
    k.shared_b = shared_tile(k.block_n, k.block_k, k.copy_b.k_contiguous, k.shared_a.size_bytes());
    k.stages = 1;
    k.stage_bytes = k.shared_a.size_bytes() + k.shared_b.size_bytes();
    k.thread_m = tile.thread_m, k.thread_n = tile.thread_n;
    k.thread_tile = {
        k.block_m,
        k.block_n,
        32,
        1,
        make_layout({threads_n, run_n * k.block_m}, {threads_m, run_m}),
        make_layout({run_n, k.block_m}, {tile.thread_n / run_n, run_n * threads_n * k.block_m},
                    {run_m, 1}, {tile.thread_m / run_m, run_m * threads_m})};
    k.epilogue_width = s.width_c;
    return k;
  }

 private:
  static constexpr int kOtherRegisters = 24;  // pointers, indices, the copies in flight

  /// Shared memory holds both operands with k as the line, so a thread's values lie side by side.
  /// Copies that run along k are turned on the way; 16 bytes of padding spread those stores over
  /// the banks and keep 16-byte loads aligned.
  static constexpr SharedTile shared_tile(int outer, int depth, bool turned, int offset) {
    return {true,          outer, depth, 4, false, outer, outer * 4 + (turned ? 16 : 0),
            Swizzle::none, offset};
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void thread_tile_2d(const GemmArgs& args) {
  constexpr KernelPlan P = ThreadTile2d::tile_plan(T, S);
  constexpr int kRunM = min_of(T.thread_m, 4), kRunN = min_of(T.thread_n, 4);
  extern __shared__ __align__(1024) unsigned char shared[];  // one stage: A then B

  const Raster raster{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x),
                      T.raster > 0 ? T.raster : 1};
  const Coord block = raster_tile(
      raster, launch_index(raster, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)}));
  const int first_m = block.row * P.block_m, first_n = block.col * P.block_n;
  const Coord mine = thread_coord(P.thread_tile, threadIdx.x);
  const unsigned char* my_a = shared + shared_offset(P.shared_a, mine.row, 0);
  const unsigned char* my_b = shared + shared_offset(P.shared_b, mine.col, 0);

  // Two k of a large thread tile hide the loop's own work; more only take longer to compile.
  constexpr int kUnroll = T.thread_m * T.thread_n > 64 ? 2 : 8;
  float acc[T.thread_m * T.thread_n] = {};  // [thread_m, thread_n]
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_staged<P.copy_a, P.shared_a, S.edge_m, S.edge_k>(
        static_cast<const float*>(args.a), args.lda, first_m, args.m, k0, args.k, shared);
    copy_staged<P.copy_b, P.shared_b, S.edge_n, S.edge_k>(
        static_cast<const float*>(args.b), args.ldb, first_n, args.n, k0, args.k, shared);
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < P.block_k; ++k) {
      Floats<kRunM> a[T.thread_m / kRunM];
      Floats<kRunN> b[T.thread_n / kRunN];
#pragma unroll
      for (int i = 0; i < T.thread_m / kRunM; ++i) {
        const int row = value_coord(P.thread_tile, i * kRunM * T.thread_n).row;
        a[i] = load_floats<kRunM>(my_a + shared_step(P.shared_a, row, k));
      }
#pragma unroll
      for (int j = 0; j < T.thread_n / kRunN; ++j) {
        const int col = value_coord(P.thread_tile, j * kRunN).col;
        b[j] = load_floats<kRunN>(my_b + shared_step(P.shared_b, col, k));
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
    const Coord at = Coord{first_m, first_n} + mine + value_coord(P.thread_tile, v);
    if ((!S.edge_m || at.row < args.m) && (!S.edge_n || at.col < args.n)) {
      store_c<S.width_c, S.reads_c>(args, at.row, at.col, acc + v);
    }
  }
}
#endif

}  // namespace tilescope
