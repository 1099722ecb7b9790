// What CTAs of a cluster send each other beside the program: multicasts, copies between shared
// memories, asynchronous stores and reductions, and arrivals at each other's mbarriers.
#include <algorithm>
#include <random>

#include "cluster_support.h"
#include "emulator/provenance.h"
#include "emulator/tensor_map.h"

namespace tilescope::emulator::test::cluster_copy_file {
namespace {

const char* const kShared =
    ".shared .align 128 .b8 bar[64];\n.shared .align 1024 .b8 data[16384];\n";

// %r6 rank, %r7 CTAs of the cluster; the mbarrier of each CTA is there, for so many arrivals.
std::string begin(const std::string& arrivals) {
  return "mov.u32 %r6, %cluster_ctarank;\nmov.u32 %r7, %cluster_nctarank;\nmov.u32 %r8, bar;\n"
         "mov.u32 %r9, data;\nmov.u32 %r11, " +
         arrivals +
         ";\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r8], "
         "%r11;\n"
         "fence.mbarrier_init.release.cluster;\nready:\nbarrier.cluster.arrive.relaxed.aligned;\n"
         "barrier.cluster.wait.acquire.aligned;\n";
}
const std::string kWait =
    "again:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r8], 0;\n"
    "@!%p2 bra again;\n";
// Word i of 32 of each CTA's data goes to out[32 · CTA + i].
const std::string kGive =
    "shl.b32 %r30, %r0, 2;\nadd.u32 %r31, %r30, %r9;\nld.shared.u32 %r32, [%r31];\n"
    "mul.wide.u32 %rd8, %r1, 4;\nadd.u64 %rd8, %rd8, %rd1;\nst.global.u32 [%rd8], %r32;\n";
const std::string kMeet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

std::vector<uint32_t> numbers(size_t n) {
  std::vector<uint32_t> in(n);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<uint32_t>(i * 7 + 3);
  return in;
}

struct Ran {
  ClusterOutcome clean;  // with the checks
};
ClusterOutcome run_checked(const std::string& ptx, uint32_t ctas, uint32_t cluster,
                           const std::vector<uint32_t>& in = numbers(4096)) {
  RunOptions options;
  options.check = true;
  const ClusterOutcome o =
      run_cluster(ptx, {ctas, 1, 1}, 32, {cluster, 1, 1}, size_t{32} * ctas, in, options);
  const ClusterOutcome plain =
      run_cluster(ptx, {ctas, 1, 1}, 32, {cluster, 1, 1}, size_t{32} * ctas, in);
  EXPECT_EQ(o.out, plain.out);
  return o;
}

// Rank 0 copies 128 bytes to the CTAs of a mask; the others get theirs by themselves.
std::string multicast(uint32_t mask) {
  return kernel(begin("1") +
                    "@%p1 bra loaded;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;\n"
                    "mov.u32 %r12, " +
                    std::to_string(mask) +
                    ";\ncvt.u16.u32 %h1, %r12;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra own;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                    "multicast::cluster [%r9], [%rd0], 128, [%r8], %h1;\nown:\n"
                    "shl.b32 %r13, 1, %r6;\nand.b32 %r13, %r13, %r12;\nsetp.ne.u32 %p3, %r13, 0;\n"
                    "@%p3 bra loaded;\nmul.wide.u32 %rd3, %r6, 128;\nadd.u64 %rd3, %rd3, %rd0;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                    "[%r9], [%rd3], 128, [%r8];\nloaded:\n" +
                    kWait + kGive,
                kShared);
}

TEST(ClusterCopies, AMulticastGoesToTheCtasOfItsMask) {
  const std::vector<uint32_t> in = numbers(4096);
  for (uint32_t n = 1; n <= 8; ++n) {
    for (uint32_t mask = 1; mask<(1u << n); mask += n> 4 ? 7 : 1) {
      const ClusterOutcome o = run_checked(multicast(mask), 2 * n, n, in);
      // Who is told of bytes waits for them, so none leaves too early.
      ASSERT_FALSE(o.result.fault) << mask << o.result.fault->message;
      for (uint32_t cta = 0; cta < 2 * n; ++cta) {
        const uint32_t rank = cta % n, from = mask >> rank & 1u ? 0 : rank;
        for (uint32_t i = 0; i < 32; ++i) {
          ASSERT_EQ(o.out[32 * cta + i], in[32 * from + i]) << n << " " << mask << " " << cta;
        }
      }
    }
  }
  const ClusterOutcome o = run_cluster(multicast(4), {2, 1, 1}, 32, {2, 1, 1}, 64, in);
  ASSERT_TRUE(o.result.fault);
  EXPECT_NE(o.result.fault->message.find("CTAs that the cluster does not have"), std::string::npos)
      << o.result.fault->message;
}

// The bytes are read once for all of the mask.
TEST(ClusterCopies, AMulticastReadsGlobalMemoryOnce) {
  const ClusterOutcome o = run_cluster(multicast(15), {4, 1, 1}, 32, {4, 1, 1}, 128, numbers(64));
  ASSERT_FALSE(o.result.fault);
  EXPECT_EQ(o.result.counts.bulk_load.bytes, 128u);
  EXPECT_EQ(o.result.counts.bulk_load.sectors, 4u);
}

// Each sends its words on to the next one, in one of several ways, and tells it.
struct Way {
  const char* name;
  std::string arrivals, send;
};
// %r14: the next one's data, %r15: its mbarrier; %r16: what this thread sends.
std::vector<Way> ways() {
  const std::string expect = "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;\n";
  return {
      {"arrive", "32",
       "st.shared::cluster.u32 [%r17], %r16;\n"
       "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15];\n"},
      {"arrive with a count", "32",
       "st.shared::cluster.u32 [%r17], %r16;\nbar.warp.sync -1;\nmov.u32 %r18, 32;\n"
       "@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15], %r18;\n"},
      {"arrive, generic", "32",
       "cvt.u64.u32 %rd10, %r10;\ncvta.shared.u64 %rd11, data;\nadd.u64 %rd10, %rd10, %rd11;\n"
       "mapa.u64 %rd10, %rd10, %r13;\nst.u32 [%rd10], %r16;\n"
       "mbarrier.arrive.shared::cluster.b64 _, [%r15];\n"},
      {"st.async", "1",
       expect + "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r17], %r16, "
                "[%r15];\n"},
      {"st.async.v4", "1",
       expect + "and.b32 %r18, %r0, 3;\nsetp.ne.u32 %p4, %r18, 0;\nadd.u32 %r20, %r16, 1;\n"
                "add.u32 %r21, %r16, 2;\nadd.u32 %r22, %r16, 3;\n"
                "@!%p4 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r17], {%r16, "
                "%r20, "
                "%r21, %r22}, [%r15];\n"},
      {"red.async", "1",
       expect + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%r17], %r16, [%r15];\n"},
      {"bulk", "1",
       expect + "add.u32 %r23, %r9, 1024;\nadd.u32 %r24, %r23, %r10;\nst.shared.u32 [%r24], %r16;\n"
                "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\n"
                "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                "[%r14], [%r23], 128, [%r15];\n"},
      {"remote expect_tx", "2",
       "@%p1 bra told;\nmbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r15], "
       "128;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\ntold:\n"
       "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r17], %r16, [%r15];\n"},
  };
}
std::string sending(const Way& way, bool zeroed) {
  return kernel(
      begin(way.arrivals) +
          "add.u32 %r13, %r6, 1;\nrem.u32 %r13, %r13, %r7;\nshl.b32 %r10, %r0, 2;\n"
          "mapa.shared::cluster.u32 %r14, %r9, %r13;\nmapa.shared::cluster.u32 %r15, %r8, %r13;\n"
          "add.u32 %r17, %r14, %r10;\nmad.lo.u32 %r16, %r2, 1000, %r0;\n" +
          (zeroed
               ? "mov.u32 %r25, 0;\nadd.u32 %r26, %r9, %r10;\nst.shared.u32 [%r26], %r25;\n" + kMeet
               : std::string()) +
          way.send + kWait + kGive + kMeet,
      kShared);
}

TEST(ClusterCopies, WordsGoToTheNextCta) {
  for (const Way& way : ways()) {
    for (const uint32_t n : {2u, 3u, 8u}) {
      const bool reduces = std::string(way.name) == "red.async";
      const ClusterOutcome o = run_checked(sending(way, reduces), 3 * n, n);
      ASSERT_FALSE(o.result.fault) << way.name << ": " << o.result.fault->message;
      for (uint32_t cta = 0; cta < 3 * n; ++cta) {
        const uint32_t before = cta / n * n + (cta % n + n - 1) % n;
        for (uint32_t i = 0; i < 32; ++i) {
          ASSERT_EQ(o.out[32 * cta + i], before * 1000 + i) << way.name << " " << n << " " << cta;
        }
      }
    }
  }
}

// Not waiting for the mbarrier is a race with who sends, in each way.
TEST(ClusterCopies, WordsThatAreNotWaitedForAreARace) {
  for (const Way& way : ways()) {
    std::string ptx = sending(way, std::string(way.name) == "red.async");
    const size_t at = ptx.find("@!%p2 bra again;");
    ASSERT_NE(at, ptx.npos);
    ptx.erase(at, std::strlen("@!%p2 bra again;"));
    // What is read is there in the emulator's order for most CTAs: the clocks know better.
    const ClusterOutcome o = run_checked(ptx, 3, 3);
    ASSERT_TRUE(o.result.fault) << way.name;
    EXPECT_TRUE(std::ranges::any_of(o.result.findings,
                                    [](const Finding& f) {
                                      return f.fault.kind == Fault::Kind::race ||
                                             f.fault.kind == Fault::Kind::unwritten;
                                    }))
        << way.name << o.result.fault->message;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_copy_file
