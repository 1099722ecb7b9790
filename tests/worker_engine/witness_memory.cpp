#include "witness.h"

#include <algorithm>
#include <bit>

namespace tilescope::worker {

void Witness::check_box(const emulator::Event& event, const DataEvent& data) {
  if (data.matrix < 0) return;  // all of it lies outside, or is what was filled up with
  EXPECT_EQ(event.active & (event.active - 1), 0u) << "one thread asks for a box";
  const auto o = static_cast<Operand>(data.matrix);
  const CopyMap& map = copy_map(o);
  const SharedTile& tile = shared_tile(o);
  const int slice = data.k_step, stage = stage_of_slice(plan_, item_.tile, slice);
  EXPECT_EQ(data.stage, stage);
  const auto first_byte = static_cast<int>(addresses(event.address_slot2)[0]);
  const Coord any = shared_element(tile, first_byte % plan_.stage_bytes());
  ASSERT_GE(any.row, 0);
  const int line = map.k_contiguous ? any.row : any.col;
  const int box = line / map.box_lines * map.chunks_per_line() +
                  (map.k_contiguous ? any.col : any.row) / map.width;
  EXPECT_TRUE(asks_for(o, box)) << "another CTA's part";
  ++boxes_[{index_, data.matrix, slice, box}];
  const Coord at = copy_coord(map, 0, box);
  for (int down = 0; down < map.box_lines; ++down) {
    for (int along = 0; along < map.width; ++along) {
      const Coord in_tile = at + (map.k_contiguous ? Coord{down, along} : Coord{along, down});
      const Coord place{first(o) + in_tile.row, slice * plan_.block_k + in_tile.col};
      const Element element = element_at(static_cast<uint64_t>(
          stage * plan_.stage_bytes() + shared_offset(tile, in_tile.row, in_tile.col)));
      if (!inside(o, place)) continue;
      EXPECT_EQ(element.matrix, data.matrix);
      EXPECT_EQ(element.at, matrix_coord(o, place.row, place.col));
    }
  }
}

bool Witness::asks_for(Operand o, int box) const {
  const Coord place = cluster_place(plan_.work.raster, cta_);
  const int part = o == Operand::a ? place.col : place.row;
  return box / (copy_map(o).chunks() / copy_map(o).shared_by) == part;
}

size_t Witness::expected_boxes() const {
  size_t expected = 0;
  for (const Operand o : {Operand::a, Operand::b}) {
    const CopyMap& map = copy_map(o);
    if (!by_boxes(map.kind)) continue;
    for (int slice = item_.k_begin; slice < item_.k_end; ++slice) {
      for (int i = 0; i < map.iterations(); ++i) {
        if (!asks_for(o, i)) continue;
        const Coord at = copy_coord(map, 0, i);
        expected += inside(o, {first(o) + at.row, slice * plan_.block_k + at.col}) ? 1 : 0;
      }
    }
  }
  return expected;
}

void Witness::check_copy(const emulator::Event& event, const DataEvent& data) {
  if (by_boxes(plan_.copy_a.kind)) return check_box(event, data);
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
      const int slice = item_.k_begin + copies_[{index_, event.warp, static_cast<int>(o), i}]++;
      for (int lane = 0; lane < 32; ++lane) {
        if (!active(event, lane)) continue;
        const Coord at = chunk(o, thread_of(event, lane), i);
        const Coord place{first(o) + at.row, slice * plan_.block_k + at.col};
        EXPECT_EQ(to[static_cast<size_t>(lane)] / static_cast<unsigned>(plan_.stage_bytes()),
                  static_cast<unsigned>(slice % plan_.stages()));
        const uint64_t from =
            no_global ? 0 : addresses(event.address_slot)[static_cast<size_t>(lane)];
        EXPECT_EQ(from, loads(o, place) ? address_of(o, place) : 0);
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

void Witness::check_global_load(const emulator::Event& event, const DataEvent& data) {
  if (data.matrix == static_cast<int>(Operand::c)) return;  // beta
  if (data.matrix < 0 && gemm_.workspace != 0) return check_workspace(event, false);
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
      if (found) ++loaded_[{index_, data.matrix, data.k_step, thread, i}];
    }
    EXPECT_TRUE(found) << "thread " << thread << " loads what is not its chunk";
  }
}

void Witness::check_buffered(const emulator::Event& event) {
  const bool matrices = element_bytes(gemm_.problem.type_c) == 2;
  for (int lane = 0; lane < 32; ++lane) {
    ASSERT_TRUE(active(event, lane));
    const uint64_t offset = addresses(event.address_slot)[static_cast<size_t>(lane)];
    const SharedPlace place = locate(plan_, static_cast<int>(offset), Phase::epilogue);
    ASSERT_GE(place.region, 0);
    EXPECT_EQ(place.stage / 2, event.warp) << "another warp's buffer";
    // A lane tells of a row of a matrix, or stores two of its own sums.
    EXPECT_EQ(place.element.row % (matrices ? 16 : 8), matrices ? lane % 16 : lane / 4);
    EXPECT_EQ(place.element.col % (matrices ? 16 : 8), matrices ? lane / 16 * 8 : lane % 4 * 2);
  }
  ++buffered_[{index_, event.warp}];
}

void Witness::check_sent(const emulator::Event& event) {
  EXPECT_EQ(event.active & (event.active - 1), 0u) << "one thread sends a box";
  if (event.address_slot < 0) return;  // all of it lies outside
  const auto from = static_cast<int>(addresses(event.address_slot2)[0]);
  const SharedPlace buffer = locate(plan_, from, Phase::epilogue);
  ASSERT_GE(buffer.region, 0);
  EXPECT_EQ(buffer.stage / 2, event.warp) << "another warp's buffer";
  EXPECT_EQ(buffer.element, (Coord{0, 0}));
  const auto place = follower_.locate(addresses(event.address_slot)[0]);
  ASSERT_EQ(place.buffer, static_cast<int>(Operand::c));
  const Coord at = global_coord(gemm_.problem, Operand::c, static_cast<long long>(place.offset));
  const Coord in_warp{at.row - rect_.row - warp_origin(plan_, event.warp).row, at.col - rect_.col};
  const int wide = plan_.epilogue.map.width;
  EXPECT_EQ(in_warp.row % 64, event.warp % 4 * 16);
  EXPECT_TRUE(in_warp.row >= 0 && in_warp.row < plan_.warp_m);
  EXPECT_TRUE(in_warp.col >= 0 && in_warp.col < plan_.block_n && in_warp.col % wide == 0);
  for (int row = at.row; row < std::min(at.row + 16, gemm_.problem.m); ++row) {
    for (int col = at.col; col < std::min(at.col + wide, gemm_.problem.n); ++col) {
      ++stored_[{row, col}];
    }
  }
}

void Witness::check_shared_store(const emulator::Event& event) {
  if (plan_.epilogue.kind == EpilogueKind::boxes) {
    const auto first = static_cast<int>(addresses(event.address_slot)[0]);
    if (locate(plan_, first, Phase::epilogue).region >= 0) return check_buffered(event);
  }
  if (plan_.split.present()) return check_split(event, true);
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

void Witness::expect_element(Operand o, Element element, Coord at, int stage) {
  EXPECT_EQ(element.matrix, static_cast<int>(o));
  const Coord place = element.at;
  const Coord outer_k = o == Operand::a ? place : Coord{place.col, place.row};
  EXPECT_EQ(outer_k.row, first(o) + at.row);
  EXPECT_EQ(outer_k.col % plan_.block_k, at.col);
  EXPECT_EQ(outer_k.col / plan_.block_k % plan_.stages(), stage);
}

void Witness::check_shared_load(const emulator::Event& event, const DataEvent& data) {
  if (plan_.split.present()) return check_split(event, false);
  if (in_epilogue(event)) return check_sums(event, false);
  const auto& from = addresses(event.address_slot);
  const bool matrices = data.instruction->opcode.starts_with("ldmatrix");
  int first_k = -1;
  // Fragments loaded ahead of a slice that does not come: what lies there may be of another tile.
  const bool in_vain = int64_t{event.epoch} >= items_.items()[static_cast<size_t>(index_)].after;
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
      if (data.k_step >= 0 && !in_vain) {
        EXPECT_EQ(static_cast<bool>(element), inside(o, place)) << "lane " << lane;
      }
      if (element && !in_vain) {
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
        bool value = in_fragment(o, event.warp, lane, at);
        // wmma.load across the lines: what a lane reads goes on to another.
        for (int other = 0; !value && load_of(plan_, o).transposed && other < 32; ++other) {
          value = in_fragment(o, event.warp, other, at);
        }
        EXPECT_TRUE(value) << "lane " << lane << " reads another thread's elements";
      }
    }
    EXPECT_TRUE(found) << "shared byte " << offset << " lies in no tile";
  }
}

bool Witness::in_fragment(Operand o, int warp, int lane, Coord at) const {
  const FragmentLayout& f = fragment_of(plan_.atom, o);
  const Coord origin = warp_origin(plan_, warp);
  const bool is_a = o == Operand::a;
  const int extent = is_a ? plan_.warp_m : plan_.warp_n, step = is_a ? plan_.atom.m : plan_.atom.n;
  for (int v = 0; v < f.values(); ++v) {
    const Coord in = fragment_coord(f, atom_thread_of(plan_, warp, lane), v);  // A [m, k], B [k, n]
    const int outer = at.row - (is_a ? origin.row + in.row : origin.col + in.col);
    const int k = at.col - warp_k_origin(plan_, warp) - (is_a ? in.col : in.row);
    if (outer >= 0 && outer < extent && outer % step == 0 && k >= 0 && k % plan_.atom.k == 0) {
      return true;
    }
  }
  return false;
}

bool Witness::in_epilogue(const emulator::Event& event) const {
  if (!epilogue_region(plan_)) return false;
  return int64_t{event.epoch} >= items_.items()[static_cast<size_t>(index_)].after;
}

void Witness::check_sums(const emulator::Event& event, bool is_store) {
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

void Witness::check_workspace(const emulator::Event& event, bool is_store) {
  const auto& at = addresses(event.address_slot);
  // One counter for all, or one for each warp.
  const bool by_warps = plan_.producer_threads > 0;
  const long long counter = counter_offset(plan_.work, item_.tile, by_warps ? event.warp : 0);
  const int lane0 = std::countr_zero(event.active);
  const auto offset = [&](int lane) {
    return static_cast<long long>(at[static_cast<size_t>(lane)] - gemm_.workspace);
  };
  EXPECT_TRUE(item_.partial) << "a tile that nobody shares has no place in the workspace";
  if (event.bytes == 4) {  // thread 0 waits for the parts, and sets the counter back
    EXPECT_EQ(event.active, 1u);
    EXPECT_EQ(by_warps ? lane0 : thread_of(event, lane0), 0);
    EXPECT_EQ(offset(lane0), counter);
    EXPECT_TRUE(completes(item_));
    return;
  }
  const int bytes = part_bytes(plan_), accesses = bytes / (plan_.threads * kSumsPerAccess * 4);
  const int before = parts_[{index_, event.warp, is_store}]++;
  const TileParts parts = tile_parts(plan_.work, item_.tile);
  // Who adds the parts goes through them in their order; Stream-K's first keeps its own.
  const int skipped = plan_.work.kind == WorkKind::stream_k ? 1 : 0;
  const int cta = is_store ? cta_ : parts.cta(before / accesses + skipped);
  for (int lane = 0; lane < 32; ++lane) {
    ASSERT_TRUE(active(event, lane));
    EXPECT_EQ(offset(lane),
              part_offset(plan_.work, bytes, cta) +
                  sums_offset(plan_.threads, before % accesses, thread_of(event, lane)));
  }
}

}  // namespace tilescope::worker
