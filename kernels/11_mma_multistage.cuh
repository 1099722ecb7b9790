// 11_mma_multistage.cuh: tensor cores fed from a ring of shared-memory stages: cp.async fills the
// stages ahead while ldmatrix and mma.sync work on the present one.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_async.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/work.cuh"
#else
#include "core/layout/rules.h"
#include "kernels/common/info.h"
#endif

namespace tilescope {

struct MmaMultistage {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {.number = 11,
            .id = "mma_multistage",
            .title = "mma multi-stage",
            .idea = "Keep k slices in flight: cp.async fills a ring while tensor cores work",
            .type_a = ElementType::f16,
            .type_b = ElementType::f16,
            .type_c = ElementType::f32,
            .layouts = kTN,
            .default_layout = kTN,
            .min_sm = 80};
  }
  static constexpr Sliders sliders() {
    Sliders s;
    s.add(TileFieldId::block_m, 128, 32, 64, 128, 256);
    s.add(TileFieldId::block_n, 128, 32, 64, 128, 256);
    s.add(TileFieldId::block_k, 64, 16, 32, 64, 128);
    s.add(TileFieldId::warp_m, 64, 16, 32, 64, 128);
    s.add(TileFieldId::warp_n, 64, 16, 32, 64, 128);
    s.add(TileFieldId::stages, 3, 2, 3, 4, 5, 6, 7, 8);
    s.add(TileFieldId::raster, 8, 1, 2, 4, 8, 16, 32);
    s.add(TileFieldId::swizzle, 1, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) {
    if (Violation v = check_divides(tile, TileFieldId::block_m, TileFieldId::warp_m); !v.legal()) {
      return v;
    }
    return check_divides(tile, TileFieldId::block_n, TileFieldId::warp_n);
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    s.width_c = min_of(s.width_c, 2);  // an accumulator pair
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.spec = s;
    k.atom = mma_m16n8k16_f16_f32();
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = tile.block_k;
    k.warp_m = tile.warp_m, k.warp_n = tile.warp_n;
    k.warps_m = tile.block_m / tile.warp_m, k.warps_n = tile.block_n / tile.warp_n;
    k.threads = 32 * k.warps_m * k.warps_n;
    k.copy_a = copy(k.block_m, k.block_k, s.width_a, k.threads);
    k.copy_b = copy(k.block_n, k.block_k, s.width_b, k.threads);
    set_ring(k, shared_tile(k.block_m, k.block_k, tile.swizzle != 0),
             shared_tile(k.block_n, k.block_k, tile.swizzle != 0), tile.stages);
    k.load_a = {.kind = LoadKind::ldmatrix, .map = ldmatrix_for_a(), .register_stages = 2};
    k.load_b = {
        .kind = LoadKind::ldmatrix, .map = ldmatrix_for_b(), .atoms = 2, .register_stages = 2};
    // The first stages' copies are awaited before the loop; then each slice awaits the next one's.
    k.syncs.add({.kind = SyncKind::copy_wait, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::cta_barrier, .when = SyncWhen::before_slices});
    k.syncs.add({.kind = SyncKind::copy_wait});
    k.syncs.add({.kind = SyncKind::cta_barrier});
    k.epilogue.width = s.width_c;
    return k;
  }

 private:
  // A copy of one half cannot be asynchronous: odd k means plain loads and stores.
  static constexpr CopyMap copy(int outer, int depth, int width, int threads) {
    return {.kind = width == 1 ? CopyKind::staged : CopyKind::cp_async,
            .outer = outer,
            .depth = depth,
            .width = width,
            .bytes = 2,
            .threads = threads};
  }
  /// Lines along k, 128 bytes at most: the widest row a swizzle is made for.
  static constexpr SharedTile shared_tile(int outer, int depth, bool swizzled) {
    const int panel = min_of(depth, 64);
    return {.present = true,
            .outer = outer,
            .depth = depth,
            .bytes_per_element = 2,
            .panel = panel,
            .pitch = panel * 2,
            .swizzle = swizzled ? swizzle_for_rows(panel * 2) : Swizzle::none};
  }
};

#ifdef __CUDACC__
/// Accumulators of a warp tile: [mmas_m][mmas_n] of the four that a lane has of each.
template <KernelPlan P>
using Sums = float[mmas_m(P)][mmas_n(P)][4];

/// Adds k slices [slice, end) of a block tile, first row and column `at`, to a warp's sums. All
/// threads of the CTA; the ring must be free, and is again after the next barrier.
template <KernelPlan P>
__device__ __forceinline__ void multiply_slices(const GemmArgs& args, Coord at, int slice, int end,
                                                Sums<P>& acc) {
  constexpr Specialization S = P.spec;
  constexpr MmaAtom kAtom = P.atom;
  constexpr int kMmasM = mmas_m(P), kMmasN = mmas_n(P), kMmasK = mmas_k(P);
  constexpr int kPairsN = kMmasN / 2;  // one ldmatrix.x4 of B feeds two mma tiles
  constexpr int kStages = P.stages();
  extern __shared__ __align__(1024) unsigned char shared[];  // [stages][A then B]
  const unsigned ring = shared_address(shared);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Coord warp_at = warp_origin(P, warp);

  SliceCopy<P.copy_a, P.shared_a(), S.edge_m, S.edge_k> copy_a(args.a, args.lda, at.row, args.m);
  SliceCopy<P.copy_b, P.shared_b(), S.edge_n, S.edge_k> copy_b(args.b, args.ldb, at.col, args.n);
  const auto load_slice = [&](int which, unsigned stage) {
    if (which < end) {
      copy_a.issue(which * P.block_k, args.k, stage);
      copy_b.issue(which * P.block_k, args.k, stage);
    }
    cp_async_commit();  // an empty group too, so that counting groups counts slices
  };

  // Shared offsets of this lane's ldmatrix rows for the first mma tile, a k step of the slice each.
  int a_row[kMmasK], b_row[kMmasK];
#pragma unroll
  for (int kk = 0; kk < kMmasK; ++kk) {
    const Coord a_at = ldmatrix_row(P.load_a.map, lane), b_at = ldmatrix_row(P.load_b.map, lane);
    a_row[kk] = shared_offset(P.shared_a(), warp_at.row + a_at.row, kk * kAtom.k + a_at.col);
    b_row[kk] = shared_offset(P.shared_b(), warp_at.col + b_at.row, kk * kAtom.k + b_at.col);
  }
  // Two sets of fragments: one is loaded while the other is multiplied.
  unsigned a[2][kMmasM][4], b[2][kPairsN][4];
  const auto load_fragments = [&](int set, int kk, unsigned stage) {
#pragma unroll
    for (int mi = 0; mi < kMmasM; ++mi) {
      ldmatrix_x4(a[set][mi], stage + a_row[kk] + shared_line_step(P.shared_a(), mi * kAtom.m));
    }
#pragma unroll
    for (int pair = 0; pair < kPairsN; ++pair) {
      ldmatrix_x4(b[set][pair], stage + b_row[kk] + shared_line_step(P.shared_b(), pair * 16));
    }
  };

#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    load_slice(slice + s, ring + stage_of_slice(P, slice + s) * P.stage_bytes());
  }
  cp_async_wait<kStages - 2>();
  __syncthreads();

  unsigned read_stage = ring + stage_of_slice(P, slice) * P.stage_bytes();
  unsigned write_stage = ring + stage_of_slice(P, slice + kStages - 1) * P.stage_bytes();
  const unsigned ring_end = ring + kStages * P.stage_bytes();
  load_fragments(0, 0, read_stage);
#pragma unroll 1
  for (; slice < end; ++slice) {
#pragma unroll
    for (int kk = 0; kk < kMmasK; ++kk) {
      if (kk == 0) {  // the stage that the last slice left is free since the last barrier
        load_slice(slice + kStages - 1, write_stage);
        write_stage =
            write_stage + P.stage_bytes() == ring_end ? ring : write_stage + P.stage_bytes();
      }
      if (kk == kMmasK - 1) {  // the next fragments come from the next slice
        cp_async_wait<kStages - 2>();
        __syncthreads();
        read_stage = read_stage + P.stage_bytes() == ring_end ? ring : read_stage + P.stage_bytes();
      }
      // An odd number of k steps swaps the roles of the two sets from slice to slice; the loop then
      // runs over one set and the registers are moved at its end.
      load_fragments((kk + 1) % 2, (kk + 1) % kMmasK, read_stage);
#pragma unroll
      for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
        for (int ni = 0; ni < kMmasN; ++ni) {
          mma_m16n8k16(acc[mi][ni], a[kk % 2][mi], &b[kk % 2][ni / 2][ni % 2 * 2]);
        }
      }
    }
    if (kMmasK % 2 == 1) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int mi = 0; mi < kMmasM; ++mi) a[0][mi][i] = a[1][mi][i];
#pragma unroll
        for (int pair = 0; pair < kPairsN; ++pair) b[0][pair][i] = b[1][pair][i];
      }
    }
  }
}

/// C of a block tile, first row and column `at`, from all warps' sums.
template <KernelPlan P>
__device__ __forceinline__ void store_sums(const GemmArgs& args, Coord at, const Sums<P>& acc) {
  constexpr Specialization S = P.spec;
  constexpr int kMmasM = mmas_m(P), kMmasN = mmas_n(P), kValues = P.atom.c.values();
  // This lane's part of every accumulator's place is the same: added once, it halves NVRTC's time.
  const Coord mine =
      at + warp_origin(P, threadIdx.x / 32) + thread_coord(P.atom.c, threadIdx.x % 32);
#pragma unroll
  for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
    for (int ni = 0; ni < kMmasN; ++ni) {
#pragma unroll
      for (int v = 0; v < kValues; v += S.width_c) {
        const Coord to = mine + mma_origin(P, mi, ni) + value_coord(P.atom.c, v);
        if ((!S.edge_m || to.row < args.m) && (!S.edge_n || to.col < args.n)) {
          store_c<S.width_c, S.reads_c>(args, to.row, to.col, &acc[mi][ni][v]);
        }
      }
    }
  }
}

template <TileConfig T, Specialization S>
__device__ void mma_multistage(const GemmArgs& args) {
  constexpr KernelPlan P = MmaMultistage::tile_plan(T, S);
  const Coord at = block_origin(P, this_block_tile(T.raster));
  Sums<P> acc = {};
  multiply_slices<P>(args, at, 0, ceil_div(args.k, P.block_k), acc);
  store_sums<P>(args, at, acc);
}
#endif

}  // namespace tilescope
