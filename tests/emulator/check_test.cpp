// Each thing that the checks look for, planted alone and found with its line and lane.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::check_file {
namespace {

using Kind = Fault::Kind;

// %r4 = s, %r5 = s + 4 · thread, %r6 the same word of the other warp; %rd6, %rd7 = in, out + 4 ·
// thread.
const std::string kShared =
    ".shared .align 16 .b8 s[4096];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, "
    "%r4;\n"
    "xor.b32 %r6, %r5, 128;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd0, %rd5;\n"
    "add.s64 %rd7, %rd1, %rd5;\n";
const std::string kWrite = "st.shared.u32 [%r5], %r0;\n", kRead = "ld.shared.u32 %r7, [%r6];\n",
                  kBar = "bar.sync 0;\n";

std::vector<Finding> findings_of(const std::string& body, uint32_t threads = 64, uint32_t ctas = 1,
                                 int host_threads = 1) {
  RunOptions options;
  options.check = true;
  options.threads = host_threads;
  std::vector<Finding> all =
      run_kernel(kernel(kShared + body), threads, 1024, std::vector<uint32_t>(1024), options, ctas)
          .result.findings;
  std::erase_if(all, [](const Finding& f) { return f.remark; });
  return all;
}

/// The PTX line on which the last `text` of a body stands, as kernel() puts it.
int line_of(const std::string& body, const std::string& text) {
  const std::string whole = kernel(kShared + body);
  const size_t at = whole.rfind(text);
  return 1 +
         static_cast<int>(std::count(whole.begin(), whole.begin() + static_cast<long>(at), '\n'));
}

void expect_one(const std::string& body, Kind kind, const std::string& line, uint32_t warp,
                uint32_t lane, const std::vector<std::string>& words = {}, uint32_t threads = 64,
                uint32_t ctas = 1) {
  const std::vector<Finding> all = findings_of(body, threads, ctas);
  // One mistake may show at several places: a race also where the other warp comes first.
  const bool races = kind == Kind::race || kind == Kind::copy_pending;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& one) {
    return one.fault.kind == kind && one.fault.warp == warp &&
           one.fault.ptx_line == line_of(body, line);
  });
  ASSERT_NE(found, all.end()) << body << (all.empty() ? "" : all[0].fault.message);
  if (!races) {
    EXPECT_EQ(all.size(), 1u) << body << (all.size() > 1 ? all[1].fault.message : "");
  }
  const Fault& f = found->fault;
  EXPECT_EQ(f.lane, lane) << f.message;
  EXPECT_EQ(f.message.back(), '.');
  for (const std::string& w : words) {
    EXPECT_NE(f.message.find(w), std::string::npos) << "'" << w << "' is missing in: " << f.message;
  }
}
void expect_clean(const std::string& body, uint32_t threads = 64, uint32_t ctas = 1) {
  const std::vector<Finding> all = findings_of(body, threads, ctas);
  EXPECT_TRUE(all.empty()) << body << all[0].fault.message;
}

TEST(Check, OutOfBoundsMisalignedReadOnlyAndTheRunGoesOn) {
  expect_one("ld.global.u32 %r7, [%rd6+4000];\nst.global.u32 [%rd7], %r0;\n", Kind::out_of_bounds,
             "ld.global", 0, 24, {"4096 bytes"}, 32);
  expect_one("st.global.u32 [%rd7+4000], %r0;\n", Kind::out_of_bounds, "st.global", 0, 24,
             {"'out'"}, 32);
  expect_one("ld.global.u32 %r7, [%rd6+2];\n", Kind::misaligned, "ld.global", 0, 0);
  expect_one("st.global.u32 [%rd6], %r0;\n", Kind::read_only, "st.global", 0, 0, {"'in'"}, 32);
  expect_one("st.shared.u32 [%r5+4000], %r0;\n", Kind::out_of_bounds, "st.shared", 0, 24,
             {"4096 bytes"}, 32);
  expect_one("st.shared.u32 [%r5+1], %r0;\n", Kind::misaligned, "st.shared", 0, 0, {}, 32);
  expect_one(".local .align 4 .b8 d[16];\nmov.u64 %rd8, d;\nst.local.u32 [%rd8+16], %r0;\n",
             Kind::out_of_bounds, "st.local", 0, 0, {"local"}, 32);
  // Two lines are two findings, and a loop folds into one with a count.
  const auto both = findings_of(
      "ld.global.u32 %r7, [%rd6+4000];\nst.shared.u32 [%r5+4000], %r0;\nmov.u32 %r8, 0;\nLOOP:\n"
      "ld.global.u32 %r7, [%rd6+4092];\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 10;\n@%p1 bra "
      "LOOP;\n",
      32);
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[0].count, 8u);
  EXPECT_EQ(both[2].count, 310u);
}

TEST(Check, NeverWritten) {
  expect_one("add.u32 %r8, %r7, 1;\n", Kind::unwritten, "add.u32 %r8", 0, 0, {"%r7"}, 32);
  // Written in half of the lanes.
  const std::string half = "setp.lt.u32 %p1, %r0, 16;\n@%p1 mov.u32 %r7, 5;\n";
  expect_one(half + "st.global.u32 [%rd7], %r7;\n", Kind::unwritten, "st.global", 0, 16, {"%r7"},
             32);
  expect_clean(half + "@%p1 st.global.u32 [%rd7], %r7;\n", 32);
  expect_clean("mov.u32 %r8, %r7;\n", 32);  // a copy is no use …
  expect_one("mov.u32 %r8, %r7;\nadd.u32 %r9, %r8, 1;\n", Kind::unwritten, "add.u32 %r9", 0, 0,
             {"%r8"}, 32);  // … but what it is copied to is
  // Of bytes that are put together some must have been written.
  expect_one(
      "prmt.b32 %r8, %r7, %r12, 0x3340;\nprmt.b32 %r9, %r8, %r7, 0x5410;\n"
      "add.u32 %r10, %r9, 1;\n",
      Kind::unwritten, "add.u32 %r10", 0, 0, {"%r9"}, 32);
  expect_clean(
      "prmt.b32 %r8, %r7, %r12, 0x3340;\nprmt.b32 %r9, %r0, %r8, 0x5410;\n"
      "dp2a.lo.u32.s32 %r10, %r0, %r9, %r0;\n",
      32);
  expect_one("@%p3 bra END;\nEND:\n", Kind::unwritten, "@%p3 bra", 0, 0, {"%p3"}, 32);
  expect_one(
      "setp.ne.u32 %p1, %r0, 9;\n@%p1 st.shared.u32 [%r5], %r0;\nld.shared.u32 %r7, [%r5];\n"
      "mov.u32 %r8, %r7;\nst.global.u32 [%rd7], %r8;\n",
      Kind::unwritten, "ld.shared", 0, 9, {"0x24"}, 32);
  expect_one(
      ".local .align 4 .b8 d[16];\nmov.u64 %rd8, d;\nst.local.u32 [%rd8], %r0;\n"
      "ld.local.u32 %r7, [%rd8];\nld.local.u32 %r7, [%rd8+4];\n",
      Kind::unwritten, "ld.local.u32 %r7, [%rd8+4]", 0, 0, {"local"}, 32);
}

// Kernels fetch ahead of their last step: that is no fault until the register is used.
TEST(Check, SharedMemoryReadAheadIsFollowedToItsUse) {
  const std::string read = "ld.shared.v2.u32 {%r7, %r8}, [%r5];\n", join = "bra NEXT;\nNEXT:\n",
                    half = "st.shared.u32 [%r5], %r0;\n", use = "st.global.u32 [%rd7], %r8;\n";
  const std::string even = "shl.b32 %r5, %r5, 1;\n";  // eight bytes per lane
  expect_clean(even + read + join, 32);
  expect_clean(even + half + read + join + "add.u32 %r9, %r7, 1;\n", 32);
  expect_clean(even + read + join + "mov.u32 %r8, 5;\n" + use, 32);
  expect_one(even + half + read + join + use, Kind::unwritten, "ld.shared", 0, 0,
             {"0x4", "uses in lane 0 at PTX line"}, 32);
  expect_one("mov.u32 %r6, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r6];\n" + join +
                 "setp.eq.u32 %p1, %r0, 6;\n@%p1 st.global.u32 [%rd7], %r7;\n",
             Kind::unwritten, "ldmatrix", 0, 0, {"lane 6"}, 32);
}

TEST(Check, OutputsAreReadAfterTheyAreWritten) {
  auto findings = [](const std::string& body) {
    auto program = parse(kernel(kShared + body));
    Memory memory;
    const uint64_t a = memory.allocate("in", 4096, true), b = memory.allocate("out", 4096);
    memory.expect_written_first(b);
    RunOptions options;
    options.check = true;
    Launch launch{{2, 1, 1}, {64, 1, 1}, 0, parameters(a, b)};
    auto all = run(*program, "k", launch, memory, options).findings;
    std::erase_if(all, [](const Finding& f) { return f.remark; });
    return all;
  };
  const std::string load = "ld.global.u32 %r7, [%rd7];\n", store = "st.global.u32 [%rd7], %r0;\n";
  EXPECT_TRUE(findings(store + load).empty());
  EXPECT_TRUE(findings("red.global.add.u32 [%rd7], 1;\n").empty());
  const auto early = findings(load + store);
  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0].fault.kind, Kind::unwritten);
  EXPECT_EQ(early[0].count, 4u);  // four warps
  const auto one = findings("setp.ne.u32 %p1, %r1, 70;\n@%p1 " + store + load);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].fault.cta.x, 1u);
  EXPECT_EQ(one[0].fault.lane, 6u);
  EXPECT_EQ(one[0].fault.address & 0xffff, 280u);
}

TEST(Check, RacesBetweenWarps) {
  expect_clean(kWrite + kBar + kRead + kBar + kWrite);
  expect_one(kWrite + kRead, Kind::race, "ld.shared", 1, 0,
             {"warp 0's write", "no barrier between"});
  expect_one(kWrite + kBar + kRead + "st.shared.u32 [%r5], %r4;\n", Kind::race,
             "st.shared.u32 [%r5], %r4", 1, 0, {"warp 0's read"});
  expect_one("and.b32 %r8, %r5, 0xffffff7f;\nst.shared.u32 [%r8], %r0;\n", Kind::race, "st.shared",
             1, 0, {"warp 0's write"});
  // bar.warp.sync orders no two warps.
  expect_one(kWrite + "bar.warp.sync 0xffffffff;\n" + kRead, Kind::race, "ld.shared", 1, 0);
}

// Warps 0 and 1 exchange by barrier 1, warps 2 and 3 by barrier 2: each orders its own pair only.
TEST(Check, NamedBarriersOrderWhoMeetsThere) {
  const std::string pair = "shr.u32 %r8, %r0, 6;\nadd.u32 %r8, %r8, 1;\nbar.sync %r8, 64;\n";
  expect_clean(kWrite + pair + kRead, 128);
  expect_one(kWrite + pair + "xor.b32 %r9, %r5, 256;\nld.shared.u32 %r7, [%r9];\n", Kind::race,
             "ld.shared", 0, 0, {"warp 2's write"}, 128);
  // One barrier too many for warp 0 alone must not make its count of barriers stand for order.
  expect_one("setp.gt.u32 %p1, %r0, 31;\n@%p1 bra GO;\nbar.sync 1, 32;\nbar.sync 1, 32;\nGO:\n" +
                 kWrite + kRead,
             Kind::race, "ld.shared", 0, 0);
  // Producer and consumer: the producer arrives and goes on, the consumer waits.
  const std::string consumer = "setp.gt.u32 %p1, %r0, 31;\n@%p1 bra CONSUME;\n" + kWrite +
                               "bar.arrive 1, 64;\nbra END;\nCONSUME:\nbar.sync 1, 64;\n" + kRead +
                               "END:\n";
  expect_clean(consumer);
  expect_one("setp.gt.u32 %p1, %r0, 31;\n@%p1 bra CONSUME;\nbar.arrive 1, 64;\n" + kWrite +
                 "bra END;\nCONSUME:\nbar.sync 1, 64;\n" + kRead + "END:\n",
             Kind::race, "ld.shared", 1, 0, {"warp 0's write"});
}

TEST(Check, LanesOfOneInstruction) {
  const std::string same = "and.b32 %r8, %r5, 0xffffffdf;\n";  // lanes 8 apart write one word
  expect_one(same + "st.shared.u32 [%r8], %r0;\n", Kind::lane_conflict, "st.shared", 0, 8,
             {"lanes 0 and 8"}, 32);
  expect_clean(same + "st.shared.u32 [%r8], 7;\n", 32);  // one value: any may win
  expect_one(
      "shr.u32 %r8, %r0, 4;\nmul.wide.u32 %rd8, %r8, 4;\nadd.s64 %rd8, %rd1, %rd8;\n"
      "st.global.u32 [%rd8], %r0;\n",
      Kind::lane_conflict, "st.global", 0, 1, {"'out'"}, 32);
}

const std::string kCopy =
    "mul.wide.u32 %rd8, %r0, 16;\nadd.s64 %rd8, %rd0, %rd8;\nshl.b32 %r8, %r0, 4;\nadd.u32 %r8, "
    "%r8, "
    "%r4;\nxor.b32 %r9, %r8, 512;\n"
    "cp.async.cg.shared.global [%r8], [%rd8], 16;\ncp.async.commit_group;\n";

TEST(Check, CopiesNeedTheirWaitAndABarrier) {
  const std::string own = "ld.shared.u32 %r7, [%r8];\n", other = "ld.shared.u32 %r7, [%r9];\n";
  expect_clean(kCopy + "cp.async.wait_group 0;\n" + own);
  expect_clean(kCopy + "cp.async.wait_group 0;\nbar.sync 0;\n" + other);
  expect_clean(kCopy + "cp.async.wait_all;\nbar.sync 0;\n" + other);
  expect_one(kCopy + own, Kind::copy_pending, "ld.shared", 0, 0, {"cp.async.wait_group"});
  expect_one(kCopy + "cp.async.wait_group 1;\nbar.sync 0;\n" + other, Kind::copy_pending,
             "ld.shared", 0, 0, {"cp.async.wait_group of warp 1"});
  expect_one(kCopy + "cp.async.wait_group 0;\n" + other, Kind::race, "ld.shared", 1, 0,
             {"warp 0's write"});
  // Two groups, one waited for: only the first may be read.
  const std::string second =
      "cp.async.cg.shared.global [%r8+1024], [%rd8], 16;\ncp.async.commit_group;\n"
      "cp.async.wait_group 1;\nbar.sync 0;\n";
  expect_clean(kCopy + second + other);
  expect_one(kCopy + second + other + "ld.shared.u32 %r7, [%r9+1024];\n", Kind::copy_pending,
             "[%r9+1024]", 0, 0);
  // A wait of half of the lanes.
  expect_one(kCopy + "setp.lt.u32 %p1, %r0, 16;\n@%p1 cp.async.wait_group 0;\n" + own,
             Kind::copy_pending, "ld.shared", 0, 16, {}, 32);
  expect_one(kCopy + "st.shared.u32 [%r8], %r0;\n", Kind::copy_pending, "st.shared", 0, 0,
             {"still copying"});
}

TEST(Check, BarriersThatSomeNeverReach) {
  const std::string body = "setp.lt.u32 %p1, %r0, 64;\n@%p1 bra END;\nbar.sync 1, 96;\nEND:\n";
  expect_one(body, Kind::deadlock, "bar.sync", 2, 0,
             {"warps 2, 3 wait at barrier 1", "64 of 96", "warps 0, 1 have left"}, 128);
  expect_one(
      "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra LOW;\nbar.sync 2;\nbra JOIN;\nLOW:\nbar.sync "
      "1;\nJOIN:\n",
      Kind::deadlock, "bar.sync 1", 0, 0,
      {"warp 0 waits at barrier 1", "warp 1 waits at barrier 2"});
}

TEST(Check, CtasAndGlobalMemory) {
  const std::string address = "mul.wide.u32 %rd8, %r0, 4;\nadd.s64 %rd8, %rd1, %rd8;\n";
  expect_clean("st.global.u32 [%rd7], %r0;\n", 64, 4);
  const std::string body = address + "st.global.u32 [%rd8], %r1;\n";
  for (const int threads : {1, 3}) {
    const auto all = findings_of(body, 64, 2, threads);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
    EXPECT_EQ(all[0].fault.cta.x, 1u);
    EXPECT_EQ(all[0].fault.ptx_line, line_of(body, "st.global"));
    EXPECT_EQ(all[0].count, 64u);
    EXPECT_NE(all[0].fault.message.find("CTA (0, 0, 0), warp 0, lane 0 writes"), std::string::npos)
        << all[0].fault.message;
  }
  expect_clean(address + "red.global.add.u32 [%rd8], 1;\n", 64, 4);
  // Reading what another CTA writes.
  expect_one(
      "xor.b32 %r8, %r1, 64;\nmul.wide.u32 %rd8, %r8, 4;\nadd.s64 %rd8, %rd1, %rd8;\n"
      "st.global.u32 [%rd7], %r0;\nld.global.u32 %r7, [%rd8];\n",
      Kind::cta_conflict, "ld.global", 0, 0, {"a read of global memory"}, 32, 4);
}

// The last CTA, found by a counter, adds what the others left: fence, atomic, read. No race.
TEST(Check, CtasThatMeetAtAnAtomicAreInOrder) {
  const std::string body =
      "st.global.u32 [%rd7+64], %r1;\nmembar.gl;\nbar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra "
      "END;\natom.global.add.u32 %r8, [%rd1], 1;\nsetp.ne.u32 %p1, %r8, 3;\n@%p1 bra END;\n"
      "membar.gl;\nld.global.u32 %r9, [%rd1+64];\nld.global.u32 %r9, [%rd1+320];\nEND:\n";
  expect_clean(body, 64, 4);
  std::string without = body;
  without.replace(without.find("atom.global.add.u32 %r8, [%rd1], 1"), 34, "mov.u32 %r8, 3");
  const auto all = findings_of(without, 64, 4);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
}

// The last CTA sets the counter back: what each did to it before is released and acquired.
TEST(Check, ACounterIsSetBackByWhomItWasHandedOnTo) {
  const std::string body =
      "mov.u32 %r9, 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra END;\n"
      "atom.acq_rel.gpu.global.add.u32 %r8, [%rd1], 1;\nsetp.ne.u32 %p1, %r8, 3;\n"
      "@%p1 bra END;\nst.global.u32 [%rd1], %r9;\nEND:\n";
  expect_clean(body, 64, 4);
  std::string relaxed = body;
  relaxed.replace(relaxed.find("acq_rel"), 7, "relaxed");
  const auto all = findings_of(relaxed, 64, 4);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
}

TEST(Check, RemarksNameLanesAndCure) {
  RunOptions options;
  options.remarks = true;
  const Outcome o = run_kernel(
      kernel(kShared + "shl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r4;\nst.shared.u32 [%r8], %r0;\n"
                       "mul.wide.u32 %rd8, %r0, 64;\nadd.s64 %rd8, %rd0, %rd8;\n"
                       "ld.global.u32 %r7, [%rd8];\nld.global.u32 %r7, [%rd6];\n"),
      32, 64, std::vector<uint32_t>(1024), options);
  EXPECT_FALSE(o.result.fault);
  ASSERT_EQ(o.result.findings.size(), 2u);
  EXPECT_EQ(o.result.findings[0].fault.kind, Kind::uncoalesced);
  EXPECT_NE(o.result.findings[0].fault.message.find("32 sectors for 128 bytes, where 4"),
            std::string::npos)
      << o.result.findings[0].fault.message;
  EXPECT_EQ(o.result.findings[1].fault.kind, Kind::bank_conflict);
  EXPECT_NE(o.result.findings[1].fault.message.find(
                "Lanes 0, 8, 16, 24 hit bank 0 with different words: 4 wavefronts where 1"),
            std::string::npos)
      << o.result.findings[1].fault.message;
}

TEST(Check, RemarksSayWhatTheLanesDo) {
  RunOptions options;
  options.remarks = true;
  for (const auto& [access, verb] :
       {std::pair("ld.global.u32 %r7, [%rd8];\n", "read"),
        std::pair("st.global.u32 [%rd8], %r0;\n", "write"),
        std::pair("st.u32 [%rd8], %r0;\n", "write"),
        std::pair("red.global.add.u32 [%rd8], 1;\n", "update"),
        std::pair("cp.async.ca.shared.global [%r5], [%rd8], 4;\n", "copy from")}) {
    const Outcome o = run_kernel(
        kernel(kShared + "mul.wide.u32 %rd8, %r0, 64;\nadd.s64 %rd8, %rd1, %rd8;\n" + access), 32,
        1024, {1}, options);
    ASSERT_EQ(o.result.findings.size(), 1u) << access;
    EXPECT_NE(o.result.findings[0].fault.message.find(std::string("let neighbouring lanes ") +
                                                      verb + " neighbouring addresses"),
              std::string::npos)
        << o.result.findings[0].fault.message;
  }
}

TEST(Check, KernelsOfTheFixturesAreClean) {
  struct Case {
    const char *file, *entry;
    Dim3 grid, block;
    uint32_t shared;
    bool half, scaled;
  };
  for (const Case& k : {Case{.file = "gemm_naive.ptx",
                       .entry = "gemm_naive",
                       .grid = {16, 16, 1},
                       .block = {16, 16, 1},
                       .shared = 0,
                       .half = false,
                       .scaled = true},
                        Case{.file = "sgemm_tiled.ptx",
                        .entry = "sgemm_tiled",
                        .grid = {2, 2, 1},
                        .block = {256, 1, 1},
                        .shared = 0,
                        .half = false,
                        .scaled = false},
                        Case{.file = "hgemm_mma.ptx",
                        .entry = "hgemm_mma",
                        .grid = {2, 2, 1},
                        .block = {256, 1, 1},
                        .shared = 98304,
                        .half = true,
                        .scaled = false}}) {
    auto program = parse(read_kernel(k.file));
    Memory memory;
    const uint64_t bytes = k.half ? 2 : 4;
    const uint64_t a = memory.allocate("A", 256 * 256 * bytes, true);
    const uint64_t b = memory.allocate("B", 256 * 256 * bytes, true);
    const uint64_t c = memory.allocate("C", 256 * 256 * 4);
    if (!k.scaled) memory.expect_written_first(c);
    Launch launch{k.grid, k.block, k.shared, parameters(a, b, c, 256u, 256u, 256u)};
    if (k.scaled) append(launch.parameters, 1.0f), append(launch.parameters, 0.0f);
    for (const int threads : {1, 3}) {
      RunOptions options;
      options.check = true;
      options.threads = threads;
      const RunResult r = run(*program, k.entry, launch, memory, options);
      EXPECT_FALSE(r.fault) << r.fault->message;
      for (const Finding& f : r.findings) EXPECT_TRUE(f.remark) << f.fault.message;
    }
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::check_file
