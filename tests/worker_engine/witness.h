// One CTA as the emulator ran it, each event checked against core/layout's functions.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <vector>

#include "core/layout/packing.h"
#include "core/layout/ring_stage.h"
#include "core/layout/shared_reads.h"
#include "engine_support.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/trace/trace_data.h"
#include "worker/engine/trace/trace_items.h"

namespace tilescope::worker {

using emulator::EventKind;

/// All of one CTA, checked event by event.
class Witness {
 public:
  Witness(const KernelRequest& request, BlockIndex at)
      : request_(request),
        ptx_(test_compiler().compile(request, "sm_90")->result.ptx),
        gemm_(prepare_gemm(request, kernel_of(request), ptx_, skipping())),
        plan_(gemm_.plan),
        lines_(*gemm_.program, kEntryName),
        follower_(gemm_, lines_),
        at_(at),
        cta_(launch_index(launch_of(plan_), at)),
        items_(plan_, cta_) {
    set_item(0);
  }

  void check();

 private:
  using Live = emulator::Provenance::Live;
  void check_event(const emulator::Event& event, const DataEvent& data);
  static GemmFill skipping() {
    GemmFill fill;
    fill.skip = true;
    return fill;
  }
  void set_item(int index) {
    index_ = index;
    item_ = work_item(plan_.work, cta_, index);
    rect_ = tile_rect(plan_, gemm_.problem, item_.tile);
  }
  /// Does this CTA store the tile of an item? Of split-K's, which run one after the other, the
  /// last.
  bool completes(const WorkItem& item) const {
    if (!item.partial) return true;
    const TileParts parts = tile_parts(plan_.work, item.tile);
    return plan_.work.kind == WorkKind::stream_k ? item.k_begin == 0
                                                 : cta_ == parts.cta(parts.count - 1);
  }
  std::vector<emulator::Dim3> chosen() const;
  Element element_at(uint64_t offset) const {
    const int bytes = element_bytes(gemm_.problem.type_a);
    return element_of(gemm_, byte_at(live_->of_shared(offset), offset, bytes));
  }

  const CopyMap& copy_map(Operand o) const { return o == Operand::a ? plan_.copy_a : plan_.copy_b; }
  const SharedTile& shared_tile(Operand o) const {
    return o == Operand::a ? plan_.shared_a() : plan_.shared_b();
  }
  /// The block tile's first row of A, or column of B.
  int first(Operand o) const { return o == Operand::a ? rect_.row : rect_.col; }
  bool inside(Operand o, Coord at) const {  // [outer, k] in the matrix
    return at.row < (o == Operand::a ? gemm_.problem.m : gemm_.problem.n) &&
           at.col < gemm_.problem.k;
  }
  /// There is something to load: a packed operand has zeros up to whole tiles.
  bool loads(Operand o, Coord at) const {
    const Coord place = matrix_coord(o, at.row, at.col);
    const Coord end = extents_read(plan_, request_.problem, o);
    return place.row < end.row && place.col < end.col;
  }
  uint64_t address_of(Operand o, Coord at) const {
    const Coord place = matrix_coord(o, at.row, at.col);
    return (o == Operand::a ? gemm_.a : gemm_.b) +
           static_cast<uint64_t>(global_offset(gemm_.problem, o, place));
  }
  const std::array<uint64_t, 32>& addresses(int slot) const {
    return trace_->addresses.at(static_cast<size_t>(slot));
  }
  static bool active(const emulator::Event& event, int lane) {
    return (event.active >> lane & 1) != 0;
  }
  static int thread_of(const emulator::Event& event, int lane) { return event.warp * 32 + lane; }

  /// The place [outer, k] in the tile that a thread copies in an iteration; outer −1 if none.
  Coord chunk(Operand o, int thread, int iteration) const {
    const Coord at = copy_coord(copy_map(o), thread, iteration);
    if (at.row >= copy_map(o).outer || at.col >= copy_map(o).depth) return {-1, -1};
    return at;
  }

  void check_copy(const emulator::Event& event, const DataEvent& data);
  /// A box: all that lies where the plan says, once it has been copied.
  void check_box(const emulator::Event& event, const DataEvent& data);
  void check_global_load(const emulator::Event& event, const DataEvent& data);
  void check_shared_store(const emulator::Event& event);

  /// A followed element against what the layout says lies at [outer, k] of the tile.
  void expect_element(Operand o, Element element, Coord at, int stage);
  void check_shared_load(const emulator::Event& event, const DataEvent& data);

  /// What lands is read by who splits it, and their rests go behind it.
  void check_split(const emulator::Event& event, bool is_store);
  /// Which factors of the product under way are rests: bit 0 A's, bit 1 B's.
  int rests_of(const emulator::Moved& moved) const;

  /// Does [outer, k] of the tile lie in the lane's fragments of an operand?
  bool in_fragment(Operand o, int warp, int lane, Coord at) const;

  /// The plan's barriers say when the slices are done, and shared memory holds sums.
  bool in_epilogue(const emulator::Event& event) const;
  /// Sums are stored by who holds them, in the part of k that the warp has, and loaded by who
  /// stores C.
  void check_sums(const emulator::Event& event, bool is_store);
  /// C by boxes: what goes to a warp's buffers, and from there.
  void check_buffered(const emulator::Event& event);
  void check_sent(const emulator::Event& event);
  void check_mma(const emulator::Event& event, const DataEvent& data);
  /// Of a product that reads shared memory: the rows and columns that it multiplied.
  void check_factors(const DataEvent& data);
  /// First row of an atom that a warp multiplies, of those that share it.
  int first_row_in_atom(int warp) const {
    const int warps = (plan_.atom.threads() + 31) / 32;
    return warp % warps * (plan_.atom.m / warps);
  }
  void check_fma(const DataEvent& data);

  /// Sums on their way through the workspace, and its counters.
  void check_workspace(const emulator::Event& event, bool is_store);
  void check_result(const emulator::Event& event);
  /// Is it this lane that stores an element of the block tile?
  bool stores(const emulator::Event& event, int lane, Coord in_block) const;
  void check_all_seen();
  /// Of the item: mma tiles that are not all padding.
  size_t expected_mmas() const;
  /// Of those that a cluster shares: does this CTA ask for a box?
  bool asks_for(Operand o, int box) const;
  /// Of the item: boxes with something inside.
  size_t expected_boxes() const;
  /// Whether all of the item's sums went to the workspace, and all that it takes came from there.
  void check_parts();
  void check_buffers();

  KernelRequest request_;
  std::string ptx_;
  EmulatedGemm gemm_;
  const KernelPlan plan_;
  InstructionLines lines_;
  DataFollower follower_;
  const BlockIndex at_;
  const int cta_;
  ItemFollower items_;
  int index_ = 0;  // of the work item under way
  WorkItem item_;
  Rect rect_;                               // its tile
  const emulator::Trace* trace_ = nullptr;  // of the event under way
  const Live* live_ = nullptr;
  std::map<std::array<int, 4>, int> copies_;  // item, warp, operand, iteration → slices
  std::map<std::array<int, 5>, int> loaded_;  // item, matrix, slice, thread, iteration
  std::map<std::array<int, 4>, int> boxes_;   // item, operand, slice, iteration
  std::map<std::array<int, 5>, int> mmas_;    // warp row column k, which rests
  std::map<std::array<int, 3>, int> parts_;   // item, warp, store or load → accesses so far
  std::map<std::pair<int, int>, int> stored_;
  std::map<std::pair<int, int>, int> buffered_;  // stores of {item, warp}
};

}  // namespace tilescope::worker
