// Clusters whose CTAs also wait for CTAs outside, who is taken along for a chosen one, and what an
// AccessWatch is told of another CTA's shared memory.
#include <algorithm>
#include <map>

#include "cluster_support.h"

namespace tilescope::emulator::test::cluster_turns_file {
namespace {

// CTA 0 of each cluster waits until the cluster behind it has set its flag (the last waits for
// none), tells its cluster by an mbarrier of each CTA, and the last of the cluster sets the own
// flag.
std::string chain() {
  return kernel(
      "mov.u32 %r5, %cluster_ctarank;\nmov.u32 %r6, %cluster_nctarank;\nmov.u32 %r7, "
      "%clusterid.x;\nmov.u32 %r8, %nclusterid.x;\nmov.u32 %r9, bar;\n"
      "mbarrier.init.shared::cta.b64 [%r9], 1;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "mul.wide.u32 %rd3, %r7, 4;\nadd.u64 %rd3, %rd3, %rd1;\nsetp.ne.u32 %p1, %r5, 0;\n"
      "@%p1 bra others;\nadd.u32 %r10, %r7, 1;\nsetp.ge.u32 %p2, %r10, %r8;\n@%p2 bra tell;\n"
      "flag:\nld.acquire.gpu.global.u32 %r11, [%rd3+4];\nsetp.eq.u32 %p3, %r11, 0;\n"
      "@%p3 bra flag;\ntell:\nmov.u32 %r12, 0;\nnext:\nmapa.shared::cluster.u32 %r13, %r9, %r12;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [%r13];\nadd.u32 %r12, %r12, 1;\n"
      "setp.lt.u32 %p4, %r12, %r6;\n@%p4 bra next;\nothers:\n"
      "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p5, [%r9], 0;\n@!%p5 bra wait;\n"
      "add.u32 %r14, %r5, 1;\nsetp.ne.u32 %p6, %r14, %r6;\n@%p6 bra done;\nadd.u32 %r15, %r7, 1;\n"
      "st.release.gpu.global.u32 [%rd3], %r15;\ndone:\nbarrier.cluster.arrive;\n"
      "barrier.cluster.wait;\n",
      ".shared .align 8 .b8 bar[8];\n");
}

TEST(ClusterTurns, ClustersWaitForEachOther) {
  for (const uint32_t n : {1u, 2u, 5u}) {
    for (const bool check : {false, true}) {
      RunOptions options;
      options.threads = 3;
      options.check = check;
      const ClusterOutcome o = run_cluster(chain(), {4 * n, 1, 1}, 1, {n, 1, 1}, 5, {}, options);
      ASSERT_FALSE(o.result.fault) << n << ": " << o.result.fault->message;
      EXPECT_EQ(o.out, (std::vector<uint32_t>{1, 2, 3, 4, 0}));
      EXPECT_EQ(o.result.counts.ctas, 4 * n);
    }
  }
}

// Two clusters at a time are too few: each waits for one that has not begun.
TEST(ClusterTurns, FewerThanWaitForEachOtherAreADeadlock) {
  RunOptions options;
  options.resident = 5;
  const ClusterOutcome o = run_cluster(chain(), {8, 1, 1}, 1, {2, 1, 1}, 5, {}, options);
  ASSERT_TRUE(o.result.fault);
  EXPECT_EQ(o.result.fault->kind, Fault::Kind::deadlock);
  for (const char* words : {"CTA (0, 0, 0), warp 0, lane 0 waits for", "CTA (1, 0, 0): warp 0 asks",
                            "4 of 8 CTAs have not begun"}) {
    EXPECT_NE(o.result.fault->message.find(words), std::string::npos) << o.result.fault->message;
  }
  options.resident = 1;  // a cluster is begun as a whole
  const ClusterOutcome one = run_cluster(chain(), {2, 1, 1}, 1, {2, 1, 1}, 5, {}, options);
  EXPECT_FALSE(one.result.fault) << one.result.fault->message;
}

TEST(ClusterTurns, WholeClustersAreTakenAlong) {
  RunOptions options;
  options.ctas = {{5, 0, 0}};
  const ClusterOutcome o = run_cluster(chain(), {12, 1, 1}, 1, {3, 1, 1}, 5, {}, options);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.result.counts.ctas, 1u);
  std::vector<uint32_t> along;
  for (const Dim3& cta : o.result.taken_along) along.push_back(cta.x);
  std::ranges::sort(along);
  // Its own, and those behind that it waits for; perhaps the one before, where it looked first.
  for (const uint32_t x : {3u, 4u, 6u, 7u, 8u, 9u, 10u, 11u}) {
    EXPECT_TRUE(std::ranges::count(along, x)) << x;
  }
  EXPECT_EQ(std::adjacent_find(along.begin(), along.end()), along.end());
  EXPECT_EQ(o.out[1], 2u);
}

struct Watch final : AccessWatch {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> written, read;  // (CTA, memory): bytes
  bool see(const MemoryAccess& a) override {
    if (!a.shared) return true;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(a.lanes >> lane & 1u)) continue;
      EXPECT_LT(a.addresses[lane], 4096u);
      const auto key = std::pair(a.cta.x, a.memory.x);
      if (a.writes) written[key] += a.bytes;
      if (a.reads) read[key] += a.bytes;
    }
    return true;
  }
};

TEST(ClusterTurns, AWatchIsToldWhoseMemoryItIs) {
  const std::string ptx = kernel(
      "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r6, %r5, 1;\nshl.b32 %r7, %r0, 2;\n"
      "mov.u32 %r8, data;\nadd.u32 %r7, %r7, %r8;\nmapa.shared::cluster.u32 %r9, %r7, %r6;\n"
      "mapa.shared::cluster.u32 %r10, %r7, %r5;\nst.shared::cluster.u32 [%r9], %r0;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nld.shared::cluster.u32 %r11, [%r10];\n"
      "and.b32 %r12, %r0, 1;\nsetp.ne.u32 %p1, %r12, 0;\nselp.b32 %r13, %r9, %r7, %p1;\n"
      "ld.shared::cluster.u32 %r11, [%r13];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n",
      ".shared .align 16 .b8 data[4096];\n");
  Watch watch;
  RunOptions options;
  options.accesses = &watch;
  const ClusterOutcome o = run_cluster(ptx, {2, 1, 1}, 32, {2, 1, 1}, 1, {}, options);
  ASSERT_FALSE(o.result.fault);
  using Bytes = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;
  EXPECT_EQ(watch.written, (Bytes{{{0, 1}, 128}, {{1, 0}, 128}}));
  EXPECT_EQ(watch.read, (Bytes{{{0, 0}, 192}, {{0, 1}, 64}, {{1, 1}, 192}, {{1, 0}, 64}}));
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_turns_file
