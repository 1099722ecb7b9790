// Lanes among themselves, divergence, barriers, atomics, calls.
#include "support.h"

namespace tilescope::emulator::test::warp_file {
namespace {

const std::string kStore =  // %r5 to out[%r1]
    "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r5;\n";

std::vector<uint32_t> lanes(const std::string& body, uint32_t threads = 32) {
  const Outcome o = run_kernel(kernel(body + kStore), threads, threads);
  EXPECT_FALSE(o.result.fault) << o.result.fault->message;
  return o.out;
}

TEST(Warp, Shuffles) {
  const auto down =
      lanes("shfl.sync.down.b32 %r5|%p1, %r0, 4, 31, -1;\n@!%p1 add.u32 %r5, %r5, 100;\n");
  const auto up = lanes("shfl.sync.up.b32 %r5|%p1, %r0, 3, 0, -1;\n@!%p1 add.u32 %r5, %r5, 100;\n");
  const auto narrow = lanes("shfl.sync.bfly.b32 %r5, %r0, 1, 0x181f, -1;\n");
  const auto index =
      lanes("shfl.sync.idx.b32 %r5, %r0, 9, 0x181f, -1;\n");  // width 8: lane 1 of each
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(down[i], i + 4 < 32 ? i + 4 : i + 100);
    EXPECT_EQ(up[i], i >= 3 ? i - 3 : i + 100);
    EXPECT_EQ(narrow[i], i ^ 1);
    EXPECT_EQ(index[i], (i & ~7u) + 1);
  }
}

TEST(Warp, VotesAndReductions) {
  const std::string p = "setp.lt.u32 %p1, %r0, 5;\n";
  EXPECT_EQ(lanes(p + "vote.sync.ballot.b32 %r5, %p1, -1;\n")[9], 31u);
  EXPECT_EQ(lanes(p + "vote.sync.any.pred %p2, %p1, -1;\nselp.u32 %r5, 1, 0, %p2;\n")[20], 1u);
  EXPECT_EQ(lanes(p + "vote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r5, 1, 0, %p2;\n")[0], 0u);
  EXPECT_EQ(lanes(p + "vote.sync.all.pred %p2, %p1, 0x1f;\nselp.u32 %r5, 1, 0, %p2;\n")[0], 1u);
  EXPECT_EQ(lanes("redux.sync.add.s32 %r5, %r0, -1;\n")[3], 496u);
  EXPECT_EQ(lanes("redux.sync.max.u32 %r5, %r0, -1;\n")[3], 31u);
  EXPECT_EQ(lanes("and.b32 %r6, %r0, 3;\nmatch.any.sync.b32 %r5, %r6, -1;\n")[2], 0x44444444u);
  EXPECT_EQ(lanes("activemask.b32 %r5;\n")[2], 0xffffffffu);
  EXPECT_EQ(lanes("mov.u32 %r5, %lanemask_lt;\n")[5], 31u);
}

TEST(Warp, BranchesMeetAgain) {
  // The two sides write different values; after the join all lanes are active once more.
  const auto o = lanes(
      "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra LOW;\nadd.u32 %r5, %r0, 1000;\nactivemask.b32 %r6;\nbra "
      "JOIN;\n"
      "LOW:\nadd.u32 %r5, %r0, 500;\nactivemask.b32 %r6;\nJOIN:\nactivemask.b32 %r7;\n"
      "setp.ne.u32 %p2, %r7, -1;\n@%p2 mov.u32 %r5, 0;\npopc.b32 %r6, %r6;\nmad.lo.u32 %r5, %r6, "
      "10000, %r5;\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o[i], i < 7 ? i + 500 + 70000 : i + 1000 + 250000);
}

TEST(Warp, PartialWarps) {
  const auto o = lanes("activemask.b32 %r5;\n", 45);
  EXPECT_EQ(o[0], 0xffffffffu);
  EXPECT_EQ(o[40], 0x1fffu);
}

TEST(Warp, CountedBarriersLetTheRestGoOn) {
  // Warps 0 and 1 meet at barrier 1; warps 2 and 3 never come there. Then all meet.
  const auto o = lanes(
      ".shared .align 4 .b8 s[512];\nmov.u32 %r4, s;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r7, %r4, "
      "%r6;\n"
      "xor.b32 %r8, %r6, 128;\nadd.u32 %r8, %r8, %r4;\nmov.u32 %r5, 7;\nsetp.ge.u32 %p1, %r0, 64;\n"
      "@%p1 bra ALL;\nst.shared.u32 [%r7], %r0;\nbar.sync 1, 64;\nld.shared.u32 %r5, "
      "[%r8];\nALL:\nbar.sync 0;\n",
      128);
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(o[i], i < 64 ? i ^ 32 : 7);
}

TEST(Warp, BarrierReductions) {
  EXPECT_EQ(lanes("setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r5, 0, %p1;\n", 64)[50], 40u);
  EXPECT_EQ(
      lanes("setp.lt.u32 %p1, %r0, 1;\nbar.red.or.pred %p2, 0, %p1;\nselp.u32 %r5, 1, 0, %p2;\n",
            64)[63],
      1u);
  EXPECT_EQ(
      lanes("setp.lt.u32 %p1, %r0, 1;\nbar.red.and.pred %p2, 0, %p1;\nselp.u32 %r5, 1, 0, %p2;\n",
            64)[63],
      0u);
}

TEST(Warp, HalvesMeetAtDifferentBarrierInstructions) {
  const auto o = lanes(
      ".shared .align 4 .b8 s[256];\nmov.u32 %r4, s;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r7, %r4, "
      "%r6;\n"
      "st.shared.u32 [%r7], %r0;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra LOW;\nbar.sync 0;\nbra "
      "JOIN;\n"
      "LOW:\nbar.sync 0;\nJOIN:\nxor.b32 %r6, %r6, 128;\nadd.u32 %r7, %r4, %r6;\nld.shared.u32 "
      "%r5, [%r7];\n",
      64);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(o[i], i ^ 32);
}

TEST(Warp, Atomics) {
  auto outcome = [](const std::string& op, uint32_t words) {
    return run_kernel(
               kernel(
                   "and.b32 %r4, %r0, 1;\nmul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd1, %rd5;\n" +
                   op),
               64, words)
        .out;
  };
  EXPECT_EQ(outcome("atom.global.add.u32 %r5, [%rd6], %r0;\n", 2),
            (std::vector<uint32_t>{992, 1024}));
  EXPECT_EQ(outcome("red.global.max.u32 [%rd6], %r0;\n", 2), (std::vector<uint32_t>{62, 63}));
  EXPECT_EQ(outcome("atom.global.inc.u32 %r5, [%rd6], 4;\n", 2), (std::vector<uint32_t>{2, 2}));
  EXPECT_EQ(outcome("atom.global.cas.b32 %r5, [%rd6], 0, 9;\n", 2), (std::vector<uint32_t>{9, 9}));
  EXPECT_EQ(outcome("atom.add.f32 %f5, [%rd6], 0f3F000000;\n", 2),
            (std::vector<uint32_t>{0x41800000, 0x41800000}));
  EXPECT_EQ(outcome("atom.global.exch.b32 %r5, [%rd6], 3;\natom.global.dec.u32 %r5, [%rd6], 10;\n",
                    2)[0] < 11,
            true);
}

TEST(Warp, CallsAreInlined) {
  const std::string module =
      ".func (.param .b32 result) twice(.param .b32 x, .param .b64 unused)\n{\n.reg .b32 %r<4>; "
      ".reg .pred %p<2>;\n"
      "ld.param.u32 %r1, [x];\nsetp.gt.u32 %p1, %r1, 20;\n@%p1 bra BIG;\nadd.u32 %r2, %r1, %r1;\n"
      "st.param.b32 [result], %r2;\nret;\nBIG:\nst.param.b32 [result+0], 7;\nret;\n}\n";
  const Outcome o = run_kernel(
      kernel(
          "{\n.param .b32 a;\nst.param.b32 [a+0], %r0;\n.param .b64 b;\nst.param.b64 [b+0], %rd0;\n"
          ".param .b32 r;\ncall.uni (r), twice, (a, b);\nld.param.b32 %r5, [r+0];\n}\n" +
              kStore,
          module),
      32, 32);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o.out[i], i > 20 ? 7 : 2 * i);
}

TEST(Warp, ScopesRedeclareNames) {
  const auto o = lanes(
      "mov.u32 %r5, 0;\n{\n.reg .b32 tmp; .reg.b16 h,g;\nmov.u32 tmp, 5;\nadd.u32 %r5, %r5, tmp;\n"
      "{ .reg .b32 tmp; mov.u32 tmp, 70; bra L; L: add.u32 %r5, %r5, tmp; }\nadd.u32 %r5, %r5, "
      "tmp;\n"
      "mov.u16 h, 3; mov.b32 tmp, {h, h}; and.b32 tmp, tmp, 0xf; add.u32 %r5, %r5, tmp;\n}\n"
      "{ .reg .pred p; setp.eq.u32 p, %r0, 3; @p bra L; add.u32 %r5, %r5, 1000; L: }\n");
  EXPECT_EQ(o[3], 83u);
  EXPECT_EQ(o[4], 1083u);
}

TEST(Warp, SpinningLanesOfAnotherWarpAreWaitedFor) {
  // Warp 0 waits for a flag that warp 1 sets later: the turn must pass on.
  const auto o = lanes(
      ".shared .align 4 .b8 s[8];\nmov.u32 %r4, s;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra SETTER;\n"
      "WAIT:\nld.volatile.shared.u32 %r5, [%r4];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\nbra "
      "DONE;\n"
      "SETTER:\nmov.u32 %r5, 9;\nst.volatile.shared.u32 [%r4], %r5;\nDONE:\n",
      64);
  EXPECT_EQ(o[0], 9u);
}

}  // namespace
}  // namespace tilescope::emulator::test::warp_file
