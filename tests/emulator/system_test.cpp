// What a kernel says to the machine: jump tables, stack, spaces, mbarriers, hints, member masks,
// vectors of atomics, and what is named as missing before the run.
#include "support.h"

namespace tilescope::emulator::test::system_file {
namespace {

const std::string kStore =
    "mul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd9, %rd1, %rd9;\nst.global.u32 [%rd9], %r9;\n";

/// Word i of the output is what lane i left in %r9.
std::vector<uint32_t> lanes(const std::string& body, uint32_t threads = 32,
                            const std::string& module = "") {
  const Outcome o = run_kernel(kernel(body + kStore, module), threads, threads);
  EXPECT_FALSE(o.result.fault) << o.result.fault->message;
  return o.out;
}

TEST(System, JumpsThroughTables) {
  const auto o = lanes(
      "rem.u32 %r5, %r0, 3;\nts: .branchtargets A, B, C;\nbrx.idx %r5, ts;\n"
      "A: mov.u32 %r9, 100;\nbra END;\nB: add.u32 %r9, %r0, 200;\nbra END;\nC: mov.u32 %r9, "
      "300;\nEND:\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o[i], i % 3 == 0 ? 100 : i % 3 == 1 ? 200 + i : 300);
  const Outcome beyond = run_kernel(kernel("ts: .branchtargets A;\nbrx.idx %r0, ts;\nA:\n"), 32, 1);
  ASSERT_TRUE(beyond.result.fault);
  EXPECT_EQ(beyond.result.fault->lane, 1u);
}

TEST(System, StackAllocations) {
  const auto o = lanes(
      "stacksave.u64 %rd5;\ncvt.u64.u32 %rd6, %r0;\nadd.s64 %rd6, %rd6, 8;\nalloca.u64 %rd7, "
      "%rd6;\n"
      "mov.u64 %rd6, 4;\nalloca.u64 %rd8, %rd6, 8;\nst.local.u32 [%rd7+4], %r0;\nmov.u32 %r5, 7;\n"
      "st.local.u32 [%rd8], %r5;\nld.local.u32 %r9, [%rd7+4];\nld.local.u32 %r6, [%rd8];\n"
      "mad.lo.s32 %r9, %r6, 1000, %r9;\nstackrestore.u64 %rd5;\nalloca.u64 %rd10, %rd6;\n"
      "setp.ne.u64 %p1, %rd10, %rd7;\n@%p1 mov.u32 %r9, 0;\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o[i], 7000 + i);
}

TEST(System, CallsByAddressWithArguments) {
  const std::string module =
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 %x, "
      "[a];\nadd.u32 %x, %x, %x;\n"
      "st.param.b32 [r], %x;\nret;\n}\n"
      ".func (.param .b32 r) next(.param .b32 a)\n{\n.reg .b32 %x;\n.reg .pred %q;\nld.param.b32 "
      "%x, [a];\n"
      "setp.eq.u32 %q, %x, 5;\nadd.u32 %x, %x, 1;\nst.param.b32 [r], %x;\n@%q ret;\nadd.u32 %x, "
      "%x, 1;\n"
      "st.param.b32 [r], %x;\nret;\n}\n.global .u64 table[2] = {twice, generic(next)};\n.alias "
      "again, twice;\n"
      ".const .align 8 .u64 where = table+8;\n";
  const auto o = lanes(
      "ld.const.u64 %rd5, [where];\nand.b32 %r5, %r0, 1;\nmul.wide.u32 %rd6, %r5, 8;\nsub.s64 "
      "%rd5, %rd5, %rd6;\n"
      "ld.global.u64 %rd7, [%rd5];\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0;\n"
      "p: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r), %rd7, (a), p;\nld.param.b32 "
      "%r9, [r];\n"
      "call (r), again, (a);\nld.param.b32 %r6, [r];\n}\nmad.lo.s32 %r9, %r6, 1000, %r9;\n",
      32, module);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(o[i] % 1000, i % 2 ? 2 * i : i == 5 ? 6 : i + 2) << i;
    EXPECT_EQ(o[i] / 1000, 2 * i);
  }
  const Outcome bad = run_kernel(
      kernel("mov.u64 %rd7, 64;\n@!%p1 call %rd7, p;\np: .callprototype _ ();\n"), 32, 1);
  ASSERT_TRUE(bad.result.fault);
  EXPECT_NE(bad.result.fault->message.find("no function"), std::string::npos)
      << bad.result.fault->message;
}

TEST(System, SpacesOfGenericAddresses) {
  const std::string module = ".shared .align 8 .b8 s[256];\n.global .u32 g;\n.const .u32 k = 9;\n";
  // Lanes of one access in shared, local and global memory.
  const auto o = lanes(
      ".local .align 8 .b8 d[8];\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd5, %rd5;\nmul.wide.u32 "
      "%rd6, %r0, 4;\n"
      "add.s64 %rd5, %rd5, %rd6;\nmov.u64 %rd7, d;\ncvta.local.u64 %rd7, %rd7;\nrem.u32 %r5, %r0, "
      "3;\n"
      "setp.eq.u32 %p1, %r5, 0;\nselp.b64 %rd8, %rd5, %rd7, %p1;\nsetp.eq.u32 %p2, %r5, 2;\n"
      "add.s64 %rd9, %rd1, %rd6;\nselp.b64 %rd8, %rd9, %rd8, %p2;\nadd.u32 %r6, %r0, 40;\nst.u32 "
      "[%rd8], %r6;\n"
      "ld.u32 %r9, [%rd8];\nisspacep.shared %p3, %rd8;\n@%p3 add.u32 %r9, %r9, "
      "1000;\nisspacep.local %p3, %rd8;\n"
      "@%p3 add.u32 %r9, %r9, 2000;\nisspacep.global %p3, %rd8;\n@%p3 add.u32 %r9, %r9, 3000;\n"
      "mov.u64 %rd10, k;\nisspacep.const %p3, %rd10;\n@!%p3 mov.u32 %r9, 0;\n",
      32, module);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(o[i], 40 + i + (i % 3 == 0 ? 1000 : i % 3 == 1 ? 2000 : 3000)) << i;
  }
}

TEST(System, DynamicSharedBeginsBehindTheStatics) {
  const std::string module = ".extern .shared .align 16 .b8 dynamic[];\n";
  const auto o = run_kernel(kernel(".shared .align 4 .b8 fixed[20];\nmov.u32 %r5, "
                                   "dynamic;\nst.shared.u32 [%r5], 1;\nmov.u32 %r6, fixed;\n"
                                   "st.shared.u32 [%r6+16], 2;\nld.shared.u32 %r9, "
                                   "[%r5];\nmad.lo.s32 %r9, %r5, 1000, %r9;\n" +
                                       kStore,
                                   module),
                            1, 1, {}, {}, 1, 16);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out[0], 32001u);
}

TEST(System, MbarrierPhases) {
  // 64 threads arrive; one expects 16 bytes, which another completes; then the state's phase is
  // over.
  const auto o = lanes(
      ".shared .align 8 .b64 bar;\nmov.u32 %r5, bar;\nsetp.eq.u32 %p1, %r0, 0;\n"
      "@%p1 mbarrier.init.shared::cta.b64 [%r5], 64;\nbar.sync 0;\nsetp.eq.u32 %p2, %r0, 63;\n"
      "@%p2 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r5], 16;\nbar.sync 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd5, [%r5], 16;\n"
      "@!%p1 mbarrier.arrive.shared.b64 %rd5, [%r5];\nmbarrier.pending_count.b64 %r9, %rd5;\n"
      "WAIT:\nmbarrier.try_wait.shared.b64 %p3, [%r5], %rd5;\n@!%p3 bra WAIT;\n"
      "mbarrier.test_wait.parity.shared.b64 %p4, [%r5], 0;\n@!%p4 mov.u32 %r9, 999;\n"
      "mbarrier.test_wait.parity.shared.b64 %p4, [%r5], 1;\n@%p4 mov.u32 %r9, 998;\n",
      64);
  std::vector<bool> seen(65);
  for (uint32_t v : o) {
    ASSERT_TRUE(v >= 1 && v <= 64 && !seen[v]) << v;
    seen[v] = true;
  }
}

TEST(System, MemberMasksOfPartsOfAWarp) {
  // Each quarter of the warp has a mask of its own, at one instruction.
  const auto o = lanes(
      "shr.u32 %r5, %r0, 3;\nshl.b32 %r5, %r5, 3;\nmov.u32 %r6, 255;\nshl.b32 %r6, %r6, %r5;\n"
      "redux.sync.add.s32 %r9, %r0, %r6;\nsetp.eq.u32 %p1, %r0, 11;\nvote.sync.any.pred %p2, %p1, "
      "%r6;\n"
      "@%p2 add.u32 %r9, %r9, 1000;\nelect.sync %r7|%p3, %r6;\n@%p3 add.u32 %r9, %r9, 10000;\n"
      "and.b32 %r8, %r0, 1;\nmatch.any.sync.b32 %r10, %r8, %r6;\npopc.b32 %r10, %r10;\nadd.u32 "
      "%r9, %r9, %r10;\n");
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t first = i / 8 * 8;
    EXPECT_EQ(o[i], 8 * first + 28 + (first == 8 ? 1000 : 0) + (i == first ? 10000 : 0) + 4) << i;
  }
}

TEST(System, LanesThatAreNamedAreWaitedFor) {
  // The halves of a warp come to one shuffle by ways of different length, and to two barriers.
  const auto o = lanes(
      "setp.lt.u32 %p1, %r0, 16;\nmov.u32 %r5, 0;\n@%p1 bra SHORT;\nLOOP:\nadd.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %p2, %r5, %r0;\n@%p2 bra LOOP;\nbar.warp.sync -1;\nbra MEET;\nSHORT:\nmov.u32 "
      "%r5, 5;\n"
      "bar.warp.sync -1;\nMEET:\nshfl.sync.bfly.b32 %r9, %r5, 16, 31, -1;\n");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o[i], i < 16 ? i + 16 : 5) << i;
}

TEST(System, VectorsOfAtomics) {
  const Outcome o =
      run_kernel(kernel("mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\nred.global.add.v2.f32 "
                        "[%rd1], {%f1, %f2};\n"
                        "mov.b32 %r5, 0x3c003c00;\nred.global.add.noftz.v2.f16x2 [%rd1+8], {%r5, "
                        "%r5};\nmov.b16 %h1, 0x3f80;\n"
                        "atom.global.add.noftz.bf16 %h2, [%rd1+16], "
                        "%h1;\nred.relaxed.gpu.global.max.s64 [%rd1+24], 7;\n"
                        "createpolicy.fractional.L2::evict_last.b64 %rd5, 0f3F800000;\n"
                        "red.global.add.L2::cache_hint.u32 [%rd1+20], 3, "
                        "%rd5;\nld.global.L2::cache_hint.u32 %r6, [%rd1], %rd5;\n"
                        "prefetch.global.L2 [%rd1];\ndiscard.global.L2 [%rd1], "
                        "128;\nfence.proxy.async;\ngriddepcontrol.wait;\n"),
                 32, 8);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out[0], bits(32.0f));
  EXPECT_EQ(o.out[1], bits(64.0f));
  EXPECT_EQ(o.out[2], 0x50005000u);  // 32 as f16, twice
  EXPECT_EQ(o.out[4] & 0xffff, 0x4200u);
  EXPECT_EQ(o.out[5], 96u);
  EXPECT_EQ(o.out[6], 7u);
}

// Found by the mutations of fuzz_test: a checked run goes on behind a copy that leads nowhere.
TEST(System, CheckedCopiesThatLeadNowhere) {
  RunOptions options;
  options.check = true;
  const Outcome o = run_kernel(
      kernel(".shared .align 16 .b8 s[512];\nmov.u32 %r5, s;\nmad.lo.s32 %r5, %r0, 16, "
             "%r5;\nsetp.eq.u32 %p1, %r0, 9;\n@%p1 mov.u32 %r5, 4096;\nmul.wide.u32 %rd5, "
             "%r0, 16;\nadd.s64 %rd5, %rd0, %rd5;\n"
             "cp.async.cg.shared.global [%r5], [%rd5], 16;\ncp.async.wait_all;\n"),
      32, 1, std::vector<uint32_t>(128), options);
  ASSERT_TRUE(o.result.fault);
  EXPECT_EQ(o.result.fault->kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(o.result.fault->lane, 9u);
}

TEST(System, SpecialRegisters) {
  EXPECT_EQ(
      lanes("mov.u32 %r5, %envreg3;\nmov.u32 %r6, %clusterid.x;\nmov.u32 %r7, %nclusterid.x;\n"
            "mov.u32 %r8, %cluster_nctaid.x;\nmad.lo.s32 %r9, %r7, 10, %r8;\nadd.u32 %r9, %r9, "
            "%r5;\n")[0],
      11u);
}

TEST(System, WhatIsMissingIsNamedBeforeTheRun) {
  for (const char* text :
       {"multimem.red.add.global.u32 [%rd5], %r5;", "tcgen05.fence::before_thread_sync;",
        "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd5, {%r5}];",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1}, %r3, 0;",
        "vadd.s32.s32.s32 %r5, %r6, %r7;"}) {
    const auto errors = errors_of(kernel(text));
    ASSERT_EQ(errors.size(), 1u) << text;
    const std::string name = std::string(text).substr(0, std::string(text).find_first_of(" ;"));
    EXPECT_NE(errors[0].message.find("'" + name + "'"), std::string::npos) << errors[0].message;
    EXPECT_NE(errors[0].message.find("PTX line "), std::string::npos);
  }
  // An entry that cannot run does not keep another of its file from running.
  const std::string two = kernel("mov.u32 %r9, 5;\n" + kStore) +
                          ".visible .entry other()\n{\ntcgen05.wait::ld.sync.aligned;\nret;\n}\n";
  EXPECT_EQ(run_kernel(two, 32, 32).out[3], 5u);
  auto program = parse(two);
  ASSERT_TRUE(program);
  Memory memory;
  const RunResult r = run(*program, "other", {{1, 1, 1}, {32, 1, 1}, 0, {}}, memory);
  ASSERT_TRUE(r.fault);
  EXPECT_NE(r.fault->message.find("'tcgen05.wait::ld.sync.aligned'"), std::string::npos)
      << r.fault->message;
}

}  // namespace
}  // namespace tilescope::emulator::test::system_file
