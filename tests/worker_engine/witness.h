// One CTA as the emulator ran it, each event checked against core/layout's functions.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <vector>

#include "core/layout/shared_reads.h"
#include "support.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/trace/trace_data.h"

namespace tilescope::worker {

using emulator::EventKind;

/// All of one CTA, checked event by event.
class Witness {
 public:
  Witness(const KernelRequest& request, int cta_x, int cta_y)
      : request_(request),
        ptx_(test_compiler().compile(request, "sm_90")->result.ptx),
        gemm_(prepare_gemm(request, kernel_of(request), ptx_, skipping())),
        plan_(gemm_.plan),
        lines_(*gemm_.program, kEntryName),
        follower_(gemm_, lines_),
        x_(cta_x),
        y_(cta_y) {
    const int cta = launch_index(launch_of(plan_), {cta_x, cta_y, 0});
    const Coord tile = work_item(plan_.work, cta, 0).tile;
    rect_ = tile_rect(plan_, gemm_.problem, tile);
  }

  void check() {
    emulator::Provenance::Options following;
    following.each = [this](const emulator::Trace& so_far, const Live& live) {
      if (testing::Test::HasFailure()) return;
      trace_ = &so_far, live_ = &live;
      const DataEvent data = follower_.follow(so_far, live);
      check_event(so_far.events.back(), data);
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << describe(request_) << ", PTX line " << so_far.events.back().ptx_line;
      }
    };
    emulator::Provenance provenance(std::move(following));
    emulator::RunOptions options;
    const emulator::Dim3 cta{static_cast<uint32_t>(x_), static_cast<uint32_t>(y_), 0};
    options.ctas = {cta};
    options.trace.emplace();
    options.trace->cta = cta;
    options.trace->fma = plan_.math() == Math::simt;
    options.provenance = &provenance;
    const auto ran = emulator::run(*gemm_.program, kEntryName, gemm_.launch, gemm_.memory, options);
    ASSERT_FALSE(ran.fault) << ran.fault->message;
    EXPECT_FALSE(ran.trace->truncated);
    if (!testing::Test::HasFailure()) check_all_seen();
  }

 private:
  using Live = emulator::Provenance::Live;
  void check_event(const emulator::Event& event, const DataEvent& data) {
    switch (event.kind) {
      case EventKind::copy:
        return check_copy(event, data);
      case EventKind::load_global:
        return check_global_load(event, data);
      case EventKind::store_shared:
        return check_shared_store(event);
      case EventKind::load_shared:
        return check_shared_load(event, data);
      case EventKind::mma:
        return check_mma(event, data);
      case EventKind::fma:
        return check_fma(data);
      case EventKind::store_global:
        return check_result(event);
      default:
        return;
    }
  }
  static GemmFill skipping() {
    GemmFill fill;
    fill.skip = true;
    return fill;
  }
  Element element_at(uint64_t offset) const { return element_of(gemm_, live_->of_shared(offset)); }

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

  void check_copy(const emulator::Event& event, const DataEvent& data) {
    // The iteration is the event's rank among this warp's copies of the operand and slice. Shared
    // offsets tell operand and iteration apart; they hold for zero-filled lanes too.
    const bool no_global = event.address_slot < 0;  // all lanes fill with zeros
    const auto& to = addresses(event.address_slot2);
    for (const Operand o : {Operand::a, Operand::b}) {
      const SharedTile& tile = shared_tile(o);
      for (int i = 0; i < copy_map(o).iterations(); ++i) {
        bool fits = true;
        for (int lane = 0; lane < 32 && fits; ++lane) {
          if (!active(event, lane)) continue;
          const Coord at = chunk(o, thread_of(event, lane), i);
          fits = at.row >= 0 &&
                 to[static_cast<size_t>(lane)] % static_cast<unsigned>(plan_.stage_bytes()) ==
                     static_cast<unsigned>(shared_offset(tile, at.row, at.col));
        }
        if (!fits) continue;
        const int slice = copies_[{event.warp, static_cast<int>(o), i}]++;
        for (int lane = 0; lane < 32; ++lane) {
          if (!active(event, lane)) continue;
          const Coord at = chunk(o, thread_of(event, lane), i);
          const Coord place{first(o) + at.row, slice * plan_.block_k + at.col};
          EXPECT_EQ(to[static_cast<size_t>(lane)] / static_cast<unsigned>(plan_.stage_bytes()),
                    static_cast<unsigned>(slice % plan_.stages()));
          const uint64_t from =
              no_global ? 0 : addresses(event.address_slot)[static_cast<size_t>(lane)];
          EXPECT_EQ(from, inside(o, place) ? address_of(o, place) : 0);
        }
        if (data.elements > 0) {
          EXPECT_EQ(data.matrix, static_cast<int>(o));
          EXPECT_EQ(data.k_step, slice);
          EXPECT_EQ(data.stage, slice % plan_.stages());
        }
        return;
      }
    }
    ADD_FAILURE() << "no chunk of A or B is copied to these places";
  }

  void check_global_load(const emulator::Event& event, const DataEvent& data) {
    if (data.matrix == static_cast<int>(Operand::c)) return;  // beta
    ASSERT_GE(data.matrix, 0);
    const auto o = static_cast<Operand>(data.matrix);
    const CopyMap& map = copy_map(o);
    const auto& from = addresses(event.address_slot);
    for (int lane = 0; lane < 32; ++lane) {
      if (!active(event, lane)) continue;
      const int thread = thread_of(event, lane);
      if (map.kind == CopyKind::direct) {
        const Coord mine = thread_coord(plan_.atom.c, thread);
        const Coord place{first(o) + (o == Operand::a ? mine.row : mine.col), data.k_step};
        EXPECT_EQ(from[static_cast<size_t>(lane)], address_of(o, place));
        continue;
      }
      bool found = false;
      for (int i = 0; i < map.iterations() && !found; ++i) {
        const Coord at = chunk(o, thread, i);
        const Coord place{first(o) + at.row, data.k_step * plan_.block_k + at.col};
        found = at.row >= 0 && inside(o, place) &&
                from[static_cast<size_t>(lane)] == address_of(o, place);
        if (found) ++loaded_[{data.matrix, data.k_step, thread, i}];
      }
      EXPECT_TRUE(found) << "thread " << thread << " loads what is not its chunk";
    }
  }

  void check_shared_store(const emulator::Event& event) {
    if (in_epilogue(event)) return check_sums(event, true);
    const auto& to = addresses(event.address_slot);
    for (int lane = 0; lane < 32; ++lane) {
      if (!active(event, lane)) continue;
      const int thread = thread_of(event, lane);
      const uint64_t offset = to[static_cast<size_t>(lane)];
      const int stage = static_cast<int>(offset) / plan_.stage_bytes();
      const int in_stage = static_cast<int>(offset) % plan_.stage_bytes();
      for (const Operand o : {Operand::a, Operand::b}) {
        const Coord at = shared_element(shared_tile(o), in_stage);
        if (at.row < 0) continue;
        // The element belongs to one of this thread's chunks, and the followed data says the same.
        const CopyMap& map = copy_map(o);
        bool mine = false;
        for (int i = 0; i < map.iterations() && !mine; ++i) {
          const Coord start = chunk(o, thread, i);
          const int along = map.k_contiguous ? at.col - start.col : at.row - start.row;
          const bool same_line = map.k_contiguous ? at.row == start.row : at.col == start.col;
          mine = start.row >= 0 && same_line && along >= 0 && along < map.width;
        }
        EXPECT_TRUE(mine) << "thread " << thread << " stores what it did not load";
        const Element element = element_at(offset);
        if (element) expect_element(o, element, at, stage);
      }
    }
  }

  /// A followed element against what the layout says lies at [outer, k] of the tile.
  void expect_element(Operand o, Element element, Coord at, int stage) {
    EXPECT_EQ(element.matrix, static_cast<int>(o));
    const Coord place = element.at;
    const Coord outer_k = o == Operand::a ? place : Coord{place.col, place.row};
    EXPECT_EQ(outer_k.row, first(o) + at.row);
    EXPECT_EQ(outer_k.col % plan_.block_k, at.col);
    EXPECT_EQ(outer_k.col / plan_.block_k % plan_.stages(), stage);
  }

  void check_shared_load(const emulator::Event& event, const DataEvent& data) {
    if (in_epilogue(event)) return check_sums(event, false);
    const auto& from = addresses(event.address_slot);
    const bool matrices = data.instruction->opcode.starts_with("ldmatrix");
    int first_k = -1;
    for (int lane = 0; lane < 32; ++lane) {
      if (!active(event, lane)) continue;
      const uint64_t offset = from[static_cast<size_t>(lane)];
      const int stage = static_cast<int>(offset) / plan_.stage_bytes();
      const int in_stage = static_cast<int>(offset) % plan_.stage_bytes();
      bool found = false;
      for (const Operand o : {Operand::a, Operand::b}) {
        const Coord at = shared_element(shared_tile(o), in_stage);
        if (at.row < 0) continue;
        found = true;
        const Element element = element_at(offset);
        const Coord place{first(o) + at.row, data.k_step * plan_.block_k + at.col};
        if (data.k_step >= 0) {
          EXPECT_EQ(static_cast<bool>(element), inside(o, place)) << "lane " << lane;
        }
        if (element) {
          expect_element(o, element, at, stage);
          EXPECT_EQ(data.matrix, static_cast<int>(o));
        }
        if (matrices) {
          const LdmatrixMap& map = o == Operand::a ? plan_.load_a.map : plan_.load_b.map;
          const Coord row = ldmatrix_row(map, lane);
          const Coord origin = warp_origin(plan_, event.warp);
          const int mine = at.row - row.row - (o == Operand::a ? origin.row : origin.col);
          EXPECT_EQ(mine % 16, 0);
          EXPECT_GE(mine, 0);
          EXPECT_LT(mine, o == Operand::a ? plan_.warp_m : plan_.warp_n);
          if (first_k < 0) first_k = at.col - row.col;
          EXPECT_EQ(at.col - row.col, first_k);
          EXPECT_EQ(first_k % plan_.atom.k, 0);
        } else {
          const bool value = in_fragment(o, event.warp, lane, at);
          EXPECT_TRUE(value) << "lane " << lane << " reads another thread's elements";
        }
      }
      EXPECT_TRUE(found) << "shared byte " << offset << " lies in no tile";
    }
  }

  /// Does [outer, k] of the tile lie in the lane's fragments of an operand?
  bool in_fragment(Operand o, int warp, int lane, Coord at) const {
    const FragmentLayout& f = fragment_of(plan_.atom, o);
    const Coord origin = warp_origin(plan_, warp);
    const bool is_a = o == Operand::a;
    const int extent = is_a ? plan_.warp_m : plan_.warp_n,
              step = is_a ? plan_.atom.m : plan_.atom.n;
    for (int v = 0; v < f.values(); ++v) {
      const Coord in =
          fragment_coord(f, atom_thread_of(plan_, warp, lane), v);  // A [m, k], B [k, n]
      const int outer = at.row - (is_a ? origin.row + in.row : origin.col + in.col);
      const int k = at.col - warp_k_origin(plan_, warp) - (is_a ? in.col : in.row);
      if (outer >= 0 && outer < extent && outer % step == 0 && k >= 0 && k % plan_.atom.k == 0) {
        return true;
      }
    }
    return false;
  }

  /// The plan's barriers say when the slices are done, and shared memory holds sums.
  bool in_epilogue(const emulator::Event& event) const {
    if (!epilogue_region(plan_)) return false;
    const int loop = plan_.syncs.barriers(SyncWhen::before_slices) +
                     plan_.syncs.barriers(SyncWhen::each_slice) * plan_.work.k_slices;
    return static_cast<int>(event.epoch) >= loop;
  }
  /// Sums are stored by who holds them, in the part of k that the warp has, and loaded by who
  /// stores C.
  void check_sums(const emulator::Event& event, bool is_store) {
    const CopyMap& map = plan_.epilogue.map;
    for (int lane = 0; lane < 32; ++lane) {
      if (!active(event, lane)) continue;
      const uint64_t offset = addresses(event.address_slot)[static_cast<size_t>(lane)];
      const SharedPlace place = locate(plan_, static_cast<int>(offset), Phase::epilogue);
      ASSERT_GE(place.region, 0) << "shared byte " << offset << " lies in no tile";
      bool mine = false;
      if (is_store) {
        EXPECT_EQ(place.stage, part_of_warp(plan_, event.warp));
        for (int tile = 0; tile < mmas_m(plan_) * mmas_n(plan_) && !mine; ++tile) {
          for (int v = 0; v < plan_.atom.c.values() && !mine; ++v) {
            mine = accumulator_coord(plan_, event.warp, tile / mmas_n(plan_), tile % mmas_n(plan_),
                                     lane, v) == place.element;
          }
        }
      } else {
        for (int i = 0; i < map.iterations() && !mine; ++i) {
          mine = copy_coord(map, thread_of(event, lane), i) == place.element;
        }
      }
      EXPECT_TRUE(mine) << "lane " << lane << " at " << place.element.row << ", "
                        << place.element.col;
    }
  }

  void check_mma(const emulator::Event& event, const DataEvent& data) {
    const MmaAtom& atom = plan_.atom;
    const Coord origin = warp_origin(plan_, event.warp);
    const auto part = [&](size_t operand, const FragmentLayout& fragment, Operand o) {
      const std::vector<std::string>& registers = data.instruction->operands.at(operand);
      EXPECT_EQ(static_cast<int>(registers.size()), fragment.registers());
      for (int lane = 0; lane < 32; ++lane) {
        for (int v = 0; v < fragment.values(); ++v) {
          const Element element = element_of(
              gemm_,
              live_->of_register(event.warp, static_cast<uint32_t>(lane),
                                 registers[static_cast<size_t>(v / fragment.values_per_register)],
                                 v % fragment.values_per_register));
          const Coord in_tile = fragment_coord(fragment, lane, v);  // A [m, k], B [k, n]
          const int outer = o == Operand::a ? data.mma_row : data.mma_col;
          if (outer < 0 || data.mma_k < 0) {
            EXPECT_FALSE(element);
            continue;
          }
          const Coord place = o == Operand::a
                                  ? Coord{outer + in_tile.row, data.mma_k + in_tile.col}
                                  : Coord{data.mma_k + in_tile.row, outer + in_tile.col};
          const bool exists = place.row < operand_rows(gemm_.problem, o) &&
                              place.col < operand_cols(gemm_.problem, o);
          EXPECT_EQ(static_cast<bool>(element), exists) << "lane " << lane << ", value " << v;
          if (element) {
            EXPECT_EQ(element.matrix, static_cast<int>(o));
            EXPECT_EQ(element.at, place) << "lane " << lane << ", value " << v;
          }
        }
      }
    };
    part(1, atom.a, Operand::a);
    part(2, atom.b, Operand::b);
    if (data.mma_row >= 0) {
      const int at = data.mma_row - rect_.row - origin.row;
      EXPECT_EQ(at % atom.m, 0);
      EXPECT_TRUE(at >= 0 && at < plan_.warp_m);
    }
    if (data.mma_col >= 0) {
      const int at = data.mma_col - rect_.col - origin.col;
      EXPECT_EQ(at % atom.n, 0);
      EXPECT_TRUE(at >= 0 && at < plan_.warp_n);
    }
    if (data.mma_row >= 0 && data.mma_col >= 0) {
      ++mmas_[{event.warp, data.mma_row, data.mma_col, data.mma_k}];
    }
  }

  void check_fma(const DataEvent& data) {
    // The epilogue's own fma (beta) multiplies no A or B.
    EXPECT_LT(data.k_step, plan_.work.k_slices);
  }

  void check_result(const emulator::Event& event) {
    const auto& to = addresses(event.address_slot);
    for (int lane = 0; lane < 32; ++lane) {
      if (!active(event, lane)) continue;
      for (int byte = 0; byte < event.bytes; byte += 4) {
        const auto place = gemm_.locate(to[static_cast<size_t>(lane)]);
        ASSERT_EQ(place.matrix, static_cast<int>(Operand::c));
        const auto index = static_cast<int64_t>(place.offset + static_cast<unsigned>(byte)) / 4;
        const Coord at{static_cast<int>(index / gemm_.problem.n),
                       static_cast<int>(index % gemm_.problem.n)};
        ++stored_[{at.row, at.col}];
        const Coord in_block{at.row - rect_.row, at.col - rect_.col};
        EXPECT_TRUE(stores(event, lane, in_block)) << in_block.row << ", " << in_block.col;
      }
    }
  }
  /// Is it this lane that stores an element of the block tile?
  bool stores(const emulator::Event& event, int lane, Coord in_block) const {
    if (plan_.epilogue.kind == EpilogueKind::shared) {
      const CopyMap& map = plan_.epilogue.map;
      for (int i = 0; i < map.iterations(); ++i) {
        const Coord at = copy_coord(map, thread_of(event, lane), i);
        if (at.row == in_block.row && in_block.col >= at.col && in_block.col < at.col + map.width) {
          return true;
        }
      }
      return false;
    }
    const Coord origin = warp_origin(plan_, event.warp);
    const Coord in_warp{in_block.row - origin.row, in_block.col - origin.col};
    if (in_warp.row < 0 || in_warp.row >= plan_.warp_m || in_warp.col < 0 ||
        in_warp.col >= plan_.warp_n) {
      return false;
    }
    const Coord in_atom{in_warp.row % plan_.atom.m, in_warp.col % plan_.atom.n};
    return fragment_holder(plan_.atom.c, in_atom).thread == atom_thread_of(plan_, event.warp, lane);
  }

  void check_all_seen() {
    EXPECT_EQ(stored_.size(), static_cast<size_t>(rect_.rows * rect_.cols)) << describe(request_);
    for (const auto& [at, times] : stored_) EXPECT_EQ(times, 1);
    for (const auto& [chunk, times] : loaded_) EXPECT_EQ(times, 1);
    for (const auto& [tile, times] : mmas_) EXPECT_EQ(times, 1);
    if (plan_.math() == Math::mma) {
      size_t expected = 0;  // mma tiles that are not all padding
      for (int warp = 0; warp < plan_.warps(); ++warp) {
        const Coord origin = warp_origin(plan_, warp);
        const int rows = std::clamp(rect_.rows - origin.row, 0, plan_.warp_m);
        const int cols = std::clamp(rect_.cols - origin.col, 0, plan_.warp_n);
        // Of the k steps of a slice a warp has those of its part.
        int steps = 0;
        for (int step = 0; step < ceil_div(gemm_.problem.k, plan_.atom.k); ++step) {
          const int in_slice = step % (plan_.block_k / plan_.atom.k);
          steps += in_slice / mmas_k(plan_) == part_of_warp(plan_, warp) ? 1 : 0;
        }
        expected += static_cast<size_t>(ceil_div(rows, plan_.atom.m) *
                                        ceil_div(cols, plan_.atom.n) * steps);
      }
      EXPECT_EQ(mmas_.size(), expected) << describe(request_);
    }
    for (const auto& [chunk, slices] : copies_) EXPECT_EQ(slices, plan_.work.k_slices);
  }

  KernelRequest request_;
  std::string ptx_;
  EmulatedGemm gemm_;
  const KernelPlan plan_;
  InstructionLines lines_;
  DataFollower follower_;
  int x_, y_;
  const emulator::Trace* trace_ = nullptr;  // of the event under way
  const Live* live_ = nullptr;
  Rect rect_;
  std::map<std::array<int, 3>, int> copies_;         // warp, operand, iteration → slices
  std::map<std::array<int, 4>, int> loaded_, mmas_;  // …, warp row column k
  std::map<std::pair<int, int>, int> stored_;
};

}  // namespace tilescope::worker
