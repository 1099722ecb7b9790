// 09_wmma.cuh: tensor cores by WMMA, fragments 16×16×16 loaded from padded shared memory. Warps may
// split each k slice between them; their sums meet in shared memory, from where C is stored in
// whole rows.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_async.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/wmma.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct Wmma {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {.number = 9,
            .id = "wmma",
            .title = "WMMA",
            .idea = "Tensor cores: a warp multiplies 16×16×16 tiles by one instruction",
            .types = kHalfToFloat,
            .default_types = kHalfToFloat,
            .layouts = kNN | kNT | kTN | kTT,
            .default_layout = kTN,
            .min_sm = 80};
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 32, 64, 128);
    s.add(TileFieldId::block_n, 128, 32, 64, 128);
    s.add(TileFieldId::block_k, 64, 32, 64);
    s.add(TileFieldId::warp_m, 64, 16, 32, 64);
    s.add(TileFieldId::warp_n, 64, 16, 32, 64);
    s.add(TileFieldId::warps_k, 1, 1, 2);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return check_warps(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    return specialize(p, tile.block_m, tile.block_n, tile.block_k);
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.spec = s;
    k.atom = make_mma({.kind = MmaKind::wmma,
                       .m = 16,
                       .n = 16,
                       .k = 16,
                       .order_a = s.order_a,
                       .order_b = s.order_b});
    set_warps(k, tile);
    k.copy_a =
        async_copy(k.block_m, k.block_k, s.width_a, 2, s.order_a == Order::row_major, k.threads);
    k.copy_b =
        async_copy(k.block_n, k.block_k, s.width_b, 2, s.order_b == Order::column_major, k.threads);
    set_ring(k, padded_tile(k.copy_a), padded_tile(k.copy_b), 1);
    k.load_a = {.kind = LoadKind::wmma, .transposed = !k.copy_a.k_contiguous, .width = 2};
    k.load_b = {.kind = LoadKind::wmma, .transposed = !k.copy_b.k_contiguous, .width = 2};
    k.syncs.add({.kind = SyncKind::copy_wait});
    k.syncs.add({.kind = SyncKind::cta_barrier, .count = 2});  // copied; multiplied
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::after_slices});
    // The sums of each part of k lie one after the other, where A and B were.
    k.epilogue = {.kind = EpilogueKind::shared,
                  .width = s.width_c,
                  .map = {.kind = CopyKind::staged,
                          .outer = k.block_m,
                          .depth = k.block_n,
                          .width = s.width_c,
                          .bytes = 4,
                          .k_contiguous = s.order_c == Order::row_major,
                          .threads = k.threads}};
    const SharedTile c = padded_tile(k.epilogue.map);
    add_region(k, {RegionKind::c, Phase::epilogue, c, k.warps_k, c.size_bytes()});
    return k;
  }

 private:
  /// 16 bytes more a line: fragments are read down the lines, which would meet in few banks.
  static constexpr SharedTile padded_tile(const CopyMap& map) {
    SharedTile tile = plain_tile(map);
    tile.pitch += 16;
    return tile;
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void wmma(const GemmArgs& args) {
  constexpr KernelPlan P = Wmma::tile_plan(T, S);
  constexpr MmaAtom kAtom = P.atom;
  constexpr int kMmasM = mmas_m(P), kMmasN = mmas_n(P), kMmasK = mmas_k(P);
  constexpr SharedRegion kSums = region_of(P, RegionKind::c);
  // A [block_m, block_k] half, then B [block_k, block_n] half, lines as in global memory and
  // padded; after the last slice the sums in the same bytes, [warps_k][block_m, block_n] float.
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned base = shared_address(shared);

  const Coord block = this_block_tile(1);
  const int first_m = block.row * P.block_m, first_n = block.col * P.block_n;
  const int warp = threadIdx.x / 32;
  const Coord warp_at = warp_origin(P, warp);
  const int warp_k = warp_k_origin(P, warp);

  SliceCopy<P.copy_a, P.shared_a(), S.edge_m, S.edge_k> copy_a(args.a, args.lda, first_m, args.m);
  SliceCopy<P.copy_b, P.shared_b(), S.edge_n, S.edge_k> copy_b(args.b, args.ldb, first_n, args.n);
  float acc[kMmasM][kMmasN][8] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_a.issue(k0, args.k, base);
    copy_b.issue(k0, args.k, base);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kMmasK; ++kk) {
      const int k = warp_k + kk * kAtom.k;
      unsigned a[kMmasM][8], b[kMmasN][8];
#pragma unroll
      for (int mi = 0; mi < kMmasM; ++mi) {
        wmma_load<Operand::a, S.order_a>(
            a[mi], base + shared_offset(P.shared_a(), warp_at.row + mi * kAtom.m, k),
            P.shared_a().pitch / 2);
      }
#pragma unroll
      for (int ni = 0; ni < kMmasN; ++ni) {
        wmma_load<Operand::b, S.order_b>(
            b[ni], base + shared_offset(P.shared_b(), warp_at.col + ni * kAtom.n, k),
            P.shared_b().pitch / 2);
      }
#pragma unroll
      for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
        for (int ni = 0; ni < kMmasN; ++ni) {
          wmma_mma<S.order_a, S.order_b>(acc[mi][ni], a[mi], b[ni]);
        }
      }
    }
    __syncthreads();
  }

  const int part = part_of_warp(P, warp);
#pragma unroll
  for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
    for (int ni = 0; ni < kMmasN; ++ni) {
      const Coord at = warp_at + mma_origin(P, mi, ni);
      wmma_store<S.order_c>(base + shared_offset(kSums.tile, at.row, at.col) + part * kSums.stride,
                            acc[mi][ni], kSums.tile.pitch / 4);
    }
  }
  __syncthreads();
#pragma unroll 4
  for (int i = 0; i < P.epilogue.map.iterations(); ++i) {
    const Coord at = copy_coord(P.epilogue.map, threadIdx.x, i);
    if (!P.epilogue.map.even() && (at.row >= P.block_m || at.col >= P.block_n)) break;
    const int row = first_m + at.row, col = first_n + at.col;
    if ((S.edge_m && row >= args.m) || (S.edge_n && col >= args.n)) continue;
    const unsigned char* from = shared + shared_offset(kSums.tile, at.row, at.col);
    Floats<S.width_c> sum = load_floats<S.width_c>(from);
#pragma unroll
    for (int p = 1; p < P.warps_k; ++p) {
      const Floats<S.width_c> more = load_floats<S.width_c>(from + p * kSums.stride);
#pragma unroll
      for (int e = 0; e < S.width_c; ++e) sum.value[e] += more.value[e];
    }
    store_c<S>(args, row, col, sum.value);
  }
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A missing barrier: wrong result or race
-  __syncthreads();
 #pragma unroll 4
*/
