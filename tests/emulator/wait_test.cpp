// CTAs that wait for each other: kernels/ctas.cu.
#include <algorithm>
#include <numeric>

#include "emulator/provenance.h"
#include "support.h"

namespace tilescope::emulator::test {
namespace {

using Kind = Fault::Kind;

const std::shared_ptr<const Program>& kernels() {
  static const auto program = parse(read_kernel("ctas.ptx"));
  return program;
}

/// Buffers of one launch; those of words are zero at first.
struct Bench {
  Memory memory;
  std::vector<uint64_t> buffers;
  uint64_t add(const std::string& name, uint64_t words, bool read_only = false) {
    buffers.push_back(memory.allocate(name, words * 4, read_only));
    return buffers.back();
  }
  uint32_t* words(size_t i) { return data<uint32_t>(memory, buffers[i]); }
};

RunResult run_ctas(Bench& bench, const char* entry, Dim3 grid, Dim3 block,
                   std::vector<std::byte> arguments, const RunOptions& options = {}) {
  return run(*kernels(), entry, Launch{grid, block, 0, std::move(arguments)}, bench.memory,
             options);
}

struct Product : Bench {
  uint32_t tiles, k;
  Product(uint32_t tiles_m, uint32_t depth) : tiles(tiles_m), k(depth) {
    const uint64_t a = add("A", uint64_t{tiles} * 16 * k, true), b = add("B", k * 16, true);
    add("C", tiles * 256);
    add("parts", 64 * 256);
    add("flags", 64);
    for (uint32_t i = 0; i < tiles * 16 * k; ++i) {
      data<float>(memory, a)[i] = static_cast<float>(small_value(i, 3)) / 512;
    }
    for (uint32_t i = 0; i < k * 16; ++i) {
      data<float>(memory, b)[i] = static_cast<float>(small_value(i, 5)) / 512;
    }
  }
  float expected(uint32_t row, uint32_t col) const {
    int sum = 0;
    for (uint32_t i = 0; i < k; ++i) {
      sum += small_value(row * k + i, 3) * small_value(i * 16 + col, 5);
    }
    return static_cast<float>(sum) / 262144;
  }
  void expect_right() {
    for (uint32_t i = 0; i < tiles * 256; ++i) {
      ASSERT_EQ(data<float>(memory, buffers[2])[i], expected(i / 16, i % 16)) << i;
    }
  }
  RunResult split(const char* entry, uint32_t splits, const RunOptions& options = {}) {
    auto arguments = parameters(buffers[0], buffers[1], buffers[2], k);
    if (std::string(entry) != "split_k_atomic") {
      append(arguments, buffers[3]), append(arguments, buffers[4]);
    }
    return run_ctas(*this, entry, {tiles, splits, 1}, {16, 16, 1}, arguments, options);
  }
  RunResult stream(const char* entry, uint32_t ctas, const RunOptions& options = {}) {
    return run_ctas(
        *this, entry, {ctas, 1, 1}, {16, 16, 1},
        parameters(buffers[0], buffers[1], buffers[2], k, tiles, buffers[3], buffers[4]), options);
  }
};

void expect_same(const Counts& a, const Counts& b) {
  EXPECT_EQ(a.by_opcode, b.by_opcode);
  EXPECT_EQ(a.warp_instructions, b.warp_instructions);
  EXPECT_EQ(a.lane_instructions, b.lane_instructions);
  EXPECT_EQ(a.barriers, b.barriers);
  EXPECT_EQ(a.global_load.sectors, b.global_load.sectors);
  EXPECT_EQ(a.polls, b.polls);
  EXPECT_EQ(a.poll_instructions, b.poll_instructions);
}

TEST(Waits, SplitKByTheLastCta) {
  Product p(3, 96);
  const RunResult r = p.split("split_k_last", 4);
  ASSERT_FALSE(r.fault) << r.fault->message;
  p.expect_right();
  EXPECT_EQ(r.counts.ctas, 12u);
  EXPECT_EQ(r.counts.polls, 0u);
}

TEST(Waits, SplitKByAtomicsHasOneOrder) {
  Product p(3, 96);
  ASSERT_FALSE(p.split("split_k_atomic", 4).fault);
  p.expect_right();
}

TEST(Waits, StreamKSpinsOnFlags) {
  for (const uint32_t ctas : {1u, 4u, 7u, 16u}) {
    Product p(3, 96);
    const RunResult r = p.stream("stream_k_flags", ctas);
    ASSERT_FALSE(r.fault) << r.fault->message;
    p.expect_right();
    EXPECT_EQ(r.counts.ctas, ctas);
    EXPECT_TRUE(r.taken_along.empty());
    EXPECT_EQ(r.counts.polls > 0, ctas > 1);
  }
}

// Counts are those of CTAs that find their flags set: the same CTA by CTA, last one first.
TEST(Waits, PollsAreCountedApart) {
  Product whole(3, 96), one_by_one(3, 96);
  const RunResult all = whole.stream("stream_k_flags", 7);
  Counts sum;
  for (uint32_t i = 7; i-- > 0;) {
    RunOptions options;
    options.ctas = {{i, 0, 0}};
    const RunResult r = one_by_one.stream("stream_k_flags", 7, options);
    ASSERT_FALSE(r.fault) << r.fault->message;
    EXPECT_TRUE(r.taken_along.empty());
    EXPECT_EQ(r.counts.polls, 0u);
    sum += r.counts;
  }
  one_by_one.expect_right();
  EXPECT_GT(all.counts.polls, 0u);
  EXPECT_GT(all.counts.poll_instructions, all.counts.polls);
  sum.polls = all.counts.polls;
  sum.poll_instructions = all.counts.poll_instructions;
  expect_same(sum, all.counts);
  EXPECT_EQ(sum.lines.size(), all.counts.lines.size());
}

TEST(Waits, ResultsDoNotDependOnHostThreads) {
  Product first(3, 96);
  const RunResult one = first.stream("stream_k_flags", 7);
  for (const int threads : {2, 5}) {
    Product p(3, 96);
    RunOptions options;
    options.threads = threads;
    const RunResult r = p.stream("stream_k_flags", 7, options);
    ASSERT_FALSE(r.fault) << r.fault->message;
    expect_same(one.counts, r.counts);
    EXPECT_TRUE(std::equal(p.words(2), p.words(2) + 3 * 256, first.words(2)));
  }
}

// A chosen CTA brings those along whose parts it adds, and no others; what they count is not its.
TEST(Waits, ChosenCtasTakeAlongThoseThatTheyWaitFor) {
  Product p(3, 96);
  RunOptions options;
  options.ctas = {{2, 0, 0}};  // of 8: ends tile 0, has tile 1's first step, waits for 3, 4 and 5
  const RunResult r = p.stream("stream_k_flags", 8, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_EQ(r.counts.ctas, 1u);
  std::vector<uint32_t> along;
  for (const Dim3& cta : r.taken_along) along.push_back(cta.x);
  std::sort(along.begin(), along.end());
  EXPECT_EQ(along, (std::vector<uint32_t>{3, 4, 5}));
  for (uint32_t i = 256; i < 512; ++i) {
    ASSERT_EQ(data<float>(p.memory, p.buffers[2])[i], p.expected(i / 16, i % 16)) << i;
  }
  Product again(3, 96);
  again.stream("stream_k_flags", 8);
  std::fill(again.words(2), again.words(2) + 3 * 256, 0u);
  const RunResult alone = again.stream("stream_k_flags", 8, options);  // all flags are set
  EXPECT_TRUE(alone.taken_along.empty());
  EXPECT_EQ(alone.counts.by_opcode, r.counts.by_opcode);
}

struct Neighbours : Bench {
  uint32_t n;
  explicit Neighbours(uint32_t ctas) : n(ctas) {
    add("words", 2 * 64 * n);
    add("count", 64);
    add("go", 4);
  }
  RunResult start(const char* entry, uint32_t rounds, const RunOptions& options = {}) {
    return run_ctas(*this, entry, {n, 1, 1}, {64, 1, 1}, parameters(buffers[0], buffers[1], rounds),
                    options);
  }
  std::vector<uint32_t> expected(uint32_t rounds) const {
    std::vector<uint32_t> v(n);
    std::iota(v.begin(), v.end(), 1u);
    for (uint32_t i = 0; i < rounds; ++i) {
      std::vector<uint32_t> next = v;
      for (uint32_t x = 0; x < n; ++x) next[x] += v[(x + 1) % n];
      v = next;
    }
    return v;
  }
};

TEST(Waits, BarrierOverTheGrid) {
  Neighbours b(9);
  RunOptions options;
  options.resident = 9;
  const RunResult r = b.start("grid_barrier", 3, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  const auto expected = b.expected(3);
  for (uint32_t i = 0; i < 9 * 64; ++i) ASSERT_EQ(b.words(0)[i], expected[i / 64]) << i;
  EXPECT_EQ(r.counts.ctas, 9u);
  EXPECT_GT(r.counts.polls, 0u);
}

TEST(Waits, MoreCtasThanTheDeviceHolds) {
  Neighbours b(9);
  RunOptions options;
  options.resident = 4;
  const RunResult r = b.start("grid_barrier", 3, options);
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::deadlock);
  for (const char* words :
       {"CTA (0, 0, 0), warp 0, lane 0 waits for", "'count' + 0", "holds 4",
        "was last written by CTA (3, 0, 0)", "5 of 9 CTAs have not begun", "only 4 are resident"}) {
    EXPECT_NE(r.fault->message.find(words), std::string::npos) << words << "\n" << r.fault->message;
  }
  EXPECT_EQ(r.fault->address, b.buffers[1]);
  EXPECT_GT(r.fault->ptx_line, 0);
}

TEST(Waits, NobodyWouldEverGoOn) {
  Bench b;
  b.add("flags", 64);
  const RunResult r =
      run_ctas(b, "wait_in_a_circle", {6, 1, 1}, {32, 1, 1}, parameters(b.buffers[0]));
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::deadlock);
  for (const char* words : {"CTA (0, 0, 0), warp 0, lane 0 waits for", "'flags' + 4",
                            "(ctas.cu:", "holds 0 and which no CTA that ran has written",
                            "CTA (1, 0, 0), warp 0, lane 0 waits for", "2 more CTAs wait"}) {
    EXPECT_NE(r.fault->message.find(words), std::string::npos) << words << "\n" << r.fault->message;
  }
}

TEST(Waits, ForMoreThanThereAre) {
  Bench b;
  b.add("words", 64);
  b.add("count", 64);
  const RunResult r =
      run_ctas(b, "wait_for_four", {3, 1, 1}, {32, 1, 1}, parameters(b.buffers[0], b.buffers[1]));
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::deadlock);
  EXPECT_NE(r.fault->message.find("'count' + 12"), std::string::npos) << r.fault->message;
  EXPECT_NE(r.fault->message.find("holds 3 and was last written by CTA (2, 0, 0)"),
            std::string::npos)
      << r.fault->message;
}

TEST(Waits, LookBackOverTiles) {
  for (const uint32_t backward : {0u, 1u}) {
    Bench b;
    const uint32_t tiles = 70;
    b.add("in", tiles * 64);
    b.add("out", tiles * 64);
    b.add("status", tiles * 2);
    for (uint32_t i = 0; i < tiles * 64; ++i) b.words(0)[i] = i % 7 + 1;
    const RunResult r = run_ctas(b, "look_back", {tiles, 1, 1}, {64, 1, 1},
                                 parameters(b.buffers[0], b.buffers[1], b.buffers[2], backward));
    ASSERT_FALSE(r.fault) << r.fault->message;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < tiles * 64; ++i) {
      sum += i % 7 + 1;
      ASSERT_EQ(b.words(1)[i], sum) << i;
    }
    EXPECT_EQ(r.counts.polls > 0, backward == 1);
  }
}

TEST(Waits, OtherWaysToWait) {
  for (const char* entry :
       {"wait_together", "wait_shuffled", "wait_backing_off", "wait_counting"}) {
    Bench b;
    b.add("flags", 64);
    b.add("out", 64 * 6);
    const RunResult r =
        run_ctas(b, entry, {6, 1, 1}, {64, 1, 1}, parameters(b.buffers[0], b.buffers[1]));
    ASSERT_FALSE(r.fault) << entry << ": " << r.fault->message;
    for (uint32_t i = 0; i < 6 * 64; ++i) ASSERT_EQ(b.words(1)[i], 6 - i / 64) << entry;
    EXPECT_EQ(r.counts.polls > 0, std::string(entry) != "wait_counting") << entry;
  }
  Bench b;
  b.add("turn", 4);
  b.add("out", 4);
  const RunResult r =
      run_ctas(b, "wait_swapping", {5, 1, 1}, {32, 1, 1}, parameters(b.buffers[0], b.buffers[1]));
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_EQ(b.words(1)[0], (((4u * 3 + 3) * 3 + 2) * 3 + 1) * 3);
  EXPECT_EQ(b.words(0)[0], 10u);
}

// A barrier in the loop: the CTA as a whole is where it was.
TEST(Waits, TogetherForEver) {
  Bench b;
  b.add("flags", 64);
  b.add("out", 64 * 6);
  RunOptions options;
  options.resident = 3;
  const RunResult r = run_ctas(b, "wait_together", {6, 1, 1}, {64, 1, 1},
                               parameters(b.buffers[0], b.buffers[1]), options);
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::deadlock);
  EXPECT_NE(r.fault->message.find("'flags' + 4"), std::string::npos) << r.fault->message;
  EXPECT_NE(r.fault->message.find("3 of 6 CTAs have not begun"), std::string::npos)
      << r.fault->message;
}

TEST(Waits, LimitAndCancelHold) {
  Bench b;
  b.add("flags", 64);
  b.add("out", 64 * 6);
  RunOptions options;
  options.resident = 3;
  options.max_warp_instructions = 3'000'000;
  const auto arguments = parameters(b.buffers[0], b.buffers[1]);
  RunResult r = run_ctas(b, "wait_counting", {6, 1, 1}, {32, 1, 1}, arguments, options);
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::limit);
  std::atomic<bool> cancel = true;
  options.max_warp_instructions = 0;
  options.cancel = &cancel;
  r = run_ctas(b, "wait_counting", {6, 1, 1}, {32, 1, 1}, arguments, options);
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Kind::cancelled);
}

std::vector<Finding> errors_of(RunResult r) {
  std::erase_if(r.findings, [](const Finding& f) { return f.remark; });
  return std::move(r.findings);
}

// Waiting and fencing as it should be is no race; whatever is left out makes one.
TEST(WaitsChecks, OrderBetweenCtasIsFoundAndMissed) {
  RunOptions options;
  options.check = true;
  const auto expect = [](const RunResult& r, const char* entry, bool right) {
    const auto all = errors_of(r);
    if (right) {
      EXPECT_TRUE(all.empty()) << entry << ": " << (all.empty() ? "" : all[0].fault.message);
      return;
    }
    ASSERT_FALSE(all.empty()) << entry;
    for (const Finding& f : all) EXPECT_EQ(f.fault.kind, Kind::cta_conflict) << f.fault.message;
  };
  const std::vector<std::pair<const char*, bool>> splits = {{"split_k_last", true},
                                                            {"split_k_no_count", false},
                                                            {"split_k_no_release", false},
                                                            {"split_k_no_acquire", false},
                                                            {"split_k_atomic", true}};
  for (const auto& [entry, right] : splits) {
    Product p(2, 96);
    expect(p.split(entry, 3, options), entry, right);
  }
  const std::vector<std::pair<const char*, bool>> streams = {{"stream_k_flags", true},
                                                             {"stream_k_no_wait", false},
                                                             {"stream_k_no_release", false},
                                                             {"stream_k_no_acquire", false}};
  for (const auto& [entry, right] : streams) {
    Product p(3, 96);
    expect(p.stream(entry, 7, options), entry, right);
  }
  const std::vector<std::pair<const char*, bool>> barriers = {
      {"grid_barrier", true}, {"grid_barrier_no_wait", false}, {"grid_barrier_no_release", false}};
  for (const auto& [entry, right] : barriers) {
    Neighbours b(5);
    expect(b.start(entry, 3, options), entry, right);
  }
  // What a CTA knows it hands on: nobody but the first meets the others.
  Neighbours b(40);
  expect(run_ctas(b, "grid_barrier_master", {40, 1, 1}, {64, 1, 1},
                  parameters(b.buffers[0], b.buffers[1], b.buffers[2]), options),
         "grid_barrier_master", true);
  for (uint32_t i = 0; i < 40 * 64; ++i) {
    ASSERT_EQ(b.words(0)[40 * 64 + i], (i / 64 + 1) % 40 + 1) << i;
  }
  for (const uint32_t backward : {0u, 1u}) {
    Bench scan;
    scan.add("in", 70 * 64);
    scan.add("out", 70 * 64);
    scan.add("status", 140);
    expect(
        run_ctas(scan, "look_back", {70, 1, 1}, {64, 1, 1},
                 parameters(scan.buffers[0], scan.buffers[1], scan.buffers[2], backward), options),
        "look_back", true);
  }
}

TEST(WaitsChecks, ChosenCtasAreJudgedWithThoseTakenAlong) {
  RunOptions options;
  options.check = true;
  options.ctas = {{2, 0, 0}};
  Product right(3, 96), wrong(3, 96);
  EXPECT_TRUE(errors_of(right.stream("stream_k_flags", 8, options)).empty());
  const auto all = errors_of(wrong.stream("stream_k_no_release", 8, options));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
}

// An element of C, whichever CTA added it up, is the sum of all k products of its row and column.
void expect_whole_sum(const Value& v, const Product& p, uint32_t row, uint32_t col,
                      bool with_c = false) {
  ASSERT_EQ(v.kind, Value::Kind::sum) << to_text(v, p.memory);
  std::vector<int> times(p.k, 0);
  bool c = false;
  for (const Products& products : v.products) {
    if (!products.b) {
      c = true;
      continue;
    }
    ASSERT_EQ(products.a.buffer, 0);
    ASSERT_EQ(products.b.buffer, 1);
    for (uint64_t i = 0; i < products.count; ++i) {
      const int64_t a = static_cast<int64_t>(products.a.offset) + products.a_step * int64_t(i);
      const int64_t b = static_cast<int64_t>(products.b.offset) + products.b_step * int64_t(i);
      const int64_t k = a / 4 - int64_t{row} * p.k;
      ASSERT_EQ(b / 4, k * 16 + col);
      ++times[static_cast<size_t>(k)];
    }
  }
  EXPECT_EQ(c, with_c);
  EXPECT_EQ(times, std::vector<int>(p.k, 1)) << to_text(v, p.memory);
}

Provenance::Options following(Dim3 cta) {
  Provenance::Options options;
  options.ctas = {cta};
  return options;
}

TEST(WaitsProvenance, PassesThroughTheWorkspace) {
  Product stream(3, 96);
  Provenance all;
  RunOptions options;
  options.provenance = &all;
  ASSERT_FALSE(stream.stream("stream_k_flags", 7, options).fault);
  for (const uint32_t i : {0u, 17u, 255u, 256u, 300u, 767u}) {
    expect_whole_sum(all.of_global(stream.buffers[2] + 4 * i, 4), stream, i / 16, i % 16);
  }
  EXPECT_EQ(all.ctas().size(), 7u);

  // Only the CTA that adds up is asked for; those that it waits for are followed all the same.
  Product chosen(3, 96);
  Provenance one(following({2, 0, 0}));
  options.provenance = &one;
  options.ctas = {{2, 0, 0}};
  ASSERT_FALSE(chosen.stream("stream_k_flags", 8, options).fault);
  EXPECT_EQ(one.ctas().size(), 1u);
  for (const uint32_t i : {256u, 300u, 511u}) {
    expect_whole_sum(one.of_global(chosen.buffers[2] + 4 * i, 4), chosen, i / 16, i % 16);
  }

  Product split(2, 96);
  Provenance last(following({1, 3, 0}));
  options = {};
  options.provenance = &last;
  ASSERT_FALSE(split.split("split_k_last", 4, options).fault);
  for (const uint32_t i : {0u, 255u, 256u, 511u}) {
    expect_whole_sum(last.of_global(split.buffers[2] + 4 * i, 4), split, i / 16, i % 16);
  }
  // What the CTA holds in the register that it stores is the same sum.
  bool found = false;
  for (const std::string& name : last.registers()) {
    const Value v = last.of_register({1, 3, 0}, 2, 5, name);
    if (v.kind != Value::Kind::sum || v.terms() != 96) continue;
    found = true;
    expect_whole_sum(v, split, 16 + 4, 5);
  }
  EXPECT_TRUE(found);

  Product atomic(2, 96);
  Provenance added;
  options.provenance = &added;
  ASSERT_FALSE(atomic.split("split_k_atomic", 4, options).fault);
  for (const uint32_t i : {0u, 255u, 256u, 511u}) {  // and what C was before
    expect_whole_sum(added.of_global(atomic.buffers[2] + 4 * i, 4), atomic, i / 16, i % 16, true);
  }
}

// A trace of a CTA that waits shows what it finds, at the same steps, whoever ran before.
TEST(WaitsProvenance, TraceAndMomentsDoNotDependOnThePolls) {
  const Dim3 cta{2, 0, 0};
  const auto traced = [&](Product& p, const std::vector<Dim3>& ctas) {
    RunOptions options;
    options.ctas = ctas;
    options.trace.emplace();
    options.trace->cta = cta;
    const RunResult r = p.stream("stream_k_flags", 8, options);
    EXPECT_FALSE(r.fault);
    return *r.trace;
  };
  Product whole(3, 96), alone(3, 96), ready(3, 96);
  const Trace a = traced(whole, {}), b = traced(alone, {cta});
  ready.stream("stream_k_flags", 8);
  const Trace c = traced(ready, {cta});
  ASSERT_FALSE(a.events.empty());
  const auto of_warp = [](const Trace& t, uint32_t warp) {  // in which order warps run may differ
    std::vector<std::pair<Event, std::array<uint64_t, 32>>> events;
    for (const Event& e : t.events) {
      if (e.warp != warp) continue;
      events.emplace_back(e, e.address_slot < 0 ? std::array<uint64_t, 32>{}
                                                : t.addresses[static_cast<size_t>(e.address_slot)]);
    }
    return events;
  };
  for (const Trace* other : {&b, &c}) {
    for (uint32_t w = 0; w < 8; ++w) {
      const auto x = of_warp(a, w), y = of_warp(*other, w);
      ASSERT_EQ(x.size(), y.size());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(x[i].first.step, y[i].first.step) << w << ", " << i;
        ASSERT_EQ(x[i].first.ptx_line, y[i].first.ptx_line);
        ASSERT_EQ(x[i].first.active, y[i].first.active);
        ASSERT_TRUE(x[i].second == y[i].second) << w << ", " << i;
      }
    }
  }
  // Just after the first part of another CTA has been loaded.
  const auto line = std::find_if(a.events.begin(), a.events.end(), [&](const Event& e) {
    return e.kind == EventKind::load_global && e.warp == 3 &&
           whole.memory.locate(a.addresses[static_cast<size_t>(e.address_slot)][0]).buffer == 3;
  });
  ASSERT_NE(line, a.events.end());
  Product fresh(3, 96);
  Provenance::Options until_then = following(cta);
  until_then.until = Provenance::Moment{cta, 3, line->step};
  Provenance until(std::move(until_then));
  RunOptions options;
  options.ctas = {cta};
  options.provenance = &until;
  const RunResult r = fresh.stream("stream_k_flags", 8, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  bool found = false;
  for (const std::string& name : until.registers()) {
    const Value v = until.of_register(cta, 3, 9, name);
    found =
        found || (v.kind == Value::Kind::sum && !v.way.empty() && v.way.back() == line->ptx_line);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace tilescope::emulator::test
