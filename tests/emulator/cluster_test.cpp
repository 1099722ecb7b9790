// Clusters of CTAs: how they are launched, where their CTAs stand, where they meet, and what they
// do in each other's shared memory.
#include <algorithm>
#include <random>

#include "cluster_support.h"

namespace tilescope::emulator::test::cluster_file {
namespace {

/// The first word of the output is what the body leaves in %r5.
std::string with_directives(const std::string& directives, const std::string& body) {
  return with_cluster_directives(kernel(body + "st.global.u32 [%rd1], %r5;\n"), directives);
}
const std::string kRank = "mov.u32 %r5, %cluster_ctarank;\nadd.u32 %r5, %r5, 7;\n";

std::string refusal(const std::string& directives, Dim3 grid, Dim3 cluster) {
  const ClusterOutcome o = run_cluster(with_directives(directives, kRank), grid, 32, cluster, 1);
  if (!o.result.fault) return "";
  EXPECT_EQ(o.result.fault->kind, Fault::Kind::unsupported);
  EXPECT_EQ(std::ranges::count(o.result.fault->message, '\n'), 0);
  return o.result.fault->message;
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& w : words) EXPECT_NE(text.find(w), text.npos) << w << " in: " << text;
}

TEST(Clusters, WhatALaunchMayNotAskForIsOneSentence) {
  expect_words(refusal(".reqnctapercluster 2, 1, 1", {3, 1, 1}, {0, 0, 0}),
               {"grid of 3 x 1 x 1", "cluster of 2 x 1 x 1", "make it 4 x 1 x 1"});
  expect_words(refusal("", {4, 4, 1}, {4, 4, 1}),
               {"4 x 4 x 1", "more than 8", "16 is the non-portable size"});
  expect_words(refusal(".reqnctapercluster 9", {9, 1, 1}, {0, 0, 0}), {"9 x 1 x 1", "more than 8"});
  expect_words(refusal("", {4, 1, 1}, {0x80000000u, 2, 1}), {"more than 8"});
  expect_words(refusal(".explicitcluster\n.reqnctapercluster 2, 1, 1", {8, 1, 1}, {4, 1, 1}),
               {"gives clusters of 4 x 1 x 1", ".reqnctapercluster 2 x 1 x 1", "exactly that"});
  expect_words(refusal(".explicitcluster", {2, 1, 1}, {0, 0, 0}), {".explicitcluster", "X,Y,Z"});
  expect_words(refusal(".maxclusterrank 2", {4, 1, 1}, {4, 1, 1}), {".maxclusterrank of 2"});
  expect_words(refusal("", {2, 1, 1}, {2, 0, 1}), {"2 x 0 x 1", "empty"});
  expect_words(
      refusal(".reqntid 32\n.blocksareclusters\n.reqnctapercluster 2", {2, 1, 1}, {0, 0, 0}),
      {".blocksareclusters"});
  for (const char* d : {"", ".explicitcluster", ".reqnctapercluster 2", ".maxclusterrank 8"}) {
    EXPECT_EQ(refusal(d, {4, 1, 1}, {2, 1, 1}), "") << d;
  }
}

// Each thread writes all that it is told.
constexpr const char* kRegisters[] = {"%clusterid.x",      "%clusterid.y",      "%clusterid.z",
                                      "%nclusterid.x",     "%nclusterid.y",     "%nclusterid.z",
                                      "%cluster_ctaid.x",  "%cluster_ctaid.y",  "%cluster_ctaid.z",
                                      "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
                                      "%cluster_ctarank",  "%cluster_nctarank"};

TEST(Clusters, CtasAreToldWhereTheyStand) {
  const size_t words = std::size(kRegisters) + 1;
  std::string body =
      "mov.u32 %r10, %ctaid.y;\nmov.u32 %r11, %ctaid.z;\nmov.u32 %r12, %nctaid.x;\n"
      "mov.u32 %r13, %nctaid.y;\nmad.lo.u32 %r10, %r11, %r13, %r10;\n"
      "mad.lo.u32 %r10, %r10, %r12, %r2;\nmul.wide.u32 %rd2, %r10, " +
      std::to_string(4 * words) + ";\nadd.u64 %rd1, %rd1, %rd2;\n";
  for (size_t i = 0; i < std::size(kRegisters); ++i) {
    body += std::string("mov.u32 %r5, ") + kRegisters[i] + ";\nst.global.u32 [%rd1+" +
            std::to_string(4 * i) + "], %r5;\n";
  }
  body += "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r5, 1, 0, %p1;\nst.global.u32 [%rd1+" +
          std::to_string(4 * words - 4) + "], %r5;\n";
  const std::string ptx = kernel(body);
  std::mt19937 random(3);
  const auto some = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
  for (int i = 0; i < 200; ++i) {
    Dim3 c{some(8), some(8), some(8)};
    if (i == 0) c = {0, 0, 0};
    if (c.x * c.y * c.z > 8) continue;
    const Dim3 n = i == 0 ? Dim3{1, 1, 1} : c;
    const Dim3 g{n.x * some(4), n.y * some(4), n.z * some(3)};
    RunOptions options;
    options.threads = i % 3 + 1;
    const ClusterOutcome o = run_cluster(ptx, g, 1, c, words * g.x * g.y * g.z, {}, options);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    EXPECT_EQ(o.result.counts.ctas, g.x * g.y * g.z);
    for (uint32_t at = 0; at < g.x * g.y * g.z; ++at) {
      const Dim3 cta{at % g.x, at / g.x % g.y, at / g.x / g.y};
      const Dim3 in{cta.x % n.x, cta.y % n.y, cta.z % n.z};
      const uint32_t expected[] = {cta.x / n.x,
                                   cta.y / n.y,
                                   cta.z / n.z,
                                   g.x / n.x,
                                   g.y / n.y,
                                   g.z / n.z,
                                   in.x,
                                   in.y,
                                   in.z,
                                   n.x,
                                   n.y,
                                   n.z,
                                   in.x + n.x * (in.y + n.y * in.z),
                                   n.x * n.y * n.z,
                                   i == 0 ? 0u : 1u};
      for (size_t k = 0; k < words; ++k) {
        ASSERT_EQ(o.out[at * words + k], expected[k]) << "CTA " << at << ", word " << k;
      }
    }
  }
}

// All write to the next one's shared memory and meet; then each reads what the one before has put
// there, by its own address, by a mapped and by a generic one.
std::string ring(const std::string& arrive, const std::string& wait) {
  return kernel(
      "mov.u32 %r6, %cluster_ctarank;\nmov.u32 %r7, %cluster_nctarank;\nadd.u32 %r8, %r6, 1;\n"
      "rem.u32 %r8, %r8, %r7;\nmov.u32 %r9, s;\nshl.b32 %r10, %r0, 2;\nadd.u32 %r9, %r9, %r10;\n"
      "mapa.shared::cluster.u32 %r11, %r9, %r8;\nmad.lo.u32 %r12, %r2, 1000, %r0;\n"
      "st.shared::cluster.u32 [%r11], %r12;\n" +
          arrive + "\n" + wait +
          "\nld.shared.u32 %r13, [%r9];\nmapa.shared::cluster.u32 %r14, %r9, %r6;\n"
          "ld.shared::cluster.u32 %r15, [%r14];\ncvta.shared.u64 %rd3, s;\ncvt.u64.u32 %rd4, "
          "%r10;\n"
          "add.u64 %rd3, %rd3, %rd4;\nmapa.u64 %rd5, %rd3, %r8;\nld.u32 %r16, [%rd5];\n"
          "getctarank.shared::cluster.u32 %r17, %r14;\ngetctarank.u64 %r18, %rd5;\n"
          "getctarank.shared::cluster.u32 %r19, %r9;\nsetp.ne.u32 %p1, %r13, %r15;\n"
          "setp.ne.or.u32 %p1, %r17, %r6, %p1;\nsetp.ne.or.u32 %p1, %r18, %r8, %p1;\n"
          "setp.ne.or.u32 %p1, %r19, %r6, %p1;\nisspacep.shared::cta %p2, %rd5;\n"
          "setp.ne.or.u32 %p1, %r7, 1, %p1;\nisspacep.shared::cluster %p3, %rd5;\n"
          "@!%p3 mov.u32 %r13, 77777;\n@%p2 mov.u32 %r13, 88888;\n"
          "mul.wide.u32 %rd6, %r1, 8;\nadd.u64 %rd6, %rd6, %rd1;\n"
          "st.global.u32 [%rd6], %r13;\nst.global.u32 [%rd6+4], %r16;\n" +
          arrive + "\n" + wait,
      ".shared .align 16 .b8 s[4096];\n");
}

TEST(Clusters, CtasWriteAndReadEachOthersSharedMemory) {
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    const uint32_t n = 2 + static_cast<uint32_t>(random() % 7);
    const uint32_t clusters = 1 + static_cast<uint32_t>(random() % 5);
    const uint32_t threads = 1 + static_cast<uint32_t>(random() % 200);
    RunOptions options;
    options.threads = i % 3 + 1;
    options.check = i % 2 == 1;
    const bool aligned = i % 4 < 2;
    const std::string ptx =
        ring(aligned ? "barrier.cluster.arrive.aligned;" : "barrier.cluster.arrive.release;",
             aligned ? "barrier.cluster.wait.aligned;" : "barrier.cluster.wait.acquire;");
    const ClusterOutcome o = run_cluster(ptx, {n * clusters, 1, 1}, threads, {n, 1, 1},
                                         2 * n * clusters * threads, {}, options);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    EXPECT_EQ(o.result.counts.barriers, 2 * n * clusters);
    for (uint32_t cta = 0; cta < n * clusters; ++cta) {
      const uint32_t first = cta / n * n, before = first + (cta - first + n - 1) % n;
      for (uint32_t t = 0; t < threads; ++t) {
        ASSERT_EQ(o.out[2 * (cta * threads + t)], before * 1000 + t) << n << " " << cta;
        ASSERT_EQ(o.out[2 * (cta * threads + t) + 1], cta * 1000 + t) << n << " " << cta;
      }
    }
  }
}

// A cluster of one CTA has its barrier, too; and who leaves is not waited for.
TEST(Clusters, TheBarrierCountsThreadsThatAreLeft) {
  const std::string ptx = kernel(
      "setp.ge.u32 %p1, %r0, 40;\n@%p1 exit;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "mul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd6, %rd6, %rd1;\nmov.u32 %r5, 3;\n"
      "st.global.u32 [%rd6], %r5;\nsetp.eq.u32 %p2, %r0, 3;\n@%p2 exit;\n"
      "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nmov.u32 %r5, 4;\n"
      "st.global.u32 [%rd6], %r5;\n");
  for (const uint32_t n : {1u, 2u, 8u}) {
    const ClusterOutcome o = run_cluster(ptx, {n, 1, 1}, 100, {n, 1, 1}, n * 100);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    for (uint32_t i = 0; i < n * 100; ++i) {
      EXPECT_EQ(o.out[i], i % 100 >= 40 ? 0u : i % 100 == 3 ? 3u : 4u) << i;
    }
  }
}

TEST(Clusters, MisusesOfTheBarrierAreToldOf) {
  const auto fault = [](const std::string& body) {
    const ClusterOutcome o = run_cluster(kernel(body), {2, 1, 1}, 32, {2, 1, 1}, 1);
    return o.result.fault ? o.result.fault->message : "";
  };
  expect_words(fault("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n"), {"twice", "PTX line"});
  expect_words(fault("barrier.cluster.wait;\n"), {"without having arrived"});
  expect_words(fault("mov.u32 %r5, 2;\nmapa.shared::cluster.u32 %r6, %r5, %r5;\n"),
               {"mapa to a rank"});
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_file
