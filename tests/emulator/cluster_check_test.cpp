// The checks across the CTAs of a cluster: mistakes that are planted are found and told of, and the
// same kernels without them are clean.
#include <algorithm>

#include "cluster_support.h"

namespace tilescope::emulator::test::cluster_check_file {
namespace {

const char* const kShared = ".shared .align 16 .b8 data[1024];\n.shared .align 8 .b8 bar[8];\n";
const std::string kMeet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
// %r5: the other's data, %r6: its mbarrier, %r8: own word, %r9: the other's word.
const std::string kBegin =
    "mov.u32 %r10, %cluster_ctarank;\nxor.b32 %r11, %r10, 1;\nmov.u32 %r12, data;\n"
    "mov.u32 %r13, bar;\nmapa.shared::cluster.u32 %r5, %r12, %r11;\n"
    "mapa.shared::cluster.u32 %r6, %r13, %r11;\nshl.b32 %r14, %r0, 2;\nadd.u32 %r8, %r12, %r14;\n"
    "add.u32 %r9, %r5, %r14;\nsetp.ne.u32 %p1, %r0, 0;\nsetp.ne.u32 %p2, %r10, 0;\n";
const std::string kInit = "@!%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n";
std::string wait(const std::string& label) {
  return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r13], 0;\n@!%p3 bra " + label +
         ";\n";
}
// What is read goes to memory, so that nobody calls it unused.
std::string put(const std::string& reg) {
  return "mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd4, %rd4, %rd1;\nst.global.u32 [%rd4], " + reg +
         ";\n";
}

RunResult checked(const std::string& body, uint32_t threads = 64, uint32_t ctas = 4) {
  RunOptions options;
  options.check = true;
  return run_cluster(kernel(kBegin + body, kShared), {ctas, 1, 1}, threads, {2, 1, 1},
                     size_t{ctas} * threads, {}, options)
      .result;
}
void expect_clean(const std::string& body, const std::string& what) {
  const RunResult r = checked(body);
  EXPECT_FALSE(r.fault) << what << ": " << r.fault->message;
  EXPECT_TRUE(std::ranges::none_of(r.findings, [](const Finding& f) { return !f.remark; })) << what;
}
void expect_found(const std::string& body, Fault::Kind kind, const std::vector<std::string>& words,
                  const std::string& what) {
  const RunResult r = checked(body);
  const auto it =
      std::ranges::find_if(r.findings, [&](const Finding& f) { return f.fault.kind == kind; });
  ASSERT_NE(it, r.findings.end()) << what << ": " << (r.fault ? r.fault->message : "clean");
  for (const std::string& w : words) {
    EXPECT_NE(it->fault.message.find(w), std::string::npos) << w << " in: " << it->fault.message;
  }
  EXPECT_GT(it->fault.ptx_line, 0);
}

const std::string kStoreThere = "st.shared::cluster.u32 [%r9], %r0;\n";
const std::string kReadHere = "ld.shared.u32 %r20, [%r8];\n" + put("%r20");
const std::string kStoreHere = "st.shared.u32 [%r8], %r0;\n";
const std::string kReadThere = "ld.shared::cluster.u32 %r20, [%r9];\n" + put("%r20");

TEST(ClusterChecks, StoresThereAndReadsHereNeedABarrierBetween) {
  expect_clean(kStoreThere + kMeet + kReadHere, "met");
  expect_clean(kMeet + kStoreHere + kMeet + kReadThere + kMeet, "read from outside");
  expect_found(kStoreThere + kReadHere + kMeet, Fault::Kind::race,
               {"of shared memory at 0x0 of CTA (", "follows warp 0 of CTA ("}, "store, read");
  expect_found(kStoreHere + kReadThere + kMeet, Fault::Kind::race, {" of CTA ("}, "read outside");
  expect_found(kStoreThere + "bar.sync 0;\n" + kReadHere + kMeet, Fault::Kind::race, {},
               "a barrier of the CTA alone");
}

TEST(ClusterChecks, LanesThatGoToSeveralMemoriesDoNotMeetInBanks) {
  const auto remarks = [](const std::string& body) {
    const RunResult r = checked(body);
    EXPECT_FALSE(r.fault) << r.fault->message;
    return std::ranges::count_if(
        r.findings, [](const Finding& f) { return f.fault.kind == Fault::Kind::bank_conflict; });
  };
  const std::string pairs =
      "shr.u32 %r15, %r0, 1;\nshl.b32 %r15, %r15, 2;\nand.b32 %r16, %r0, 1;\n"
      "mapa.shared::cluster.u32 %r17, %r12, %r16;\n"
      "add.u32 %r17, %r17, %r15;\n";
  EXPECT_EQ(remarks(kMeet + pairs + "@!%p2 st.shared::cluster.u32 [%r17], %r0;\n" + kMeet), 0);
  const std::string apart = "shl.b32 %r15, %r0, 3;\nadd.u32 %r17, %r12, %r15;\n";
  EXPECT_EQ(remarks(kMeet + apart + "st.shared.u32 [%r17], %r0;\n" + kMeet), 1);
}

TEST(ClusterChecks, WhatIsStillReadIsNotWrittenFromOutside) {
  expect_clean(kStoreHere + "bar.sync 0;\n" + kReadHere + kMeet + kStoreThere + kMeet, "met");
  expect_found(kStoreHere + "bar.sync 0;\n" + kReadHere + kStoreThere + kMeet, Fault::Kind::race,
               {"a write of shared memory at", "of CTA ("}, "no barrier");
}

TEST(ClusterChecks, ARelaxedArrivalOrdersOnlyWhatAFenceDid) {
  const std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  const std::string fence = "fence.acq_rel.cluster;\n";
  expect_clean(kStoreThere + fence + relaxed + kReadHere, "with a fence");
  expect_found(kStoreThere + relaxed + kReadHere, Fault::Kind::race, {}, "without a fence");
  expect_found(fence + kStoreThere + relaxed + kReadHere, Fault::Kind::race, {}, "fence before");
  expect_found(kStoreThere + "fence.acq_rel.cta;\n" + relaxed + kReadHere, Fault::Kind::race, {},
               "a fence of the CTA");
}

TEST(ClusterChecks, AnMbarrierOrdersWhoArrivesAndWhoWaits) {
  const std::string arrive =
      "bar.sync 0;\n@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n";
  expect_clean(kInit + kMeet + kStoreThere + arrive + wait("w") + kReadHere + kMeet, "waited");
  expect_found(kInit + kMeet + kStoreThere + arrive + kReadHere + wait("w") + kMeet,
               Fault::Kind::race, {"of CTA ("}, "read before the wait");
  expect_found(kInit + kMeet +
                   "@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n" +
                   kStoreThere + wait("w") + kReadHere + kMeet,
               Fault::Kind::race, {}, "stores behind the arrival");
}

TEST(ClusterChecks, AnMbarrierIsMadeBeforeOthersUseIt) {
  const std::string arrive = "@!%p1 mbarrier.arrive.shared::cluster.b64 _, [%r6];\n";
  expect_clean(kInit + kMeet + arrive + wait("w") + kMeet, "met");
  expect_clean(kInit +
                   "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\n"
                   "barrier.cluster.wait;\n" +
                   arrive + wait("w") + kMeet,
               "met, relaxed, with the fence for it");
  expect_found(kInit + arrive + kMeet, Fault::Kind::race, {"mbarrier.init"}, "not met");
  expect_found(kInit + "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" + arrive +
                   wait("w") + kMeet,
               Fault::Kind::race, {"mbarrier.init"}, "met, relaxed, without a fence");
}

TEST(ClusterChecks, ACopyIsThereWhenItsTransactionHasEnded) {
  const std::string expect = "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], 64;\n";
  const std::string copy =
      "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], "
      "[%r12+512], 64, [%r6];\n";
  const std::string fill = "st.shared.u32 [%r8+512], %r0;\nfence.proxy.async;\nbar.sync 0;\n";
  const std::string read = "setp.ge.u32 %p4, %r0, 16;\n@%p4 bra over;\n" + kReadHere + "over:\n";
  expect_clean(kInit + kMeet + expect + fill + copy + wait("w") + read + kMeet, "waited");
  expect_found(kInit + kMeet + expect + fill + copy + read + wait("w") + kMeet, Fault::Kind::race,
               {"of CTA ("}, "read before its end");
  expect_found(
      kInit + kMeet + expect + fill + copy + "st.shared.u32 [%r8+512], %r0;\n" + wait("w") + kMeet,
      Fault::Kind::race, {"a bulk copy's read"}, "its source written anew");
}

// In either order of the two CTAs.
TEST(ClusterChecks, ACtaMustNotLeaveWhileOthersUseItsMemory) {
  for (const char* early : {"@%p2 ret;\n", "@!%p2 ret;\n"}) {
    const std::string what = early;
    expect_clean(kMeet + kStoreHere + kMeet + kReadThere + kMeet + early, "met");
    expect_found(kMeet + kStoreHere + kMeet + early + kReadThere, Fault::Kind::cta_left,
                 {"shared memory at", "left"}, what + "read");
    expect_found(kMeet + early + kStoreThere, Fault::Kind::cta_left, {"left"}, what + "store");
    expect_found(kInit + kMeet + early + "@!%p1 mbarrier.arrive.shared::cluster.b64 _, [%r6];\n",
                 Fault::Kind::cta_left, {"left"}, what + "arrive");
    expect_found(kMeet + early + "atom.shared::cluster.add.u32 %r21, [%r9], 1;\n" + put("%r21"),
                 Fault::Kind::cta_left, {"left"}, what + "atom");
    expect_found(kInit + kMeet + early +
                     "mov.u32 %r22, 1;\nshl.b32 %r22, %r22, %r11;\ncvt.u16.u32 %h1, %r22;\n"
                     "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%r12], [%rd1], 16, [%r13], %h1;\n",
                 Fault::Kind::cta_left, {"left"}, what + "multicast");
  }
}

// Also where nobody checks: what comes to a CTA that is not there any more cannot be right.
TEST(ClusterChecks, AnAccessToACtaThatHasLeftIsAFault) {
  const RunResult r = run_cluster(kernel(kBegin + kMeet + "@%p2 ret;\n" + kStoreThere, kShared),
                                  {2, 1, 1}, 32, {2, 1, 1}, 64)
                          .result;
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, Fault::Kind::cta_left);
  for (const char* w : {"CTA (0, 0, 0), warp 0, lane 0: a 4-byte store to shared memory at 0x0 of "
                        "CTA (1, 0, 0)",
                        "already left", "cluster's barrier"}) {
    EXPECT_NE(r.fault->message.find(w), std::string::npos) << r.fault->message;
  }
}

TEST(ClusterChecks, WaitingForEverSaysWhoWaitsForWhat) {
  const auto deadlock = [](const std::string& body, const std::vector<std::string>& words) {
    const RunResult r =
        run_cluster(kernel(kBegin + body, kShared), {2, 1, 1}, 64, {2, 1, 1}, 128).result;
    ASSERT_TRUE(r.fault);
    EXPECT_EQ(r.fault->kind, Fault::Kind::deadlock) << r.fault->message;
    EXPECT_GT(r.fault->ptx_line, 0);
    for (const std::string& w : words) {
      EXPECT_NE(r.fault->message.find(w), std::string::npos) << w << " in: " << r.fault->message;
    }
  };
  // CTA 1's second warp waits at a barrier of its CTA for the first.
  deadlock(
      "setp.lt.u32 %p4, %r0, 32;\nnot.pred %p5, %p2;\nor.pred %p4, %p4, %p5;\n@%p4 bra on;\n"
      "bar.sync 1, 64;\non:\n" +
          kMeet,
      {"CTA (0, 0, 0): warps 0, 1 wait at the cluster's barrier at PTX line",
       "to which 32 threads of warp 1 of CTA (1, 0, 0) have yet to come",
       "CTA (1, 0, 0): warp 1 waits at barrier 1", "32 of 64 threads",
       "warp 0 waits at the cluster's barrier"});
  // CTA 0 never sends the bytes that CTA 1 expects.
  deadlock(kInit + kMeet + "@!%p2 bra done;\n" +
               "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], 64;\n" + wait("w") +
               "done:\n" + kMeet,
           {"CTA (0, 0, 0): warps 0, 1 wait at the cluster's barrier",
            "to which 64 threads of warps 0, 1 of CTA (1, 0, 0) have yet to come",
            "CTA (1, 0, 0): warps 0, 1 ask at PTX line", "for the mbarrier at 0x400",
            "64 bytes have yet to come"});
  // CTA 0 has left and never arrives at CTA 1's mbarrier.
  deadlock(kInit + kMeet + "@!%p2 ret;\n" + wait("w"),
           {"CTA (1, 0, 0): warps 0, 1 ask", "1 of 1 arrivals and 0 bytes"});
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_check_file
