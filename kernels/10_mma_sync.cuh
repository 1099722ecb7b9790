// 10_mma_sync.cuh: the tensor cores' own instructions: ldmatrix fills the fragments of mma.sync
// m16n8k16 from shared memory whose 16-byte chunks are permuted, so that no two rows meet in a
// bank.
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

struct MmaSync {
#ifndef __CUDACC__
  static constexpr KernelInfo info() {
    return {.number = 10,
            .id = "mma_sync",
            .title = "mma.sync",
            .idea = "ldmatrix and mma.sync on swizzled shared memory: no bank conflicts",
            .types = kHalfToFloat | kBfloatToFloat,
            .default_types = kHalfToFloat,
            .layouts = kNN | kNT | kTN | kTT,
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
    s.add(TileFieldId::swizzle, 1, 0, 1);
    return s;
  }
  static constexpr Violation rules(const TileConfig& tile) { return check_warps(tile); }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    // Accumulators lie along rows: two of a lane, four of it and a neighbour.
    s.width_c = min_of(s.width_c, s.order_c == Order::row_major ? 4 : 1);
    return s;
  }
#endif
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k = ring_plan(tile, s, 1);
    k.syncs.add({.kind = SyncKind::copy_wait});
    k.syncs.add({.kind = SyncKind::cta_barrier, .count = 2});  // copied; multiplied
    return k;
  }
  /// Everything but the waits, with room for some k slices.
  static constexpr KernelPlan ring_plan(const TileConfig& tile, const Specialization& s,
                                        int stages) {
    KernelPlan k;
    k.spec = s;
    k.atom = make_mma({.m = 16, .n = 8, .k = 16, .type_a = s.type_a, .type_b = s.type_b});
    set_warps(k, tile);
    const bool k_lines_a = s.order_a == Order::row_major,
               k_lines_b = s.order_b == Order::column_major;
    k.copy_a = async_copy(k.block_m, k.block_k, s.width_a, 2, k_lines_a, k.threads);
    k.copy_b = async_copy(k.block_n, k.block_k, s.width_b, 2, k_lines_b, k.threads);
    set_ring(k, shared_tile(k.copy_a, tile.swizzle != 0), shared_tile(k.copy_b, tile.swizzle != 0),
             stages);
    k.load_a = {
        .kind = LoadKind::ldmatrix, .map = ldmatrix_for_a(!k_lines_a), .transposed = !k_lines_a};
    k.load_b = {
        .kind = LoadKind::ldmatrix, .map = ldmatrix_for_b(!k_lines_b), .transposed = !k_lines_b};
    k.epilogue.width = s.width_c;
    k.epilogue.bias_ahead = s.adds_bias;
    if (s.order_c == Order::row_major) {
      k.epilogue.atoms = 2;
      k.epilogue.exchanged = row_accumulators(k.atom.c.bits, s.width_c);
    }
    return k;
  }

 private:
  /// Lines as in global memory, cut at 128 bytes: the widest row a swizzle is made for.
  static constexpr SharedTile shared_tile(const CopyMap& map, bool swizzled) {
    SharedTile tile = plain_tile(map);
    tile.panel = min_of(tile.panel, 64);
    tile.pitch = tile.panel * map.bytes;
    tile.swizzle = swizzled ? swizzle_for_rows(tile.pitch) : Swizzle::none;
    return tile;
  }
};

#ifdef __CUDACC__
/// Accumulators of a warp tile: [mmas_m][mmas_n] of the four that a lane has of each.
template <KernelPlan P>
using Sums = float[mmas_m(P)][mmas_n(P)][4];

/// Where this lane's ldmatrix rows of one operand lie in a stage. Along the lines places differ by
/// swizzled chunks, each of which is kept; from line to line by constants.
template <KernelPlan P, Operand O>
class FragmentRows {
 public:
  static constexpr int kLoads = O == Operand::a ? mmas_m(P) : mmas_n(P) / 2;  // a k step

  /// `first`: the warp's first row (column) of the operand's tile.
  __device__ __forceinline__ FragmentRows(int first, int lane) {
    constexpr SharedTile kTile = shared_of(P, O);
    const Coord at = ldmatrix_row(load_of(P, O).map, lane);
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
      kept_[i] = shared_offset(kTile, first + at.row + (kTile.k_contiguous ? 0 : i * kLines),
                               at.col + (kTile.k_contiguous ? i * P.atom.k : 0));
    }
  }
  /// Fills the fragments of load `load`, in k step `step` of the stage at a shared address.
  __device__ __forceinline__ void load(unsigned (&r)[4], unsigned stage, int load, int step) const {
    constexpr SharedTile kTile = shared_of(P, O);
    const unsigned from =
        stage + (kTile.k_contiguous ? kept_[step] + shared_line_step(kTile, load * kLines)
                                    : kept_[load] + shared_line_step(kTile, step * P.atom.k));
    ldmatrix_x4<load_of(P, O).transposed>(r, from);
  }

 private:
  // A SharedTile that is a member nvcc would not find in device code.
  static constexpr int kLines = load_of(P, O).map.lines;
  static constexpr int kKept = shared_of(P, O).k_contiguous ? mmas_k(P) : kLoads;
  int kept_[kKept];
};

/// One k step's fragments of a warp tile: one ldmatrix.x4 of B feeds two mma tiles.
template <KernelPlan P>
struct Fragments {
  unsigned a[mmas_m(P)][4], b[mmas_n(P) / 2][4];

  __device__ __forceinline__ void load(const FragmentRows<P, Operand::a>& rows_a,
                                       const FragmentRows<P, Operand::b>& rows_b, unsigned stage,
                                       int step) {
#pragma unroll
    for (int i = 0; i < mmas_m(P); ++i) rows_a.load(a[i], stage, i, step);
#pragma unroll
    for (int i = 0; i < mmas_n(P) / 2; ++i) rows_b.load(b[i], stage, i, step);
  }
  /// Down one column of mma tiles and up the next: each mma but the first of a column finds B's
  /// registers where the one before had them, and that one A's.
  __device__ __forceinline__ void multiply(Sums<P>& sums) const {
#pragma unroll
    for (int ni = 0; ni < mmas_n(P); ++ni) {
#pragma unroll
      for (int i = 0; i < mmas_m(P); ++i) {
        const int mi = ni % 2 == 0 ? i : mmas_m(P) - 1 - i;
        mma_m16n8k16<P.atom.type_a>(sums[mi][ni], a[mi], &b[ni / 2][ni % 2 * 2]);
      }
    }
  }
};

/// Lanes whose numbers differ in one bit swap: the one without it keeps `low` and gets the other's
/// low, which becomes its `high`; the one with it keeps `high` and gets the other's high as `low`.
template <int Bit>
__device__ __forceinline__ void swap_halves(float& low, float& high) {
  const bool upper = (threadIdx.x & Bit) != 0;
  const float other = shuffle_xor(upper ? low : high, Bit);
  low = upper ? other : low;
  high = upper ? high : other;
}

/// Two accumulators side by side, left[2 · half + i] and right[…] of rows eight apart, become what
/// `Width` and core/layout/mma.h's row_accumulators want: values in that order.
template <int Width>
__device__ __forceinline__ void exchange(float (&mine)[8], const float (&left)[4],
                                         const float (&right)[4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float l[2] = {left[2 * half], left[2 * half + 1]};
    float r[2] = {right[2 * half], right[2 * half + 1]};
    float* to = &mine[4 * half];
    if constexpr (Width ==
                  4) {  // even lanes: all of the left one's four, odd ones: the right one's
      swap_halves<1>(l[0], r[0]), swap_halves<1>(l[1], r[1]);
      to[0] = l[0], to[1] = l[1], to[2] = r[0], to[3] = r[1];
    } else if constexpr (Width == 2) {  // even rows' lanes: the left one's pairs of two rows
      swap_halves<4>(l[0], r[0]), swap_halves<4>(l[1], r[1]);
      to[0] = l[0], to[1] = l[1], to[2] = r[0], to[3] = r[1];
    } else {  // one column of two rows, then of four
      swap_halves<4>(l[0], l[1]), swap_halves<4>(r[0], r[1]);
      swap_halves<8>(l[0], r[0]), swap_halves<8>(l[1], r[1]);
      to[0] = l[0], to[1] = l[1], to[2] = r[0], to[3] = r[1];
    }
  }
}

/// C of a block tile, first row and column `at`, from all warps' sums.
template <KernelPlan P>
__device__ __forceinline__ void store_sums(const GemmArgs& args, Coord at, const Sums<P>& sums) {
  // This lane's part of every accumulator's place is the same: added once, it halves NVRTC's time.
  const Coord mine =
      at + warp_origin(P, threadIdx.x / 32) + thread_coord(store_layout(P), threadIdx.x % 32);
  BiasAhead<P> bias;
  bias.load(args, mine);
#pragma unroll
  for (int mi = 0; mi < mmas_m(P); ++mi) {
#pragma unroll
    for (int ni = 0; ni < mmas_n(P); ni += P.epilogue.atoms) {
      const Coord to = mine + mma_origin(P, mi, ni);
      if constexpr (P.epilogue.atoms == 2) {
        float run[8];
        exchange<P.spec.width_c>(run, sums[mi][ni], sums[mi][ni + 1]);
        store_atom<P>(args, to, run, &bias, ni / 2);
      } else {
        store_atom<P>(args, to, sums[mi][ni], &bias, ni);
      }
    }
  }
}

template <TileConfig T, Specialization S>
__device__ void mma_sync(const GemmArgs& args) {
  constexpr KernelPlan P = MmaSync::tile_plan(T, S);
  // A [block_m, block_k] half, then B [block_k, block_n] half; lines as in global memory, swizzled.
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned stage = shared_address(shared);
  const Coord at = block_origin(P, this_block_tile(1));
  const Coord warp_at = warp_origin(P, threadIdx.x / 32);
  SliceCopy<P.copy_a, P.shared_a(), S.edge_m, S.edge_k> copy_a(args.a, args.lda, at.row, args.m);
  SliceCopy<P.copy_b, P.shared_b(), S.edge_n, S.edge_k> copy_b(args.b, args.ldb, at.col, args.n);
  const FragmentRows<P, Operand::a> rows_a(warp_at.row, threadIdx.x % 32);
  const FragmentRows<P, Operand::b> rows_b(warp_at.col, threadIdx.x % 32);

  Sums<P> sums = {};
#pragma unroll 1
  for (int k0 = 0; k0 < args.k; k0 += P.block_k) {
    copy_a.issue(k0, args.k, stage);
    copy_b.issue(k0, args.k, stage);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
#pragma unroll
    for (int step = 0; step < mmas_k(P); ++step) {
      Fragments<P> fragments;
      fragments.load(rows_a, rows_b, stage, step);
      fragments.multiply(sums);
    }
    __syncthreads();
  }
  store_sums<P>(args, at, sums);
}
#endif

}  // namespace tilescope

/* Mistakes that tests plant (docs/add_a_kernel.md).

A forgotten index: wrong result
-    copy_b.issue(k0, args.k, stage);
+    copy_b.issue(0, args.k, stage);
*/
