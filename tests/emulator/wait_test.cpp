// CTAs that wait for each other: results, counts, deadlocks.
#include <algorithm>

#include "wait_kernels.h"

namespace tilescope::emulator::test::wait_file {
namespace {

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

}  // namespace
}  // namespace tilescope::emulator::test::wait_file
