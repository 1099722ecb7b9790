// What goes beside the threads: registers that wgmma still works on, and stores that nothing fences
// for what reads them there. Mistakes that are planted are found, and the same kernels without are
// clean.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::flight_check_file {
namespace {

const char* const kShared = ".shared .align 128 .b8 data[2560];\n";
/// A [64, 16] and behind it B [16, 8] of halves, core matrix by core matrix, without swizzle.
const std::string kStore =
    "mov.u32 %r10, %r0;\nmov.u32 %r13, data;\n"
    "copy:\nshl.b32 %r12, %r10, 2;\nadd.s32 %r12, %r12, %r13;\nst.shared.u32 [%r12], %r10;\n"
    "add.s32 %r10, %r10, 128;\nsetp.lt.u32 %p0, %r10, 640;\n@%p0 bra copy;\n";
const std::string kMeet = "bar.sync 0;\n", kFence = "fence.proxy.async.shared::cta;\n";
std::string product(const std::string& a, int first) {
  std::string sums;
  for (int i = 0; i < 4; ++i) sums += (i ? ", %f" : "%f") + std::to_string(first + i);
  return "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" + sums +
         "}, " + a + ", %rd9, 1, 1, 1" + (a[0] == '%' ? ", 0, 0" : ", 0") +
         ";\nwgmma.commit_group.sync.aligned;\n";
}
const std::string kShape =
    "mov.u32 %r20, data;\ncvt.u64.u32 %rd7, %r20;\nshr.u64 %rd7, %rd7, 4;\n"
    "mov.u64 %rd8, " +
    std::to_string(uint64_t{64} << 16 | uint64_t{8} << 32) + ";\nadd.s64 %rd8, %rd8, %rd7;\n" +
    "mov.u64 %rd9, " + std::to_string(uint64_t{128} | uint64_t{8} << 16 | uint64_t{8} << 32) +
    ";\nadd.s64 %rd9, %rd9, %rd7;\nmul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd4, %rd4, %rd1;\n"
    "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n"
    "mov.f32 %f4, %f0;\nmov.f32 %f5, %f0;\nmov.f32 %f6, %f0;\nmov.f32 %f7, %f0;\n"
    "mov.u32 %r30, 0;\nmov.u32 %r31, 0;\nmov.u32 %r32, 0;\nmov.u32 %r33, 0;\n";
const std::string kProduct = product("%rd8", 0);
std::string wait(int left) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(left) + ";\n";
}
std::string put(const std::string& reg) { return "st.global.f32 [%rd4], " + reg + ";\n"; }

RunResult checked(const std::string& body) {
  RunOptions options;
  options.check = true;
  return run_kernel(kernel(body, kShared), 128, 1280, {}, options).result;
}
void expect_clean(const std::string& body, const std::string& what) {
  const RunResult r = checked(body);
  EXPECT_FALSE(r.fault) << what << ": " << r.fault->message;
  for (const Finding& f : r.findings) EXPECT_TRUE(f.remark) << what << ": " << f.fault.message;
}
void expect_found(const std::string& body, Fault::Kind kind, const std::vector<std::string>& words,
                  const std::string& what) {
  const RunResult r = checked(body);
  const auto is = [&](const Finding& f) { return f.fault.kind == kind; };
  const auto it = std::ranges::find_if(r.findings, is);
  ASSERT_NE(it, r.findings.end()) << what << ": " << (r.fault ? r.fault->message : "clean");
  for (const std::string& w : words) {
    EXPECT_NE(it->fault.message.find(w), std::string::npos) << w << " in: " << it->fault.message;
  }
  EXPECT_GT(it->other_ptx_line, 0) << what;
}

TEST(Proxy, StoresOfThreadsAreFencedForProducts) {
  const std::string end = kProduct + wait(0) + put("%f0");
  expect_clean(kShape + kStore + kFence + kMeet + end, "who stores fences");
  expect_clean(kShape + kStore + kMeet + kFence + kMeet + end, "who knows of the stores fences");
  expect_found(kShape + kStore + kMeet + end, Fault::Kind::proxy,
               {"beside the threads", "'s store", "fence.proxy.async"}, "nobody");
  expect_found(kShape + kFence + kStore + kMeet + end, Fault::Kind::proxy, {}, "too early");
  expect_found(kShape + kStore + "fence.acq_rel.gpu;\n" + kMeet + end, Fault::Kind::proxy, {},
               "a fence of another kind");
  // Of one warp's stores alone: those of others are not behind it.
  expect_found(
      kShape + kStore + "setp.lt.u32 %p5, %r0, 32;\n@%p5 fence.proxy.async;\n" + kMeet + end,
      Fault::Kind::proxy, {"warp "}, "one warp of four");
}

TEST(Proxy, StoresOfThreadsAreFencedForBulkCopies) {
  const std::string copy =
      "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra done;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [data], 2048;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\ndone:\n";
  expect_clean(kStore + kFence + kMeet + copy, "fenced");
  expect_found(kStore + kMeet + copy, Fault::Kind::proxy, {"a read", "may be old"}, "not fenced");
}

TEST(Flight, SumsAreLeftAloneUntilTheyAreWaitedFor) {
  const std::string begin = kShape + kStore + kFence + kMeet;
  expect_clean(begin + kProduct + kProduct + wait(0) + put("%f0"), "one behind the other");
  expect_found(begin + kProduct + put("%f0") + wait(0), Fault::Kind::product_pending,
               {"%f0 is read", "still adds to it", "wgmma.wait_group"}, "read");
  expect_found(begin + kProduct + "add.f32 %f1, %f1, %f5;\n" + wait(0) + put("%f1"),
               Fault::Kind::product_pending, {"%f1 is "}, "added to");
  expect_found(begin + kProduct + "ld.global.f32 %f2, [%rd4];\n" + wait(0) + put("%f2"),
               Fault::Kind::product_pending, {"%f2 is written"}, "written");
  // Two groups, of which the first is waited for.
  const std::string two = begin + kProduct + product("%rd8", 4) + wait(1);
  expect_clean(two + put("%f0") + wait(0), "the first one's");
  expect_found(two + put("%f4") + wait(0), Fault::Kind::product_pending, {"%f4 is read"},
               "the second one's");
  // Not committed, not waited for.
  std::string open = kProduct;
  open.erase(open.find("wgmma.commit_group"));
  expect_found(begin + open + wait(0) + put("%f3") + "wgmma.commit_group.sync.aligned;\n" + wait(0),
               Fault::Kind::product_pending, {"%f3 is read"}, "no group of its own yet");
}

TEST(Flight, CopiesOfSumsAreAsTheSums) {
  const std::string begin = kShape + kStore + kFence + kMeet + kProduct + "mov.f32 %f20, %f0;\n";
  expect_clean(begin + wait(0) + put("%f20"), "copied, as compilers do");
  expect_found(begin + put("%f20") + wait(0), Fault::Kind::product_pending, {"%f20 is read"},
               "read where it was copied to");
  // A register that something else was moved to has left.
  expect_clean(begin + "mov.f32 %f20, 0f00000000;\n" + put("%f20") + wait(0), "moved over");
}

TEST(Flight, FactorsInRegistersAreReadOnly) {
  const std::string begin = kShape + kStore + kFence + kMeet + product("{%r30,%r31,%r32,%r33}", 0);
  expect_clean(begin + "st.global.u32 [%rd4], %r30;\n" + wait(0) + put("%f0"), "read");
  expect_clean(begin + wait(0) + "ld.global.u32 %r30, [%rd4];\n" + put("%f0"), "written behind");
  expect_found(begin + "add.s32 %r30, %r30, 1;\n" + wait(0) + put("%f0"),
               Fault::Kind::product_pending, {"%r30 is written", "still reads it"}, "written");
}

// 384 threads are launched with 168 registers each: 64,512, not the SM's 65,536.
TEST(RegisterPool, TakesNoMoreThanWasLaunched) {
  const auto run = [](int give, int take) {
    RunOptions options;
    options.check = true;
    const std::string body =
        "setp.ge.u32 %p1, %r0, 256;\n@%p1 bra producer;\nsetmaxnreg.inc.sync.aligned.u32 " +
        std::to_string(take) + ";\nbra done;\nproducer:\nsetmaxnreg.dec.sync.aligned.u32 " +
        std::to_string(give) + ";\ndone:\n";
    return run_kernel(kernel(body), 384, 16, {}, options).result;
  };
  for (const auto& [give, take] : {std::pair{24, 240}, {40, 232}, {168, 168}, {24, 200}}) {
    const RunResult r = run(give, take);
    EXPECT_FALSE(r.fault) << give << " " << take << ": " << r.fault->message;
    EXPECT_TRUE(r.findings.empty()) << give << " " << take;
  }
  for (const auto& [give, take] : {std::pair{32, 240}, {40, 240}, {168, 176}}) {
    const RunResult r = run(give, take);
    const auto is = [](const Finding& f) { return f.fault.kind == Fault::Kind::deadlock; };
    const auto it = std::ranges::find_if(r.findings, is);
    ASSERT_NE(it, r.findings.end()) << give << " " << take;
    EXPECT_NE(it->fault.message.find("launched with 64512"), std::string::npos)
        << it->fault.message;
  }
  const std::string said = run(40, 240).findings.front().fault.message;
  EXPECT_NE(said.find("these are 66560"), std::string::npos) << said;
  EXPECT_NE(said.find("take 232 at most"), std::string::npos) << said;
}

}  // namespace
}  // namespace tilescope::emulator::test::flight_check_file
