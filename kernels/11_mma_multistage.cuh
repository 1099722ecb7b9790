// 11_mma_multistage.cuh: tensor cores fed from a ring of shared-memory stages: cp.async fills the
// stages ahead while ldmatrix and mma.sync work on the present one.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#ifdef __CUDACC__
#include "kernels/common/copy_async.cuh"
#include "kernels/common/epilogue.cuh"
#else
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
#endif
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
  static constexpr Violation validate(const TileConfig& tile, const Problem& p,
                                      const DeviceLimits& device) {
    if (device.sm < 80) return {Rule::device_too_old, device.sm, 80};
    if (Violation v = check_problem(p); !v.legal()) return v;
    if (Violation v = check_types(p, ElementType::f16, ElementType::f16, ElementType::f32);
        !v.legal()) {
      return v;
    }
    if (p.order_a != Order::row_major) return order_violation(Operand::a);
    if (p.order_b != Order::column_major) return order_violation(Operand::b);
    if (Violation v = check_offered(sliders(), tile); !v.legal()) return v;
    if (Violation v = check_divides(tile, TileFieldId::block_m, TileFieldId::warp_m); !v.legal()) {
      return v;
    }
    if (Violation v = check_divides(tile, TileFieldId::block_n, TileFieldId::warp_n); !v.legal()) {
      return v;
    }
    if (Violation v =
            check_launch(launch(tile, p), device, TileFieldId::warp_m, TileFieldId::stages);
        !v.legal()) {
      return v;
    }
    const MmaAtom atom = mma_m16n8k16_f16_f32();
    const int mmas_m = tile.warp_m / atom.m, mmas_n = tile.warp_n / atom.n;
    const int warps = tile.block_m / tile.warp_m * (tile.block_n / tile.warp_n);
    return check_registers(
        mmas_m * mmas_n * atom.c.registers(),
        mmas_m * atom.a.registers() + mmas_n * atom.b.registers() + kOtherRegisters, warps * 32,
        device, TileFieldId::warp_m);
  }
  static constexpr Launch launch(const TileConfig& tile, const Problem& p) {
    return launch_of(plan(tile, p));
  }
  static constexpr Specialization specialization(const TileConfig& tile, const Problem& p) {
    Specialization s = specialize(p, tile.block_m, tile.block_n, tile.block_k);
    s.width_c = min_of(s.width_c, 2);  // an accumulator pair
    return s;
  }
  static constexpr KernelPlan plan(const TileConfig& tile, const Problem& p) {
    KernelPlan k = tile_plan(tile, specialization(tile, p));
    set_work(k, tile, p);
    return k;
  }
  static constexpr KernelPlan tile_plan(const TileConfig& tile, const Specialization& s) {
    KernelPlan k;
    k.spec = s;
    k.math = Math::mma;
    k.atom = mma_m16n8k16_f16_f32();
    k.ldmatrix_a = ldmatrix_for_a(), k.ldmatrix_b = ldmatrix_for_b();
    k.block_m = tile.block_m, k.block_n = tile.block_n, k.block_k = tile.block_k;
    k.warp_m = tile.warp_m, k.warp_n = tile.warp_n;
    k.warps_m = tile.block_m / tile.warp_m, k.warps_n = tile.block_n / tile.warp_n;
    k.threads = 32 * k.warps_m * k.warps_n;
    // A copy of one half cannot be asynchronous: odd k means plain loads and stores.
    k.copy_a = {s.width_a == 1 ? CopyKind::staged : CopyKind::cp_async,
                k.block_m,
                k.block_k,
                s.width_a,
                2,
                true,
                k.threads};
    k.copy_b = {s.width_b == 1 ? CopyKind::staged : CopyKind::cp_async,
                k.block_n,
                k.block_k,
                s.width_b,
                2,
                true,
                k.threads};
    k.shared_a = shared_tile(k.block_m, k.block_k, tile.swizzle != 0, 0);
    k.shared_b = shared_tile(k.block_n, k.block_k, tile.swizzle != 0, k.shared_a.size_bytes());
    k.stages = tile.stages;
    k.stage_bytes = k.shared_a.size_bytes() + k.shared_b.size_bytes();
    k.epilogue_width = s.width_c;
    return k;
  }

 private:
  static constexpr int kOtherRegisters = 24;  // pointers, shared addresses, indices

  static constexpr Violation order_violation(Operand o) {
    return {Rule::order, 0, 0, TileFieldId::none, TileFieldId::none, static_cast<int>(o)};
  }
  /// Lines along k, 128 bytes at most: the widest row a swizzle is made for.
  static constexpr SharedTile shared_tile(int outer, int depth, bool swizzled, int offset) {
    const int panel = min_of(depth, 64);
    return {true,  outer, depth,     2,
            true,  panel, panel * 2, swizzled ? swizzle_for_rows(panel * 2) : Swizzle::none,
            offset};
  }
};

#ifdef __CUDACC__
template <TileConfig T, Specialization S>
__device__ void mma_multistage(const GemmArgs& args) {
  constexpr KernelPlan P = MmaMultistage::tile_plan(T, S);
  constexpr MmaAtom kAtom = P.atom;
  constexpr int kMmasM = mmas_m(P), kMmasN = mmas_n(P), kMmasK = mmas_k(P);
  constexpr int kPairsN = kMmasN / 2;  // one ldmatrix.x4 of B feeds two mma tiles
  extern __shared__ __align__(1024) unsigned char shared[];  // [stages][A then B]
  const unsigned ring = shared_address(shared);

  const Raster raster{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x), T.raster};
  const Coord block = raster_tile(
      raster, launch_index(raster, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)}));
  const int first_m = block.row * P.block_m, first_n = block.col * P.block_n;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Coord warp_at = warp_origin(P, warp);
  const int slices = ceil_div(args.k, P.block_k);

  SliceCopy<P.copy_a, P.shared_a, S.edge_m, S.edge_k> copy_a(args.a, args.lda, first_m, args.m);
  SliceCopy<P.copy_b, P.shared_b, S.edge_n, S.edge_k> copy_b(args.b, args.ldb, first_n, args.n);
  const auto load_slice = [&](int slice, unsigned stage) {
    if (slice < slices) {
      copy_a.issue(slice * P.block_k, args.k, stage);
      copy_b.issue(slice * P.block_k, args.k, stage);
    }
    cp_async_commit();  // an empty group too, so that counting groups counts slices
  };

  // Shared offsets of this lane's ldmatrix rows for the first mma tile, a k step of the slice each.
  int a_row[kMmasK], b_row[kMmasK];
#pragma unroll
  for (int kk = 0; kk < kMmasK; ++kk) {
    const Coord a_at = ldmatrix_row(P.ldmatrix_a, lane), b_at = ldmatrix_row(P.ldmatrix_b, lane);
    a_row[kk] = shared_offset(P.shared_a, warp_at.row + a_at.row, kk * kAtom.k + a_at.col);
    b_row[kk] = shared_offset(P.shared_b, warp_at.col + b_at.row, kk * kAtom.k + b_at.col);
  }
  // Two sets of fragments: one is loaded while the other is multiplied.
  unsigned a[2][kMmasM][4], b[2][kPairsN][4];
  const auto load_fragments = [&](int set, int kk, unsigned stage) {
#pragma unroll
    for (int mi = 0; mi < kMmasM; ++mi) {
      ldmatrix_x4(a[set][mi], stage + a_row[kk] + shared_line_step(P.shared_a, mi * kAtom.m));
    }
#pragma unroll
    for (int pair = 0; pair < kPairsN; ++pair) {
      ldmatrix_x4(b[set][pair], stage + b_row[kk] + shared_line_step(P.shared_b, pair * 16));
    }
  };

#pragma unroll
  for (int s = 0; s < T.stages - 1; ++s) load_slice(s, ring + s * P.stage_bytes);
  cp_async_wait<T.stages - 2>();
  __syncthreads();

  float acc[kMmasM][kMmasN][4] = {};
  unsigned read_stage = ring, write_stage = ring + (T.stages - 1) * P.stage_bytes;
  const unsigned ring_end = ring + T.stages * P.stage_bytes;
  load_fragments(0, 0, read_stage);
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int kk = 0; kk < kMmasK; ++kk) {
      if (kk == 0) {  // the stage that the last slice left is free since the last barrier
        load_slice(slice + T.stages - 1, write_stage);
        write_stage = write_stage + P.stage_bytes == ring_end ? ring : write_stage + P.stage_bytes;
      }
      if (kk == kMmasK - 1) {  // the next fragments come from the next slice
        cp_async_wait<T.stages - 2>();
        __syncthreads();
        read_stage = read_stage + P.stage_bytes == ring_end ? ring : read_stage + P.stage_bytes;
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

  // This lane's part of every accumulator's place is the same: added once, it halves NVRTC's time.
  const Coord mine = Coord{first_m, first_n} + warp_at + thread_coord(kAtom.c, lane);
#pragma unroll
  for (int mi = 0; mi < kMmasM; ++mi) {
#pragma unroll
    for (int ni = 0; ni < kMmasN; ++ni) {
#pragma unroll
      for (int v = 0; v < kAtom.c.values(); v += S.width_c) {
        const Coord at = mine + mma_origin(P, mi, ni) + value_coord(kAtom.c, v);
        if ((!S.edge_m || at.row < args.m) && (!S.edge_n || at.col < args.n)) {
          store_c<S.width_c, S.reads_c>(args, at.row, at.col, &acc[mi][ni][v]);
        }
      }
    }
  }
}
#endif

}  // namespace tilescope
