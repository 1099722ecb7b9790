// One CTA's tile, walked by the slow witness: each of its copies, reads of shared memory, and
// stores, warp by warp and lane by lane.
#pragma once
#include "core/layout/packing.h"
#include "tests/model/brute_access.h"

namespace tilescope::model {

struct BruteCta {
  const KernelPlan& plan;
  const Problem& p;
  Coord tile;
  Counts& counts;

  void run(const WorkItem& item);

 private:
  int first(Operand o) const {
    return o == Operand::a ? tile.row * plan.block_m : tile.col * plan.block_n;
  }
  /// A packed operand has zeros up to whole tiles.
  int end(Operand o, int extent, int block) const {
    return packs(plan.spec, o) ? (extent + block - 1) / block * block : extent;
  }
  bool copies(Operand o, int outer, int k) const {
    return k < end(o, p.k, plan.block_k) &&
           outer < (o == Operand::a ? end(o, p.m, plan.block_m) : end(o, p.n, plan.block_n));
  }

  // brute_copies.cpp: from global to shared memory.
  /// Boxes: a line of one asks for its sectors, and fills 128 bytes of shared memory at a time.
  void copy_boxes(Operand o, int k0);
  void copy(Operand o, int k0);

  // brute_reads.cpp: what the threads and products of a k step read.
  /// Lines of A and columns of B that the products of a k step read, as deep as a product.
  void product_step();
  void split();
  void ldmatrix(const SharedTile& shared, const LdmatrixMap& map, int outer, int k);
  void mma_step(int k);
  void thread_tile_step(int k);
  void naive();
  /// wmma.load: two halves per lane for each matrix of 8 × 8, those that repeat others left out.
  /// Where k runs across the lines, four lanes share a line, and the matrix is turned later.
  void wmma_step(int step);
  void step(int kk);

  // brute_epilogue.cpp: C, and what is added to it.
  /// The first element of a lane's store of two tiles of m16n8 side by side.
  Coord pair(int lane, int access) const;
  /// Of two tiles of m16n8, side by side, an even lane stores four neighbours of the left one's
  /// rows, an odd lane of the right one's.
  void store_pairs();
  void store_accumulators();
  /// Accumulators of wmma, two of a row at a time, to a tile each part of k has; then whole rows.
  void through_shared();
  /// Sums of wgmma through a warp's buffers, 16 rows of C at a time, as wide as a swizzle; first
  /// eight columns of such a box.
  void by_boxes();
  void fill_eight(int warp, Coord box, int eight, int wide);
  void send_box(Coord in_tile, int wide);
  /// What is added to a pair on its way to a buffer.
  void load_c(const Lanes& lanes);
  void add_inside(Lanes& lanes, int lane, Coord in_tile);
  void add_c(const Lanes& lanes);
  /// Of tensor cores' kernels: each lane loads what it adds to its columns once, whatever its rows.
  void bias_ahead();
  /// Beside a store of C that starts at these places.
  void add_bias(const Lanes& stored);

  // brute_force.cpp: parts of a tile that several CTAs compute.
  /// The sums of all threads, four at a time, to or from the workspace.
  void pass_part(GlobalSum& sum);
  /// Of a tile that several CTAs compute: who stores C reads the others' parts. Of split-K's CTAs
  /// each gives its part, and the last, whichever that is, reads all of them.
  void share(const WorkItem& item);
};

}  // namespace tilescope::model
