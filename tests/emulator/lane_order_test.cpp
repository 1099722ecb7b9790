// Exchange through shared memory between lanes of one warp, mbarriers used before their init is
// known of, and stores of the same value by several warps: each planted alone, and found or let be.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::lane_order_file {
namespace {

using Kind = Fault::Kind;

// %r4 = s, %r5 = s + 4 · thread, %r6 = the word of the lane beside it; %p1 = lane 0 of each warp,
// %p2 = its lower half, %p3 = thread 0.
const std::string kBefore =
    ".shared .align 16 .b8 s[4096];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, "
    "%r4;\nxor.b32 %r6, %r5, 4;\nand.b32 %r7, %r0, 31;\nsetp.eq.u32 %p1, %r7, 0;\n"
    "setp.lt.u32 %p2, %r7, 16;\nsetp.eq.u32 %p3, %r0, 0;\n";
const std::string kWrite = "st.shared.u32 [%r5], %r0;\n", kRead = "ld.shared.u32 %r8, [%r6];\n",
                  kOwn = "ld.shared.u32 %r8, [%r5];\n", kSync = "bar.warp.sync 0xffffffff;\n";

std::vector<Finding> findings_of(const std::string& body, uint32_t threads, uint32_t ctas = 2) {
  RunOptions options;
  options.check = true;
  auto all =
      run_kernel(kernel(kBefore + body), threads, 1024, std::vector<uint32_t>(1024), options, ctas)
          .result.findings;
  std::erase_if(all, [](const Finding& f) {
    return f.fault.kind == Kind::bank_conflict || f.fault.kind == Kind::uncoalesced;
  });
  return all;
}

int line_of(const std::string& body, const std::string& text) {
  const std::string whole = kernel(kBefore + body);
  const auto at = static_cast<long>(whole.rfind(text));
  return 1 + static_cast<int>(std::count(whole.begin(), whole.begin() + at, '\n'));
}

void expect_clean(const std::string& body, uint32_t threads = 32) {
  for (const Finding& f : findings_of(body, threads)) ADD_FAILURE() << body << f.fault.message;
}

/// The first finding is of this kind, at the last line that has `line`.
void expect_first(const std::string& body, Kind kind, const std::string& line,
                  const std::vector<std::string>& words, uint32_t threads = 32) {
  const auto all = findings_of(body, threads);
  ASSERT_FALSE(all.empty()) << body;
  EXPECT_EQ(all[0].fault.kind, kind) << all[0].fault.message;
  EXPECT_EQ(all[0].fault.ptx_line, line_of(body, line)) << body << all[0].fault.message;
  for (const std::string& w : words) {
    EXPECT_NE(all[0].fault.message.find(w), std::string::npos)
        << "'" << w << "' is missing in: " << all[0].fault.message;
  }
}

TEST(LaneOrder, ReadOfWhatAnotherLaneWrote) {
  expect_first(kWrite + kRead, Kind::race, "ld.shared",
               {"warp 0, lane 0: race between lanes", "lane 1's write", "wait for each other"});
  expect_clean(kWrite + kOwn);
  expect_clean(kWrite + kSync + kRead);
  expect_clean(kWrite + "bar.sync 0;\n" + kRead);
  // A value for all from lane 0.
  const std::string one = "@%p1 st.shared.u32 [%r4], %r0;\n", all = "ld.shared.u32 %r8, [%r4];\n";
  expect_first(one + all, Kind::race, "ld.shared", {"lane 1: ", "lane 0's write"});
  expect_clean(one + kSync + all);
}

TEST(LaneOrder, WriteOfWhatAnotherLaneHasRead) {
  const std::string shift = kWrite + kSync + kRead;
  expect_first(shift + "st.shared.u32 [%r5], %r8;\n", Kind::race, "st.shared.u32 [%r5], %r8",
               {"a write", "lane 1's read", "wait for each other"});
  expect_clean(shift + kSync + "st.shared.u32 [%r5], %r8;\n");
  // Read by all lanes at once, and written by one.
  const std::string all = kWrite + kSync + "ld.shared.u32 %r8, [%r4];\n",
                    one = "@%p1 st.shared.u32 [%r4], %r7;\n";
  expect_first(all + one, Kind::race, "@%p1 st.shared", {"another lane's read"});
  expect_clean(all + kSync + one);
}

TEST(LaneOrder, WriteOfWhatAnotherLaneWrote) {
  expect_first(kWrite + "st.shared.u32 [%r6], %r0;\n", Kind::race, "st.shared.u32 [%r6]",
               {"a write", "lane 1's write"});
  expect_clean(kWrite + kSync + "st.shared.u32 [%r6], %r0;\n");
}

// Whatever makes lanes wait for each other puts them in order.
TEST(LaneOrder, WhatOrdersLanes) {
  for (const char* meeting :
       {"shfl.sync.bfly.b32 %r9, %r0, 1, 31, -1;\n", "vote.sync.any.pred %p4, %p1, -1;\n",
        "vote.sync.ballot.b32 %r9, %p1, -1;\n", "match.any.sync.b32 %r9, %r0, -1;\n",
        "redux.sync.add.s32 %r9, %r0, -1;\n", "elect.sync %r9|%p4, -1;\n", "bar.sync 0;\n",
        "atom.shared.add.u32 %r9, [%r5+2048], 1;\n",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r4];\n"}) {
    const std::string filled = "st.shared.u32 [%r5+2048], %r0;\n";
    expect_clean(filled + kWrite + meeting + kRead);
  }
  for (const char* none : {"membar.cta;\n", "fence.acq_rel.cta;\n", "activemask.b32 %r9;\n"}) {
    expect_first(kWrite + none + kRead, Kind::race, "ld.shared", {"lane 1's write"});
  }
  // ldmatrix reads what other lanes have written: it waits for them.
  expect_clean(kWrite + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r4];\n");
}

// Halves of a warp that meet by themselves know nothing of each other, but for what one lane of
// both has seen.
TEST(LaneOrder, PartsOfAWarp) {
  const std::string halves = "selp.b32 %r9, 0x0000ffff, 0xffff0000, %p2;\nbar.warp.sync %r9;\n";
  // Run apart, so that they meet apart.
  const std::string apart =
      "@%p2 bra LOW;\nbar.warp.sync 0xffff0000;\nbra JOIN;\nLOW:\nbar.warp.sync "
      "0x0000ffff;\nJOIN:\n";
  expect_clean(kWrite + apart + kRead);
  expect_first(kWrite + apart + "xor.b32 %r6, %r5, 64;\n" + kRead, Kind::race, "ld.shared",
               {"lane 16's write"});
  expect_clean(kWrite + apart + kSync + "xor.b32 %r6, %r5, 64;\n" + kRead);
  expect_clean(kWrite + halves + kRead);
}

TEST(LaneOrder, CopiesOfAnotherLane) {
  const std::string copy =
      "mul.wide.u32 %rd8, %r0, 4;\nadd.s64 %rd8, %rd0, %rd8;\n"
      "cp.async.ca.shared.global [%r5], [%rd8], 4;\ncp.async.wait_all;\n";
  expect_clean(copy + kOwn);
  expect_first(copy + kRead, Kind::race, "ld.shared", {"lane 1's write"});
  expect_clean(copy + kSync + kRead);
}

// The old way of a warp's reduction: volatile accesses stand for order, as they do between CTAs.
TEST(LaneOrder, VolatileIsTakenForOrder) {
  expect_clean("st.volatile.shared.u32 [%r5], %r0;\nld.volatile.shared.u32 %r8, [%r6];\n");
}

TEST(LaneOrder, MbarriersBehindTheirInit) {
  const std::string init = "@%p3 mbarrier.init.shared.b64 [%r4+2048], 64;\n",
                    use = "mbarrier.arrive.shared.b64 %rd8, [%r4+2048];\n";
  expect_clean(init + "bar.sync 0;\n" + use, 64);
  expect_first(init + use, Kind::race, "mbarrier.arrive",
               {"warp 1, lane 0: ", "mbarrier.init by warp 0, lane 0"}, 64);
  expect_first(init + "bar.warp.sync -1;\n" + use, Kind::race, "mbarrier.arrive",
               {"warp 1, lane 0: "}, 64);
  const std::string alone = "@%p3 mbarrier.init.shared.b64 [%r4+2048], 32;\n";
  expect_clean(alone + "bar.warp.sync -1;\n" + use, 32);
  expect_first(alone + use, Kind::race, "mbarrier.arrive",
               {"lane 1: ", "mbarrier.init by warp 0, lane 0"}, 32);
  // A fence orders, but makes nobody wait.
  expect_first(init + "fence.mbarrier_init.release.cluster;\n" + use, Kind::race, "mbarrier.arrive",
               {"mbarrier.init"}, 64);
}

TEST(EqualStores, OfSeveralWarpsAreARemark) {
  const std::string place = "and.b32 %r8, %r5, 0xfffffe7f;\n";  // of four warps one word
  const auto all = findings_of(place + "st.shared.u32 [%r8], %r7;\n", 128);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].remark);
  EXPECT_EQ(all[0].fault.kind, Kind::equal_stores);
  EXPECT_STREQ(kind_name(all[0].fault.kind), "equal_stores");
  EXPECT_NE(all[0].fault.message.find("stored by 4 warps, equal"), std::string::npos)
      << all[0].fault.message;
  // A race where the values differ, in whatever width; and where one reads before a barrier.
  expect_first(place + "st.shared.u32 [%r8], %r0;\n", Kind::race, "st.shared", {"warp 0's write"},
               128);
  const std::string wide = "and.b32 %r8, %r0, 31;\nshl.b32 %r8, %r8, 4;\nadd.u32 %r8, %r8, %r4;\n";
  expect_first(wide + "st.shared.v4.u32 [%r8], {%r7, %r7, %r7, %r0};\n", Kind::race, "st.shared",
               {"warp 0's write"}, 128);
  const auto vector = findings_of(wide + "st.shared.v4.u32 [%r8], {%r7, %r7, %r7, 5};\n", 128);
  ASSERT_EQ(vector.size(), 1u);
  EXPECT_TRUE(vector[0].remark);
  expect_first(place + "st.shared.u32 [%r8], %r7;\nld.shared.u32 %r9, [%r8];\n", Kind::race,
               "st.shared", {"warp 0's read"}, 128);
  // An error comes before the remarks, and is the run's fault.
  RunOptions options;
  options.check = true;
  const RunResult both = run_kernel(kernel(kBefore + place +
                                           "st.shared.u32 [%r8], %r7;\nst.shared.u32 [%r8+512], "
                                           "%r0;\n"),
                                    128, 16, {1}, options)
                             .result;
  ASSERT_TRUE(both.fault);
  EXPECT_EQ(both.fault->kind, Kind::race);
  EXPECT_EQ(both.findings[0].fault.kind, Kind::race);
  EXPECT_TRUE(both.findings.back().remark);
  const RunResult remark_alone =
      run_kernel(kernel(kBefore + place + "st.shared.u32 [%r8], %r7;\n"), 128, 16, {1}, options)
          .result;
  EXPECT_FALSE(remark_alone.fault);
}

TEST(EqualStores, OfMatrices) {
  const std::string body = "mov.u32 %r9, 7;\nshl.b32 %r8, %r7, 4;\nadd.u32 %r8, %r8, %r4;\n";
  const auto same =
      findings_of(body + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r9};\n", 64);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_TRUE(same[0].remark);
  expect_first(body + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r0};\n", Kind::race,
               "stmatrix", {"warp 0's write"}, 64);
}

// The load before a loop of compare-and-swap reads the zeros of an output, as the atomics do.
TEST(Outputs, LoadsBeforeAtomicsReadZeros) {
  const auto findings = [](const std::string& body) {
    auto program = parse(kernel(kBefore + body));
    Memory memory;
    const uint64_t a = memory.allocate("in", 4096, true), b = memory.allocate("out", 4096);
    memory.expect_written_first(b);
    RunOptions options;
    options.check = true;
    auto all =
        run(*program, "k", {{2, 1, 1}, {64, 1, 1}, 0, parameters(a, b)}, memory, options).findings;
    std::erase_if(all, [](const Finding& f) { return f.remark; });
    return all;
  };
  const std::string load = "ld.global.u32 %r8, [%rd1];\n",
                    loop =
                        "AGAIN:\nadd.u32 %r9, %r8, 1;\natom.global.cas.b32 %r10, [%rd1], %r8, "
                        "%r9;\nsetp.ne.u32 %p4, %r10, %r8;\nmov.u32 %r8, %r10;\n@%p4 bra "
                        "AGAIN;\n";
  EXPECT_TRUE(findings(load + loop).empty());
  const auto beside = findings("ld.global.u32 %r8, [%rd1+64];\n" + load + loop);
  for (const Finding& f : beside) EXPECT_EQ(f.fault.kind, Kind::unwritten) << f.fault.message;
  ASSERT_EQ(beside.size(), 1u);  // no atomic there
  EXPECT_EQ(beside[0].fault.kind, Kind::unwritten);
}

}  // namespace
}  // namespace tilescope::emulator::test::lane_order_file
