// C by boxes: a warp lays its sums out in a buffer of its own in shared memory, one box of C at a
// time, and one lane sends it on (cp.async.bulk.tensor). Who multiplies goes on meanwhile, and C
// leaves in whole lines instead of pairs.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/warp_access.h"

namespace tilescope {

inline constexpr int kStoreBuffers = 2;  // of a warp: one is filled while the other is read

/// Elements of a line of a box: as many as fill the widest swizzle's rows and divide a tile of
/// `columns`; 0: none is wide enough.
constexpr int store_box_width(int columns, int bytes) {
  for (int row = swizzle_row_bytes(Swizzle::b128); row > 16; row /= 2) {
    if (columns % (row / bytes) == 0) return row / bytes;
  }
  return 0;
}

/// Whether boxes can store C: of rows, as the sums lie, that begin where a tensor map's must, and
/// of whole pairs, as threads finish them.
constexpr bool stores_boxes(const Problem& p) {
  return p.order_c == Order::row_major &&
         aligned_width(p, Operand::c) * element_bytes(p.type_c) == 16;
}

/// The buffers, two for each warp: 0 and 1 of the first, 2 and 3 of the second, …
constexpr SharedRegion store_buffers(const KernelPlan& plan) {
  return plan.epilogue.kind == EpilogueKind::boxes ? region_of(plan, RegionKind::c)
                                                   : SharedRegion();
}
/// First byte of one in shared memory.
constexpr int store_buffer(const KernelPlan& plan, int number) {
  const SharedRegion buffers = store_buffers(plan);
  return buffers.tile.offset + number * buffers.stride;
}

/// Behind the ring, before add_mbarriers(): a box is what a warp has of an atom's rows, as wide as
/// a swizzle. The plan's warps compute whole rows of it.
constexpr void set_box_store(KernelPlan& plan) {
  const int rows = atom_rows_of_warp(plan), bytes = element_bytes(plan.spec.type_c);
  const int width = store_box_width(plan.warp_n, bytes), pitch = width * bytes;
  SharedTile tile{.present = true, .outer = rows, .depth = width, .bytes_per_element = bytes};
  tile.panel = width, tile.pitch = pitch, tile.swizzle = swizzle_for_rows(pitch);
  constexpr int kAligned = kSwizzlePeriod * 128;  // where the widest swizzle begins anew
  tile.offset = ceil_div(plan.shared_bytes(), kAligned) * kAligned;
  add_region(plan, {RegionKind::c, Phase::epilogue, tile, kStoreBuffers * plan.warps(),
                    tile.size_bytes()});
  plan.epilogue.kind = EpilogueKind::boxes;
  plan.epilogue.map = {.kind = CopyKind::tensor,
                       .outer = plan.block_m,
                       .depth = plan.block_n,
                       .width = width,
                       .bytes = bytes,
                       .box_lines = rows};
}

/// Boxes of an atom that each of its warps stores, and of all atoms of a warp.
constexpr int boxes_of_atom(const KernelPlan& plan) {
  return plan.atom.n / plan.epilogue.map.width;
}
constexpr int boxes_of_warp(const KernelPlan& plan) {
  return mmas_m(plan) * mmas_n(plan) * boxes_of_atom(plan);
}
/// Accumulators that a lane has of a box: those of box `b` of an atom are b · box_values(), …
constexpr int box_values(const KernelPlan& plan) {
  return plan.atom.c.values() / boxes_of_atom(plan);
}
/// First row and column of the block tile that a warp's box has; boxes of an atom follow each
/// other along its rows.
constexpr Coord box_origin(const KernelPlan& plan, int warp, int box) {
  const int atom = box / boxes_of_atom(plan), in_atom = box % boxes_of_atom(plan);
  return warp_origin(plan, warp) + mma_origin(plan, atom / mmas_n(plan), atom % mmas_n(plan)) +
         Coord{first_atom_row(plan, warp), in_atom * plan.epilogue.map.width};
}

/// Elements of two bytes are stored by stmatrix, four matrices of 8 × 8 at a time; wider ones by
/// each lane, two of a row at a time.
constexpr bool stores_matrices(const KernelPlan& plan) { return plan.epilogue.map.bytes == 2; }
inline constexpr int kMatricesStored = 4;

/// Store instructions that fill a buffer.
constexpr int box_stores(const KernelPlan& plan) {
  return box_values(plan) / (stores_matrices(plan) ? 2 * kMatricesStored : 2);
}
/// The first of the accumulators that a lane stores by one of them, of those of a box. Lanes of odd
/// rows take the eights of columns in another order: two rows of a half warp, which is served at
/// once, would else meet in a bank.
constexpr int box_value(const KernelPlan& plan, int store, bool odd_row) {
  if (stores_matrices(plan)) return 2 * kMatricesStored * store;
  constexpr int kOfEight = 4, kTurned = 2 * kOfEight;  // a lane's of eight columns, and two eights
  const int value = 2 * store;
  return odd_row && box_values(plan) > kTurned ? value ^ kTurned : value;
}
/// Pairs of neighbours in a row, one after the other, in which a lane finishes what it has of a
/// box; and the first element of one, in the box.
constexpr int box_pairs(const KernelPlan& plan) { return box_values(plan) / 2; }
constexpr Coord pair_in_box(const KernelPlan& plan, int pair, int lane) {
  const bool by_lanes = !stores_matrices(plan);
  return fragment_coord(plan.atom.c, lane,
                        by_lanes ? box_value(plan, pair, lane / 4 % 2 != 0) : 2 * pair);
}
/// The element of the box that a lane's address is of.
constexpr Coord stored_in_box(const KernelPlan& plan, int store, int lane) {
  const FragmentLayout& c = plan.atom.c;
  if (!stores_matrices(plan)) return pair_in_box(plan, store, lane);
  // Lane 8 i + r tells where row r of matrix i goes, whose elements lanes 4 r … 4 r + 3 hold.
  return fragment_coord(c, lane % 8 * 4, box_value(plan, store, false) + lane / 8 * 2);
}
/// The shared access of a warp's store into its first buffer.
constexpr WarpAccess box_store(const KernelPlan& plan, int warp, int store) {
  const SharedRegion buffers = store_buffers(plan);
  WarpAccess access;
  access.bytes = stores_matrices(plan) ? 16 : 2 * plan.epilogue.map.bytes;
  access.use = stores_matrices(plan) ? SharedUse::rows : SharedUse::store;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const Coord at = stored_in_box(plan, store, lane);
    access.add(lane,
               shared_offset(buffers.tile, at.row, at.col) + kStoreBuffers * warp * buffers.stride);
  }
  return access;
}

}  // namespace tilescope
