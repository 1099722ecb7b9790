// Waits for phases of mbarriers: a parity that does not follow them is told of beside the race that
// comes of it, and of nothing else.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::phase_check_file {
namespace {

/// Warp 0 fills a stage three times, warp 1 reads it: each waits for the other by an mbarrier.
std::string handed_over(const std::string& full, const std::string& empty) {
  return kernel(
      ".shared .align 8 .b64 full;\n.shared .align 8 .b64 empty;\n.shared .b32 stage[32];\n"
      "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra made;\nmbarrier.init.shared.b64 [full], 32;\n"
      "mbarrier.init.shared.b64 [empty], 32;\nmade:\nbar.sync 0;\n"
      "and.b32 %r4, %r0, 31;\nshl.b32 %r4, %r4, 2;\nmov.b32 %r5, stage;\nadd.u32 %r5, %r5, %r4;\n"
      "xor.b32 %r6, %r4, 64;\nmov.b32 %r7, stage;\nadd.u32 %r6, %r6, %r7;\nmov.b32 %r8, 0;\n"
      "mov.b32 %r9, 0;\nsetp.ge.u32 %p2, %r0, 32;\n@%p2 bra reads;\n"
      "fill:\nadd.u32 %r10, %r8, 1;\nand.b32 %r10, %r10, 1;\n" +
      empty +
      "a:\nmbarrier.try_wait.parity.shared.b64 %p3, [empty], %r10;\n@!%p3 bra a;\n"
      "st.shared.b32 [%r5], %r8;\nmbarrier.arrive.shared.b64 _, [full];\n"
      "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p4, %r8, 3;\n@%p4 bra fill;\nbra end;\n"
      "reads:\nand.b32 %r10, %r8, 1;\n" +
      full +
      "b:\nmbarrier.try_wait.parity.shared.b64 %p3, [full], %r10;\n@!%p3 bra b;\n"
      "ld.shared.b32 %r11, [%r6];\nadd.u32 %r9, %r9, %r11;\nmbarrier.arrive.shared.b64 _, "
      "[empty];\n"
      "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p4, %r8, 3;\n@%p4 bra reads;\nend:\n");
}
RunResult checked(const std::string& ptx) {
  RunOptions options;
  options.check = true;
  return run_kernel(ptx, 64, 4, {}, options).result;
}
const Finding* found(const RunResult& r, Fault::Kind kind) {
  const auto it =
      std::ranges::find_if(r.findings, [&](const Finding& f) { return f.fault.kind == kind; });
  return it == r.findings.end() ? nullptr : &*it;
}

TEST(Phases, ThatFollowAreClean) {
  const RunResult r = checked(handed_over("", ""));
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].fault.message;
}

// Who has waited may ask again, as CUTLASS's pipelines do.
TEST(Phases, AskedForAgainAreClean) {
  const RunResult r = checked(handed_over(
      "c:\nmbarrier.try_wait.parity.shared.b64 %p3, [full], %r10;\n@!%p3 bra c;\n", ""));
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].fault.message;
}

TEST(Phases, WaitedForTwiceAreNamed) {
  // The reader's parity stays 0, the writer's stays 1.
  for (const bool reader : {true, false}) {
    const RunResult r = checked(
        handed_over(reader ? "mov.b32 %r10, 0;\n" : "", reader ? "" : "mov.b32 %r10, 1;\n"));
    ASSERT_TRUE(found(r, Fault::Kind::race)) << (r.fault ? r.fault->message : "clean");
    const Finding* twice = found(r, Fault::Kind::phase_twice);
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->fault.warp, reader ? 1u : 0u);
    EXPECT_NE(twice->fault.message.find("that it has waited for before"), std::string::npos)
        << twice->fault.message;
    EXPECT_FALSE(twice->remark);
    EXPECT_EQ(twice->other_ptx_line, twice->fault.ptx_line);  // the wait of the round before
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::phase_check_file
