// What a kernel says of itself, as plain data: the only thing that the model, the pictures and the
// tests know of it, and what its own code is compiled from.
#pragma once
#include "core/layout/device_limits.h"
#include "core/layout/fragment.h"
#include "core/layout/mapping.h"
#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"
#include "core/layout/problem.h"
#include "core/layout/raster.h"
#include "core/layout/tile_config.h"
#include "core/layout/violation.h"

namespace tilescope {

/// What of a problem is compiled into a kernel: everything but m, n, k, alpha and the value of
/// beta. Two problems with equal specializations share one compiled kernel.
struct Specialization {
  ElementType type_a = ElementType::f32, type_b = ElementType::f32, type_c = ElementType::f32;
  Order order_a = Order::row_major, order_b = Order::row_major, order_c = Order::row_major;
  int width_a = 1, width_b = 1, width_c = 1;  // elements a global access, as alignment allows
  bool edge_m = true, edge_n = true, edge_k = true;  // may tiles stick out of the matrix?
  bool reads_c = true;                               // beta is not 0
  constexpr bool operator==(const Specialization&) const = default;
};

/// `width_*` is capped by what the tile's contiguous extents divide into.
constexpr Specialization specialize(const Problem& p, int block_m, int block_n, int block_k) {
  Specialization s;
  s.type_a = p.type_a, s.type_b = p.type_b, s.type_c = p.type_c;
  s.order_a = p.order_a, s.order_b = p.order_b, s.order_c = p.order_c;
  s.width_a = aligned_width(p, Operand::a);
  s.width_b = aligned_width(p, Operand::b);
  s.width_c = aligned_width(p, Operand::c);
  s.edge_m = p.m % block_m != 0;
  s.edge_n = p.n % block_n != 0;
  s.edge_k = p.k % block_k != 0;
  s.reads_c = p.beta != 0.0f;
  return s;
}

struct Launch {
  int grid_x = 1, grid_y = 1;  // CTAs: columns, rows of block tiles
  int threads = 1;             // a CTA, all along x
  int shared_bytes = 0;        // dynamic
  int min_ctas = 1;            // for __launch_bounds__

  constexpr int ctas() const { return grid_x * grid_y; }
};

enum class Math : int { simt, mma };

struct KernelPlan {
  Specialization spec;
  Math math = Math::simt;

  // CTA
  int block_m = 1, block_n = 1, block_k = 1;
  int threads = 1;
  Raster raster;     // work order: launch index → block tile
  int k_slices = 1;  // ceil(k / block_k); each CTA walks all of them

  // Global → shared
  CopyMap copy_a, copy_b;
  SharedTile shared_a, shared_b;  // of one stage
  int stages = 0;                 // 0: no shared memory
  int stage_bytes = 0;

  // Warps of an mma kernel; for SIMT the tiles that the threads' fragment gives.
  int warps_m = 1, warps_n = 1;
  int warp_m = 0, warp_n = 0;  // elements; 0 for SIMT
  MmaAtom atom;                // Math::mma
  LdmatrixMap ldmatrix_a, ldmatrix_b;

  // SIMT: the CTA's threads over the block tile, values in register order [i][j].
  FragmentLayout thread_tile;
  int thread_m = 1, thread_n = 1;
  int shared_read_width = 1;  // elements a shared-memory load

  int epilogue_width = 1;  // elements of C a store

  constexpr bool operator==(const KernelPlan&) const = default;

  constexpr int shared_bytes() const { return stages * stage_bytes; }
  constexpr int warps() const { return ceil_div(threads, 32); }
  /// Warps that compute one atom together: 4 for wgmma.
  constexpr int warps_an_atom() const { return ceil_div(atom.threads(), 32); }
};

/// The part that depends on m, n, k and the raster slider.
constexpr void set_work(KernelPlan& plan, const TileConfig& tile, const Problem& p) {
  plan.raster.tiles_m = ceil_div(p.m, plan.block_m);
  plan.raster.tiles_n = ceil_div(p.n, plan.block_n);
  plan.raster.group = tile.raster > 0 ? tile.raster : 1;
  plan.k_slices = ceil_div(p.k, plan.block_k);
}
constexpr Launch launch_of(const KernelPlan& plan) {
  return {plan.raster.tiles_n, plan.raster.tiles_m, plan.threads, plan.shared_bytes(), 1};
}

/// First row and column of C that a block tile holds.
constexpr Coord block_origin(const KernelPlan& plan, Coord tile) {
  return {tile.row * plan.block_m, tile.col * plan.block_n};
}
/// Stage of the ring that a k slice goes to. The kernel must have stages.
constexpr int stage_of_slice(const KernelPlan& plan, int k_slice) { return k_slice % plan.stages; }

/// First row and column of a warp's tile inside the block tile. Warps run along n first; those that
/// compute an atom together share a tile.
constexpr Coord warp_origin(const KernelPlan& plan, int warp) {
  const int tile = warp / plan.warps_an_atom();
  return {tile / plan.warps_n * plan.warp_m, tile % plan.warps_n * plan.warp_n};
}
/// The thread of the atom's fragments that a lane of a warp is.
constexpr int atom_thread_of(const KernelPlan& plan, int warp, int lane) {
  return atom_thread(plan.atom, warp % plan.warps_an_atom() * 32 + lane).thread;
}
/// First row and column of mma (mi, ni) inside the warp tile.
constexpr Coord mma_origin(const KernelPlan& plan, int mi, int ni) {
  return {mi * plan.atom.m, ni * plan.atom.n};
}
constexpr int mmas_m(const KernelPlan& plan) { return plan.warp_m / plan.atom.m; }
constexpr int mmas_n(const KernelPlan& plan) { return plan.warp_n / plan.atom.n; }
constexpr int mmas_k(const KernelPlan& plan) { return plan.block_k / plan.atom.k; }

/// Element [m, n] of the block tile in accumulator `value` of mma (mi, ni) of a warp's lane.
constexpr Coord mma_accumulator(const KernelPlan& plan, int warp, int mi, int ni, int lane,
                                int value) {
  return warp_origin(plan, warp) + mma_origin(plan, mi, ni) +
         fragment_coord(plan.atom.c, lane, value);
}

// Rules that several kernels share. Each returns Rule::none or the violation.

constexpr Violation check_problem(const Problem& p) {
  const int extents[3] = {p.m, p.n, p.k};
  for (int i = 0; i < 3; ++i) {
    if (extents[i] < 1 || extents[i] > kMaxExtent) {
      return {Rule::extent_range, extents[i], kMaxExtent, TileFieldId::none, TileFieldId::none, i};
    }
  }
  if (p.order_c != Order::row_major) {
    return {Rule::order, 0, 0, TileFieldId::none, TileFieldId::none, static_cast<int>(Operand::c)};
  }
  return {};
}

constexpr Violation check_types(const Problem& p, ElementType a, ElementType b, ElementType c) {
  return p.type_a == a && p.type_b == b && p.type_c == c ? Violation{} : Violation{Rule::types};
}

constexpr Violation check_offered(const Sliders& sliders, const TileConfig& tile) {
  for (int i = 0; i < sliders.count; ++i) {
    const Slider& s = sliders.slider[i];
    const int value = get(tile, s.field);
    if (s.allows(value)) continue;
    int nearest = s.values[0];
    for (int j = 1; j < s.count; ++j) {
      const long long now =
          value > s.values[j] ? 1LL * value - s.values[j] : 1LL * s.values[j] - value;
      const long long best = value > nearest ? 1LL * value - nearest : 1LL * nearest - value;
      if (now < best) nearest = s.values[j];
    }
    return {Rule::value_not_offered, value, nearest, s.field};
  }
  return {};
}

constexpr Violation check_divides(const TileConfig& tile, TileFieldId whole, TileFieldId part) {
  const int w = get(tile, whole), p = get(tile, part);
  if (p > 0 && w % p == 0) return {};
  return {Rule::not_divisible, w, p, whole, part};
}

/// Registers a thread, estimated as accumulators + others, against what a CTA of this many threads
/// leaves each: beyond that the compiler spills the accumulators to memory in every k step.
constexpr Violation check_registers(int accumulators, int others, int threads,
                                    const DeviceLimits& device, TileFieldId field) {
  const int share = device.registers_per_sm / threads / 8 * 8;  // handed out in eights
  const int limit = min_of(share, device.registers_per_thread);
  if (accumulators + others <= limit) return {};
  return {Rule::registers_too_many, accumulators + others, limit, field};
}

/// Threads, shared memory and grid against the device.
constexpr Violation check_launch(const Launch& launch, const DeviceLimits& device,
                                 TileFieldId threads_field, TileFieldId shared_field) {
  if (launch.threads > device.threads_per_block) {
    return {Rule::threads_too_many, launch.threads, device.threads_per_block, threads_field};
  }
  if (launch.threads < 32) return {Rule::threads_too_few, launch.threads, 32, threads_field};
  if (launch.shared_bytes > device.shared_per_block) {
    return {Rule::shared_too_large, launch.shared_bytes, device.shared_per_block, shared_field};
  }
  if (launch.grid_y > device.grid_y) {
    return {Rule::grid_too_large, launch.grid_y, device.grid_y, TileFieldId::block_m};
  }
  return {};
}

}  // namespace tilescope
