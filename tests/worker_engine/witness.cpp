#include "witness.h"

#include <bit>

namespace tilescope::worker {

void Witness::check_event(const emulator::Event& event, const DataEvent& data) {
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

void Witness::check() {
  emulator::Provenance::Options following;
  following.each = [this](const emulator::Trace& so_far, const Live& live) {
    if (testing::Test::HasFailure()) return;
    trace_ = &so_far, live_ = &live;
    const DataEvent data = follower_.follow(so_far, live);
    set_item(items_.item_of(so_far.events.back(), data));
    check_event(so_far.events.back(), data);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << describe(request_) << ", PTX line " << so_far.events.back().ptx_line;
    }
  };
  emulator::Provenance provenance(std::move(following));
  emulator::RunOptions options;
  options.ctas = chosen();
  options.trace.emplace();
  options.trace->cta = dim3(at_);
  options.trace->fma = plan_.math() == Math::simt;
  options.provenance = &provenance;
  const auto ran = gemm_.run(options);
  ASSERT_FALSE(ran.fault) << ran.fault->message;
  EXPECT_FALSE(ran.trace->truncated);
  if (!testing::Test::HasFailure()) check_all_seen();
}

/// With those of split-K that share its tile: who comes last depends on all of them.
std::vector<emulator::Dim3> Witness::chosen() const {
  std::vector<emulator::Dim3> ctas = {dim3(at_)};
  if (stays(plan_.work)) return ctas;
  ctas.clear();
  const TileParts parts = tile_parts(plan_.work, item_.tile);
  for (int part = 0; part < parts.count; ++part) {
    ctas.push_back(dim3(block_index(launch_of(plan_), parts.cta(part))));
  }
  return ctas;
}

void Witness::check_factors(const DataEvent& data) {
  const emulator::Moved moved = live_->moved();
  const auto matrix = [&](const emulator::Origin& origin) { return element_of(gemm_, origin); };
  const int k = data.mma_k;
  const int rows = plan_.atom.m / plan_.warps_per_atom();
  for (int i = 0; i < rows && data.mma_row >= 0; ++i) {
    const Coord place{data.mma_row + i, k};
    const Element element = matrix(moved.a[static_cast<size_t>(i)]);
    EXPECT_EQ(static_cast<bool>(element), place.row < gemm_.problem.m) << "row " << i;
    if (!element) continue;
    EXPECT_EQ(element.matrix, static_cast<int>(Operand::a));
    EXPECT_EQ(element.at, place) << "row " << i;
  }
  ASSERT_EQ(moved.more_b.size(), static_cast<size_t>(std::max(0, plan_.atom.n - 32)));
  for (int i = 0; i < plan_.atom.n && data.mma_col >= 0; ++i) {
    const Coord place{k, data.mma_col + i};
    const auto column = static_cast<size_t>(i);
    const Element element = matrix(i < 32 ? moved.b[column] : moved.more_b[column - 32].first);
    EXPECT_EQ(static_cast<bool>(element), place.col < gemm_.problem.n) << "column " << i;
    if (!element) continue;
    EXPECT_EQ(element.matrix, static_cast<int>(Operand::b));
    EXPECT_EQ(element.at, place) << "column " << i;
  }
}

void Witness::check_mma(const emulator::Event& event, const DataEvent& data) {
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
        const Coord place = o == Operand::a ? Coord{outer + in_tile.row, data.mma_k + in_tile.col}
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
  if (atom.in_shared(Operand::b)) {
    check_factors(data);
  } else {
    part(1, atom.a, Operand::a);
    part(2, atom.b, Operand::b);
  }
  if (data.mma_row >= 0) {
    const int at = data.mma_row - rect_.row - origin.row - first_row_in_atom(event.warp);
    EXPECT_EQ(at % atom.m, 0);
    EXPECT_TRUE(at >= 0 && at < plan_.warp_m);
  }
  if (data.mma_col >= 0) {
    const int at = data.mma_col - rect_.col - origin.col;
    EXPECT_EQ(at % atom.n, 0);
    EXPECT_TRUE(at >= 0 && at < plan_.warp_n);
  }
  if (data.mma_row >= 0 && data.mma_col >= 0) {
    ++mmas_[{event.warp, data.mma_row, data.mma_col, data.mma_k, rests_of(live_->moved())}];
    EXPECT_GE(data.mma_k / plan_.block_k, item_.k_begin);
    EXPECT_LT(data.mma_k / plan_.block_k, item_.k_end);
  }
}

void Witness::check_fma(const DataEvent& data) {
  // The epilogue's own fma (beta) multiplies no A or B.
  EXPECT_LT(data.k_step, plan_.work.k_slices);
}

void Witness::check_result(const emulator::Event& event) {
  // Of a bulk store the trace knows both sides, or neither.
  if (event.address_slot < 0 || event.address_slot2 >= 0) return check_sent(event);
  const auto& to = addresses(event.address_slot);
  const int lane0 = std::countr_zero(event.active);
  if (follower_.locate(to[static_cast<size_t>(lane0)]).buffer < 0 && gemm_.workspace != 0) {
    return check_workspace(event, true);
  }
  for (int lane = 0; lane < 32; ++lane) {
    if (!active(event, lane)) continue;
    for (int byte = 0; byte < event.bytes; byte += element_bytes(gemm_.problem.type_c)) {
      const auto place = follower_.locate(to[static_cast<size_t>(lane)]);
      ASSERT_EQ(place.buffer, static_cast<int>(Operand::c));
      const Coord at =
          global_coord(gemm_.problem, Operand::c, static_cast<long long>(place.offset) + byte);
      ++stored_[{at.row, at.col}];
      const Coord in_block{at.row - rect_.row, at.col - rect_.col};
      EXPECT_TRUE(stores(event, lane, in_block)) << in_block.row << ", " << in_block.col;
    }
  }
}

bool Witness::stores(const emulator::Event& event, int lane, Coord in_block) const {
  if (plan_.epilogue.kind == EpilogueKind::shared) {
    const CopyMap& map = plan_.epilogue.map;
    for (int i = 0; i < map.iterations(); ++i) {
      const Coord at = copy_coord(map, thread_of(event, lane), i);
      const int across = map.k_contiguous ? in_block.row - at.row : in_block.col - at.col;
      const int along = map.k_contiguous ? in_block.col - at.col : in_block.row - at.row;
      if (across == 0 && along >= 0 && along < map.width) return true;
    }
    return false;
  }
  const Coord origin = warp_origin(plan_, event.warp);
  const Coord in_warp{in_block.row - origin.row, in_block.col - origin.col};
  if (in_warp.row < 0 || in_warp.row >= plan_.warp_m || in_warp.col < 0 ||
      in_warp.col >= plan_.warp_n) {
    return false;
  }
  if (plan_.epilogue.atoms == 2) {  // two tiles of m16n8 side by side
    const int row = in_warp.row % 8, col = in_warp.col % 16;
    const int pair = col % 8 / 2;
    if (plan_.epilogue.width == 4) return lane == row * 4 + pair / 2 * 2 + col / 8;
    if (plan_.epilogue.width == 2) return lane == row / 2 * 8 + col / 8 * 4 + pair;
    return lane == row / 4 * 16 + col / 8 * 8 + col % 2 * 4 + pair;
  }
  const Coord in_atom{in_warp.row % plan_.atom.m, in_warp.col % plan_.atom.n};
  return fragment_holder(plan_.atom.c, in_atom).thread == atom_thread_of(plan_, event.warp, lane);
}

void Witness::check_all_seen() {
  for (const auto& [at, times] : stored_) EXPECT_EQ(times, 1);
  for (const auto& [chunk, times] : loaded_) EXPECT_EQ(times, 1);
  for (const auto& [tile, times] : mmas_) EXPECT_EQ(times, 1);
  for (const auto& [chunk, slices] : copies_) {
    const WorkItem item = work_item(plan_.work, cta_, chunk[0]);
    EXPECT_EQ(slices, item.k_end - item.k_begin);
  }
  size_t stored = 0, mmas = 0, boxes = 0;
  for (int i = 0; i < work_items(plan_.work, cta_); ++i) {
    set_item(i);
    if (completes(item_)) stored += static_cast<size_t>(rect_.rows * rect_.cols);
    mmas += expected_mmas();
    boxes += expected_boxes();
    check_parts();
    check_buffers();
  }
  EXPECT_EQ(stored_.size(), stored) << describe(request_);
  EXPECT_EQ(boxes_.size(), boxes) << describe(request_);
  for (const auto& [box, times] : boxes_) EXPECT_EQ(times, 1);
  if (plan_.math() == Math::mma) {
    EXPECT_EQ(mmas_.size(), mmas) << describe(request_);
  }
}

size_t Witness::expected_mmas() const {
  size_t expected = 0;
  for (int warp = 0; warp < plan_.warps(); ++warp) {
    const Coord origin = warp_origin(plan_, warp);
    const int rows = std::clamp(rect_.rows - origin.row, 0, plan_.warp_m);
    const int cols = std::clamp(rect_.cols - origin.col, 0, plan_.warp_n);
    // Of the k steps of a slice a warp has those of its part.
    const int in_slice = plan_.block_k / plan_.atom.k;
    const int end = std::min(item_.k_end * in_slice, ceil_div(gemm_.problem.k, plan_.atom.k));
    int steps = 0;
    for (int step = item_.k_begin * in_slice; step < end; ++step) {
      steps += step % in_slice / mmas_k(plan_) == part_of_warp(plan_, warp) ? 1 : 0;
    }
    int atoms = 0;  // with a row of the warp's in them
    for (int mi = 0; mi < mmas_m(plan_); ++mi) {
      atoms += mi * plan_.atom.m + first_row_in_atom(warp) < rows ? 1 : 0;
    }
    expected += static_cast<size_t>(atoms * ceil_div(cols, plan_.atom.n) * steps);
  }
  return plan_.split.present() ? 3 * expected : expected;
}

void Witness::check_buffers() {
  if (plan_.epilogue.kind != EpilogueKind::boxes || !completes(item_)) return;
  const int bytes = element_bytes(gemm_.problem.type_c);
  const int of_warp = plan_.warp_m / 4 * plan_.block_n * bytes;
  const int a_store = bytes == 2 ? 32 * 16 : 32 * 8;  // bytes
  for (int warp = 0; warp < plan_.warps(); ++warp) {
    EXPECT_EQ((buffered_[{index_, warp}]), of_warp / a_store) << describe(request_);
  }
}

void Witness::check_parts() {
  const int accesses = part_bytes(plan_) / (plan_.threads * kSumsPerAccess * 4);
  const bool stream = plan_.work.kind == WorkKind::stream_k, takes = completes(item_);
  const int given = item_.partial && !(stream && takes) ? 1 : 0;
  const int taken =
      item_.partial && takes ? tile_parts(plan_.work, item_.tile).count - (stream ? 1 : 0) : 0;
  for (int warp = 0; warp < plan_.warps(); ++warp) {
    EXPECT_EQ((parts_[{index_, warp, true}]), given * accesses) << describe(request_);
    EXPECT_EQ((parts_[{index_, warp, false}]), taken * accesses) << describe(request_);
  }
}

}  // namespace tilescope::worker
