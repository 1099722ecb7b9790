// The warp instructions between shared memory and registers: which fill fragments, and which take
// accumulators through shared memory on their way to C. Model and pictures ask here.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/warp_access.h"

namespace tilescope {

/// How many different elements a thread of a fragment holds: its values without the copies.
constexpr int distinct_values(const FragmentLayout& f) {
  int count = 1;
  for (int i = 0; i < f.value.rank; ++i) {
    if (f.value.mode[i].stride != 0 || f.value.mode[i].shape == 1) count *= f.value.mode[i].shape;
  }
  return count;
}

/// How many elements a lane can move by one access: values that follow each other in the fragment
/// and lie side by side in a line (a row if `along_row`, else a column). At most 16 bytes, of types
/// under 32 bits at most one register.
constexpr int fragment_run(const FragmentLayout& f, bool along_row) {
  const int most = f.values_per_register > 1 ? f.values_per_register : 128 / f.bits;
  const int values = distinct_values(f);
  int run = most;
  for (; run > 1; run /= 2) {
    bool side_by_side = values % run == 0;
    for (int v = 0; v < values && side_by_side; ++v) {
      const Coord first = value_coord(f, v - v % run), at = value_coord(f, v);
      const int away = v % run;
      side_by_side = at == first + (along_row ? Coord{0, away} : Coord{away, 0});
    }
    if (side_by_side) break;
  }
  return run;
}

/// One warp instruction that reads shared memory: the lanes' addresses, and which element each
/// address is of, as [outer, k] of the tile (of C as [row, column]).
struct SharedRead {
  WarpAccess access;
  Coord element[kWarpLanes] = {};
};

namespace detail {

/// [outer, k] of a place in a fragment of A [m, k] or B [k, n]; of C [m, n] as it is.
constexpr Coord outer_k(Operand o, Coord at) {
  return o == Operand::b ? Coord{at.col, at.row} : at;
}
/// Elements of the tile (bytes, for types under 8 bits) that `k` elements take.
constexpr int tile_units(const SharedTile& tile, int bits, int k) {
  return bits < 8 ? k * bits / (8 * tile.bytes_per_element) : k;
}
constexpr int lanes_of(const KernelPlan& plan, int warp) {
  return min_of(kWarpLanes, plan.threads - warp * kWarpLanes);
}

}  // namespace detail

/// How many such instructions a warp needs for an operand's fragments of one k step.
constexpr int shared_reads(const KernelPlan& plan, Operand o) {
  const FragmentLoad& load = load_of(plan, o);
  const int atoms = o == Operand::a ? mmas_m(plan) : mmas_n(plan);
  switch (load.kind) {
    case LoadKind::ldmatrix: {
      const int lines = o == Operand::a ? plan.atom.m / plan.warps_per_atom() : plan.atom.n;
      return atoms * lines / load.map.lines;
    }
    case LoadKind::lds:
    case LoadKind::wmma:
      return atoms * distinct_values(fragment_of(plan.atom, o)) / load.width;
    case LoadKind::none:
    case LoadKind::global:
      return 0;
  }
  return 0;
}

/// The first of them that fills the fragment of atom `atom` (along m for A, along n for B).
constexpr int shared_read_of_atom(const KernelPlan& plan, Operand o, int atom) {
  const int atoms = o == Operand::a ? mmas_m(plan) : mmas_n(plan);
  return atom * shared_reads(plan, o) / (atoms > 0 ? atoms : 1);
}

namespace detail {

/// Where an operand's fragments of a warp begin in the tile: [outer, k].
constexpr Coord fragment_origin(const KernelPlan& plan, Operand o, int warp, int step) {
  const Coord origin = warp_origin(plan, warp);
  return {o == Operand::a ? origin.row : origin.col,
          warp_k_origin(plan, warp) + step * plan.atom.k};
}
constexpr void add_element(SharedRead& read, const SharedTile& tile, int lane, Coord at) {
  read.element[lane] = at;
  read.access.add(lane, shared_offset(tile, at.row, at.col));
}

constexpr SharedRead ldmatrix_read(const KernelPlan& plan, Operand o, const SharedTile& tile,
                                   int warp, Coord origin, int index, int lanes) {
  const LdmatrixMap& map = load_of(plan, o).map;
  const int bits = fragment_of(plan.atom, o).bits;
  // Warps that compute an atom together take its lines in turn.
  const int part = o == Operand::a ? warp % plan.warps_per_atom() : 0;
  const int parts = o == Operand::a ? plan.warps_per_atom() : 1;
  SharedRead read;
  read.access.bytes = kMatrixRowBytes, read.access.use = SharedUse::rows;
  for (int lane = 0; lane < min_of(map.matrices * kMatrixRows, lanes); ++lane) {
    const Coord row = ldmatrix_row(map, lane);  // a unit is 16 bits
    add_element(read, tile, lane,
                {origin.row + (index * parts + part) * map.lines + row.row,
                 tile_units(tile, bits, origin.col) + row.col * 2 / tile.bytes_per_element});
  }
  return read;
}

/// Each lane loads values of its own.
constexpr SharedRead lane_read(const KernelPlan& plan, Operand o, const SharedTile& tile, int warp,
                               Coord origin, int index, int lanes) {
  const FragmentLoad& load = load_of(plan, o);
  const FragmentLayout& f = fragment_of(plan.atom, o);
  const int per_atom = distinct_values(f) / load.width;
  const int value = index % per_atom * load.width;
  const int outer = origin.row + index / per_atom * (o == Operand::a ? plan.atom.m : plan.atom.n);
  SharedRead read;
  read.access.bytes = load.width * f.bits / 8;
  const Coord corner = outer_k(o, fragment_coord(f, atom_thread_of(plan, warp, 0), value));
  for (int lane = 0; lane < min_of(lanes_of(plan, warp), lanes); ++lane) {
    Coord in_atom = outer_k(o, fragment_coord(f, atom_thread_of(plan, warp, lane), value));
    // The register's matrix is read along its lines and turned.
    if (load.transposed) {
      in_atom = corner + Coord{in_atom.col - corner.col, in_atom.row - corner.row};
    }
    add_element(read, tile, lane,
                {outer + in_atom.row, tile_units(tile, f.bits, origin.col + in_atom.col)});
  }
  return read;
}

}  // namespace detail

/// Number `index` of them, by warp `warp` in k step `step` of a slice; none where no instruction
/// loads. `tile`: where the operand lies. `lanes`: only so many of them, from 0 on.
constexpr SharedRead shared_read(const KernelPlan& plan, Operand o, const SharedTile& tile,
                                 int warp, int step, int index, int lanes = kWarpLanes) {
  const Coord origin = detail::fragment_origin(plan, o, warp, step);
  switch (load_of(plan, o).kind) {
    case LoadKind::ldmatrix:
      return detail::ldmatrix_read(plan, o, tile, warp, origin, index, lanes);
    case LoadKind::lds:
    case LoadKind::wmma:
      return detail::lane_read(plan, o, tile, warp, origin, index, lanes);
    case LoadKind::none:
    case LoadKind::global:
      return {};
  }
  return {};
}

/// The tile of C in shared memory that accumulators pass through, or nullptr.
constexpr const SharedRegion* epilogue_region(const KernelPlan& plan) {
  if (plan.epilogue.kind != EpilogueKind::shared) return nullptr;
  for (int i = 0; i < KernelPlan::kMaxRegions; ++i) {
    if (plan.shared[i].what == RegionKind::c) return &plan.shared[i];
  }
  return nullptr;
}

/// Bytes of shared memory that the sums take, where they take more than the ring of A and B; else
/// 0.
constexpr int epilogue_bytes(const KernelPlan& plan) {
  const SharedRegion* region = epilogue_region(plan);
  const int bytes = region ? region->end() : 0;
  return bytes > plan.stages() * plan.stage_bytes() ? bytes : 0;
}

/// Accumulators that a lane stores by one access: those side by side in the region's lines.
constexpr int accumulator_width(const KernelPlan& plan) {
  const SharedRegion* region = epilogue_region(plan);
  return fragment_run(plan.atom.c, !region || region->tile.k_contiguous);
}
/// Stores of a warp's accumulators to that region: number `index` of accumulator_stores().
constexpr int accumulator_stores(const KernelPlan& plan) {
  const int width = accumulator_width(plan);
  return mmas_m(plan) * mmas_n(plan) * distinct_values(plan.atom.c) / width;
}
constexpr WarpAccess accumulator_store(const KernelPlan& plan, const SharedRegion& region, int warp,
                                       int index) {
  const FragmentLayout& f = plan.atom.c;
  const int width = accumulator_width(plan), per_atom = distinct_values(f) / width;
  const int atom = index / per_atom, value = index % per_atom * width;
  // Each part of k has a stage of its own.
  const int stage = part_of_warp(plan, warp);
  WarpAccess access;
  access.bytes = width * f.bits / 8, access.use = SharedUse::store;
  for (int lane = 0; lane < detail::lanes_of(plan, warp); ++lane) {
    const Coord at =
        accumulator_coord(plan, warp, atom / mmas_n(plan), atom % mmas_n(plan), lane, value);
    access.add(lane, shared_offset(region.tile, at.row, at.col) + stage * region.stride);
  }
  return access;
}

}  // namespace tilescope
