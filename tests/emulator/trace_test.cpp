// The event list of a CTA.
#include <algorithm>
#include <tuple>

#include "support.h"

namespace tilescope::emulator::test::trace_file {
namespace {

RunResult traced_gemm(TraceOptions trace, Memory& memory, uint64_t& a, uint64_t& b) {
  auto program = parse(read_kernel("hgemm_mma.ptx"));
  a = memory.allocate("A", 256 * 256 * 2, true);
  b = memory.allocate("B", 256 * 256 * 2, true);
  const uint64_t c = memory.allocate("C", 256 * 256 * 4);
  Launch launch{{2, 2, 1}, {256, 1, 1}, 98304, parameters(a, b, c, 256u, 256u, 256u)};
  RunOptions options;
  options.trace = trace;
  options.threads = 2;
  RunResult r = run(*program, "hgemm_mma", launch, memory, options);
  EXPECT_FALSE(r.fault);
  EXPECT_TRUE(r.trace);
  return r;
}

TEST(Trace, HoldsEveryEventInOrder) {
  Memory memory;
  uint64_t a = 0, b = 0;
  TraceOptions options;
  options.cta = {1, 1, 0};
  const RunResult r = traced_gemm(options, memory, a, b);
  const Trace& t = *r.trace;
  EXPECT_EQ(t.warps, 8u);
  EXPECT_FALSE(t.truncated);
  std::map<EventKind, uint64_t> kinds;
  std::vector<uint32_t> next(8), epoch(8);
  for (const Event& e : t.events) {
    ++kinds[e.kind];
    EXPECT_EQ(e.index, next[e.warp]++);
    EXPECT_GE(e.epoch, epoch[e.warp]);
    epoch[e.warp] = e.epoch;
    EXPECT_EQ(e.active, 0xffffffffu);
    EXPECT_GT(e.ptx_line, 0);
  }
  // 4 k tiles: copies 8 per tile and warp; commits 2 + 4 and waits 4; one barrier per tile.
  EXPECT_EQ(kinds[EventKind::copy], 8u * 4 * 8);
  EXPECT_EQ(kinds[EventKind::wait], 8u * (2 + 4 + 4));
  EXPECT_EQ(kinds[EventKind::barrier], 8u * 4);
  EXPECT_EQ(kinds[EventKind::load_shared], 8u * 4 * 24);
  EXPECT_EQ(kinds[EventKind::mma], 8u * 4 * 64);
  EXPECT_EQ(kinds[EventKind::store_global], 8u * 32);
  EXPECT_EQ(t.events_in_warp, next);
  EXPECT_EQ(t.epochs_in_warp, std::vector<uint32_t>(8, 4));
}

TEST(Trace, EndsWithAnEpoch) {
  Memory memory;
  uint64_t a = 0, b = 0;
  TraceOptions options;
  const RunResult whole = traced_gemm(options, memory, a, b);
  options.end_epoch = 2;
  const Trace ended = *traced_gemm(options, memory, a, b).trace;
  for (uint32_t warp = 0; warp < 8; ++warp) {
    // All of the two epochs, and nothing of the third but what its first warps had begun.
    const auto of_epochs =
        std::count_if(whole.trace->events.begin(), whole.trace->events.end(),
                      [warp](const Event& e) { return e.warp == warp && e.epoch < 2; });
    EXPECT_GE(ended.events_in_warp[warp], of_epochs);
    EXPECT_LT(ended.events_in_warp[warp], whole.trace->events_in_warp[warp]);
    EXPECT_EQ(ended.epochs_in_warp[warp], 2u);
  }
}

TEST(Trace, GivesAddresses) {
  Memory memory;
  uint64_t a = 0, b = 0;
  TraceOptions options;
  options.cta = {1, 1, 0};
  const RunResult r = traced_gemm(options, memory, a, b);
  const Trace& t = *r.trace;
  const auto first = std::find_if(t.events.begin(), t.events.end(), [](const Event& e) {
    return e.kind == EventKind::copy && e.warp == 2;
  });
  ASSERT_NE(first, t.events.end());
  EXPECT_EQ(first->bytes, 16);
  ASSERT_GE(first->address_slot, 0);
  ASSERT_GE(first->address_slot2, 0);
  for (uint32_t l = 0; l < 32; ++l) {  // A rows 128 + 8 + l/8, chunk l%8, swizzled by the row
    const uint32_t row = 8 + l / 8, chunk = l % 8;
    EXPECT_EQ(t.addresses[static_cast<size_t>(first->address_slot)][l],
              a + (128 + row) * 512 + chunk * 16);
    EXPECT_EQ(t.addresses[static_cast<size_t>(first->address_slot2)][l],
              row * 128 + (chunk ^ (row % 8)) * 16);
  }
  uint16_t most = 0;
  for (const Event& e : t.events) most = std::max(most, e.pending_groups);
  EXPECT_EQ(most, 2);
}

TEST(Trace, FiltersAndKeepsTheEnd) {
  Memory memory;
  uint64_t a = 0, b = 0;
  TraceOptions options;
  options.cta = {0, 0, 0};
  options.keep = [](const TraceClock& c) { return c.epoch == 2 && c.warp < 2; };
  options.keep_last_per_warp = 5;
  const RunResult r = traced_gemm(options, memory, a, b);
  const Trace& t = *r.trace;
  std::vector<uint32_t> tail(8), last(8);
  uint64_t middle = 0;
  for (const Event& e : t.events) {
    if (e.index + 5 >= t.events_in_warp[e.warp]) {
      ++tail[e.warp];
      EXPECT_EQ(e.kind, EventKind::store_global);
      EXPECT_GE(e.address_slot, 0);
    } else {
      ++middle;
      EXPECT_EQ(e.epoch, 2u);
      EXPECT_LT(e.warp, 2);
    }
    EXPECT_TRUE(e.index == 0 || e.index > last[e.warp]);
    last[e.warp] = e.index;
  }
  EXPECT_EQ(tail, std::vector<uint32_t>(8, 5));
  // Epoch 2: 8 copies, a commit, 24 ldmatrix, 64 mma; the next wait and barrier are in it too.
  EXPECT_EQ(middle, 2u * (8 + 1 + 24 + 64 + 2));
}

// Blocks outside of the ranges run unwatched; what is recorded must not show it.
TEST(Trace, RangesKeepWhatAFilterWould) {
  for (const bool by_epoch : {true, false}) {
    TraceRanges ranges{by_epoch, {{3, 17}, {150, 301}}};
    if (by_epoch) ranges.kept = {{1, 2}, {4, 5}};
    TraceOptions filtered, ranged;
    filtered.keep = [&](const TraceClock& c) {
      const uint32_t place = by_epoch ? c.epoch : c.event_index;
      return std::ranges::any_of(
          ranges.kept, [&](const auto& r) { return place >= r.first && place < r.second; });
    };
    ranged.ranges = ranges;
    Memory memory, again;
    uint64_t a = 0, b = 0;
    const Trace expected = *traced_gemm(filtered, memory, a, b).trace;
    const Trace found = *traced_gemm(ranged, again, a, b).trace;
    EXPECT_EQ(found.events_in_warp, expected.events_in_warp);
    EXPECT_EQ(found.epochs_in_warp, expected.epochs_in_warp);
    EXPECT_EQ(found.addresses, expected.addresses);
    ASSERT_EQ(found.events.size(), expected.events.size());
    EXPECT_GT(found.events.size(), 0u);
    for (size_t i = 0; i < found.events.size(); ++i) {
      const Event &f = found.events[i], &e = expected.events[i];
      EXPECT_EQ(std::tie(f.epoch, f.index, f.warp, f.kind, f.bytes, f.active, f.ptx_line,
                         f.address_slot, f.address_slot2, f.pending_groups),
                std::tie(e.epoch, e.index, e.warp, e.kind, e.bytes, e.active, e.ptx_line,
                         e.address_slot, e.address_slot2, e.pending_groups));
    }
  }
}

// 256 / 64 k tiles: copies, products and barriers in the loop, the rest around it.
TEST(Trace, CountsTheIterationsOfTheOutermostLoop) {
  Memory memory;
  uint64_t a = 0, b = 0;
  const Trace t = *traced_gemm({}, memory, a, b).trace;
  ASSERT_EQ(t.loops.size(), 1u);
  EXPECT_EQ(t.loops[0].iterations, 4u);
  EXPECT_GT(t.loops[0].ptx_line, 0);
  std::map<int, uint64_t> products;  // by iteration
  std::map<std::pair<int, int>, int> last;
  uint64_t inside = 0;
  for (const Event& e : t.events) {
    EXPECT_EQ(e.loop, e.iteration < 0 ? -1 : 0);
    inside += e.loop == 0;
    if (e.kind == EventKind::mma) ++products[e.iteration];
    if (e.kind == EventKind::store_global) {
      EXPECT_EQ(e.iteration, -1);
    }
    if (e.kind == EventKind::barrier) {
      EXPECT_EQ(e.iteration, static_cast<int>(e.epoch));
    }
    EXPECT_GE(e.iteration, e.iteration < 0 ? -1 : (last[{e.warp, e.loop}]));
    if (e.iteration >= 0) last[{e.warp, e.loop}] = e.iteration;
  }
  EXPECT_EQ(products, (std::map<int, uint64_t>{{0, 512}, {1, 512}, {2, 512}, {3, 512}}));
  EXPECT_EQ(t.loops[0].events, inside);
}

TEST(Trace, KeepsChosenIterationsAndWhatLiesAround) {
  Memory memory, again;
  uint64_t a = 0, b = 0;
  const auto wanted = [](const Event& e) { return e.iteration < 1 || e.iteration == 3; };
  TraceOptions ranged;
  ranged.ranges = TraceRanges{true, {}, {{{{0, 1}, {3, 4}}}}};
  const Trace all = *traced_gemm({}, memory, a, b).trace;
  const Trace found = *traced_gemm(ranged, again, a, b).trace;
  EXPECT_EQ(found.events_in_warp, all.events_in_warp);
  EXPECT_EQ(found.loops[0].events, all.loops[0].events);
  size_t i = 0;
  for (const Event& e : all.events) {
    if (!wanted(e)) continue;
    ASSERT_LT(i, found.events.size());
    const Event& f = found.events[i++];
    EXPECT_EQ(std::tie(f.warp, f.index, f.step, f.kind, f.ptx_line, f.loop, f.iteration),
              std::tie(e.warp, e.index, e.step, e.kind, e.ptx_line, e.loop, e.iteration));
  }
  EXPECT_EQ(i, found.events.size());
  EXPECT_LT(i, all.events.size());
}

// Each lane goes around as often as its number says, and a function that is called there loads for
// it: those that go on are where they are, whatever the others do. A second loop counts anew, and
// one inside of it not at all.
TEST(Trace, CountsLoopsByLane) {
  const auto program = parse(R"(.version 8.0
.target sm_80
.address_size 64
.func load(.param .b64 from)
{
  .reg .b64 %a;
  .reg .b32 %v;
  ld.param.u64 %a, [from];
  ld.global.u32 %v, [%a];
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry loops(.param .u64 buffer)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  ld.global.u32 %r6, [%rd1];
FIRST:
  {
    .param .b64 p;
    st.param.b64 [p], %rd1;
    call.uni load, (p);
  }
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p1, %r2, %r1;
  @%p1 bra FIRST;
  mov.u32 %r3, 0;
SECOND:
  mov.u32 %r4, 0;
INNER:
  st.global.u32 [%rd1], %r4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 3;
  @%p2 bra INNER;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p3, %r3, 2;
  @%p3 bra SECOND;
  ret;
}
)");
  ASSERT_TRUE(program);
  Memory memory;
  const uint64_t buffer = memory.allocate("buffer", 4);
  RunOptions options;
  options.trace.emplace();
  const RunResult r =
      run(*program, "loops", {{1, 1, 1}, {32, 1, 1}, 0, parameters(buffer)}, memory, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  ASSERT_EQ(r.trace->loops.size(), 2u);
  EXPECT_EQ(r.trace->loops[0].iterations, 32u);
  EXPECT_EQ(r.trace->loops[1].iterations, 2u);
  std::vector<std::tuple<int, int, uint32_t>> expected = {{-1, -1, ~0u}};
  for (int i = 0; i < 32; ++i) {  // the load and the store
    for (int twice = 0; twice < 2; ++twice) expected.emplace_back(0, i, ~0u << i);
  }
  for (int i = 0; i < 6; ++i) expected.emplace_back(1, i / 3, ~0u);
  std::vector<std::tuple<int, int, uint32_t>> found;
  for (const Event& e : r.trace->events) found.emplace_back(e.loop, e.iteration, e.active);
  EXPECT_EQ(found, expected);
}

TEST(Trace, StopsAtItsLimit) {
  Memory memory;
  uint64_t a = 0, b = 0;
  TraceOptions options;
  options.max_events = 100;
  const RunResult r = traced_gemm(options, memory, a, b);
  EXPECT_TRUE(r.trace->truncated);
  EXPECT_EQ(r.trace->events.size(), 100u);
  EXPECT_EQ(r.trace->events_in_warp[7], r.trace->events_in_warp[0]);
}

TEST(Trace, RecordsFmaOnRequest) {
  auto program = parse(read_kernel("sgemm_tiled.ptx"));
  for (const bool fma : {false, true}) {
    Memory memory;
    const uint64_t a = memory.allocate("A", 128 * 8 * 4), b = memory.allocate("B", 8 * 128 * 4),
                   c = memory.allocate("C", 128 * 128 * 4);
    RunOptions options;
    options.trace = TraceOptions{};
    options.trace->fma = fma;
    const RunResult r =
        run(*program, "sgemm_tiled",
            {{1, 1, 1}, {256, 1, 1}, 0, parameters(a, b, c, 128u, 128u, 8u)}, memory, options);
    ASSERT_TRUE(r.trace);
    uint64_t n = 0, loads = 0;
    for (const Event& e : r.trace->events) {
      n += e.kind == EventKind::fma;
      loads += e.kind == EventKind::load_shared;
    }
    EXPECT_EQ(n, fma ? 8u * 8 * 64 : 0u);
    EXPECT_EQ(loads, 8u * 8 * 4);
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::trace_file
