// Kernels for clusters as nvcc compiles them: GEMMs whose CTAs share their copies by multicast
// (bench/hopper), and distributed shared memory by cooperative groups (kernels/cluster.cu). Right,
// clean under the checks, followed by provenance; and mistakes planted in their PTX are found.
#include <algorithm>
#include <numeric>

#include "cluster_support.h"
#include "hopper_gemm.h"

namespace tilescope::emulator::test::cluster_kernels_file {
namespace {

constexpr const char* kFile = "wgmma_cluster.ptx";
constexpr HopperKernel kByM{kFile, 64, 32, 256, 2, 1, 0}, kByN{kFile, 64, 32, 256, 1, 2, 1},
    kByBoth{kFile, 128, 32, 384, 2, 2, 2};
constexpr HopperKernel kGemms[] = {kByM, kByN, kByBoth};

std::string words_of(const HopperKernel& kernel, const HopperProblem& p) {
  return std::to_string(kernel.cluster_m) + "x" + std::to_string(kernel.cluster_n) + " of " +
         std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
}

TEST(ClusterKernels, GemmsAreRightOnRaggedProblems) {
  const std::string ptx = read_kernel(kFile);
  std::mt19937 random(12);
  for (const HopperKernel& kernel : kGemms) {
    for (int i = 0; i < 8; ++i) {
      const auto some = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
      const HopperProblem p{some(400), 8 * some(20), 8 * some(50)};
      RunOptions options;
      options.check = i % 2 == 0;
      options.threads = 1 + i % 3;
      const HopperRun ran = run_hopper_gemm(kernel, ptx, p, options, 1 + i % 4 * 2);
      ASSERT_FALSE(ran.result.fault) << words_of(kernel, p) << ": " << ran.result.fault->message;
      ASSERT_LT(ran.worst, 1e-4) << words_of(kernel, p);
    }
  }
}

// What a CTA multiplies, another one of its cluster has brought half of.
TEST(ClusterKernels, ElementsOfCAreTheirRowTimesTheirColumn) {
  const HopperProblem p{130, 72, 200};
  for (const HopperKernel& kernel : kGemms) {
    Provenance provenance;
    const HopperRun ran = run_hopper_gemm(kernel, read_kernel(kFile), p, false, 1000, &provenance);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    for (const auto& [i, j] :
         {std::pair(0u, 0u), {1, 71}, {63, 8}, {64, 33}, {129, 70}, {100, 41}}) {
      const Value v = provenance.of_global(ran.c + 4 * (uint64_t{i} * p.n + j), 4);
      const std::string what =
          words_of(kernel, p) + ", C[" + std::to_string(i) + ", " + std::to_string(j) + "]";
      const Value* sum = sum_in(v);
      ASSERT_TRUE(sum) << what;
      ASSERT_EQ(sum->products.size(), 1u) << what;
      EXPECT_EQ(sum->products[0].count, p.k) << what;
      EXPECT_EQ(sum->products[0].a, (Origin{0, 2ull * i * p.k})) << what;
      EXPECT_EQ(sum->products[0].b, (Origin{1, 2ull * j * p.k})) << what;
    }
  }
}

// A chosen CTA takes its cluster along; counts and trace are its own.
TEST(ClusterKernels, OneCtaRunsWithItsCluster) {
  const HopperKernel& kernel = kByBoth;
  const HopperProblem p{512, 128, 192};
  const HopperRun all = run_hopper_gemm(kernel, read_kernel(kFile), p, false);
  RunOptions options;
  options.ctas = {{6, 0, 0}};
  options.trace.emplace();
  options.trace->cta = {6, 0, 0};
  const HopperRun one = run_hopper_gemm(kernel, read_kernel(kFile), p, options);
  ASSERT_FALSE(one.result.fault) << one.result.fault->message;
  ASSERT_EQ(one.result.taken_along.size(), 3u);
  EXPECT_EQ(one.result.taken_along[0].x, 4u);
  EXPECT_EQ(one.result.taken_along[2].x, 7u);
  EXPECT_EQ(one.result.counts.ctas, 1u);
  EXPECT_EQ(all.result.counts.ctas, 16u);
  EXPECT_EQ(one.result.counts.mma * 16, all.result.counts.mma);
  EXPECT_EQ(one.result.counts.bulk_load.bytes * 16, all.result.counts.bulk_load.bytes);
  ASSERT_TRUE(one.result.trace);
  EXPECT_EQ(one.result.trace->cta.x, 6u);
  const auto copies = std::ranges::count(one.result.trace->events, EventKind::copy, &Event::kind);
  EXPECT_EQ(copies, 2 * 3);  // A and B, three steps of k
}

void expect_found(const std::string& ptx, Fault::Kind kind, const std::string& what) {
  const HopperRun ran = run_hopper_gemm(kByM, ptx, {128, 160, 64 * 9}, true, 1);
  ASSERT_TRUE(ran.result.fault) << what;
  EXPECT_TRUE(std::ranges::any_of(ran.result.findings,
                                  [&](const Finding& f) { return f.fault.kind == kind; }))
      << what << ": " << ran.result.fault->message;
}

/// In kByM's entry, the file's first.
std::string entry_changed(const std::string& ptx, const std::string& old, const std::string& fresh,
                          int first, int count) {
  const size_t end = ptx.find(".visible .entry", ptx.find(".visible .entry") + 1);
  return changed(ptx.substr(0, end), old, fresh, first, count) + ptx.substr(end);
}

TEST(ClusterKernels, PlantedMistakesAreFound) {
  const std::string ptx = read_kernel(kFile);
  const std::string again = "@p bra D;\nbra L;";
  const std::string meet = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;";
  expect_found(entry_changed(ptx, again, "", 0, 1), Fault::Kind::race,
               "reads before the transactions have ended");
  expect_found(entry_changed(ptx, again, "", 1, 100), Fault::Kind::race,
               "fills a stage that a CTA of the cluster still reads");
  expect_found(entry_changed(ptx, meet, "", 0, 1), Fault::Kind::race,
               "uses mbarriers that another CTA has not made yet");
  expect_found(entry_changed(ptx, meet, "", 1, 1), Fault::Kind::cta_left,
               "leaves while others signal it");
}

TEST(ClusterKernels, WaitingForEverNamesWhoWaitsForWhat) {
  const std::string ptx =
      entry_changed(read_kernel(kFile), "mbarrier.arrive.shared::cluster.b64 _, [r];", "", 0, 100);
  const HopperRun ran = run_hopper_gemm(kByM, ptx, {128, 32, 64 * 9}, false);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, Fault::Kind::deadlock) << ran.result.fault->message;
  for (const char* words : {"CTA (0, 0, 0): warps 4 to 7 ask", "CTA (1, 0, 0): warps 4 to 7 ask",
                            "warp 0 asks", "2 of 2 arrivals", "deadlock"}) {
    EXPECT_NE(ran.result.fault->message.find(words), std::string::npos)
        << words << " in: " << ran.result.fault->message;
  }
}

struct Buffers {
  Memory memory;
  uint64_t in = 0, out = 0;
};
RunResult run_cpp(Buffers& b, const std::string& entry, Dim3 grid, uint32_t threads, Dim3 cluster,
                  const std::vector<std::byte>& parameters, uint32_t shared, bool check,
                  const std::string& ptx = read_kernel("cluster.ptx")) {
  const auto program = parse(ptx);
  RunOptions options;
  options.check = check;
  return run(*program, entry, {grid, {threads, 1, 1}, shared, parameters, cluster}, b.memory,
             options);
}

TEST(ClusterKernels, HistogramOverACluster) {
  std::mt19937 random(6);
  for (int i = 0; i < 6; ++i) {
    const uint32_t n = 100 + static_cast<uint32_t>(random() % 3000);
    const uint32_t per = 1 + static_cast<uint32_t>(random() % 60);
    Buffers b;
    b.in = b.memory.allocate("in", 4 * n, true);
    b.out = b.memory.allocate("bins", 16 * per);
    auto* in = data<int32_t>(b.memory, b.in);
    std::vector<int32_t> expected(4 * per);
    for (uint32_t k = 0; k < n; ++k) {
      in[k] = static_cast<int32_t>(random() % (4 * per + 10)) - 3;
      ++expected[static_cast<size_t>(
          std::clamp<int32_t>(in[k], 0, static_cast<int32_t>(4 * per) - 1))];
    }
    const RunResult r = run_cpp(b, "histogram", {4 * (1 + i % 3u), 1, 1}, 96, {0, 0, 0},
                                parameters(b.in, b.out, n, per), 4 * per, i % 2 == 0);
    ASSERT_FALSE(r.fault) << r.fault->message;
    EXPECT_TRUE(
        std::ranges::equal(expected, std::span(data<int32_t>(b.memory, b.out), expected.size())));
  }
}

TEST(ClusterKernels, SumOverAClusterOfTheLaunchsSize) {
  for (const uint32_t cluster : {1u, 2u, 4u, 8u}) {
    for (const bool check : {false, true}) {
      Buffers b;
      const uint32_t n = 100, ctas = 8;
      b.in = b.memory.allocate("in", 4 * n * ctas, true);
      b.out = b.memory.allocate("out", 4 * ctas);
      auto* in = data<float>(b.memory, b.in);
      for (uint32_t i = 0; i < n * ctas; ++i) in[i] = static_cast<float>(i % 37);
      const RunResult r = run_cpp(b, "cluster_sum", {ctas, 1, 1}, 64, {cluster, 1, 1},
                                  parameters(b.in, b.out, n), 0, check);
      ASSERT_FALSE(r.fault) << r.fault->message;
      for (uint32_t c = 0; c < ctas / cluster; ++c) {
        EXPECT_EQ(data<float>(b.memory, b.out)[c],
                  std::accumulate(in + c * cluster * n, in + (c + 1) * cluster * n, 0.0f));
      }
    }
  }
}

TEST(ClusterKernels, SplitBarrier) {
  Buffers b;
  b.in = b.memory.allocate("in", 4 * 128 * 6, true);
  b.out = b.memory.allocate("out", 4 * 128 * 6);
  auto* in = data<int32_t>(b.memory, b.in);
  for (int i = 0; i < 128 * 6; ++i) in[i] = i * i;
  const auto run = [&](const std::string& ptx) {
    return run_cpp(b, "split_barrier", {6, 1, 1}, 128, {2, 1, 1}, parameters(b.in, b.out), 0, true,
                   ptx);
  };
  const std::string ptx = read_kernel("cluster.ptx");
  const RunResult r = run(ptx);
  ASSERT_FALSE(r.fault) << r.fault->message;
  for (int i = 0; i < 128 * 6; ++i) {
    const int other = (i / 128 ^ 1) * 128 + 127 - i % 128;
    ASSERT_EQ(data<int32_t>(b.memory, b.out)[i], 2 * in[i] + in[other]) << i;
  }
  // The last barrier is there so that no CTA leaves whose line is still read.
  const size_t at = ptx.rfind("barrier.cluster.arrive;");
  std::string bad = ptx;
  bad.replace(at, std::strlen("barrier.cluster.arrive;"), "");
  bad.replace(bad.rfind("barrier.cluster.wait;"), std::strlen("barrier.cluster.wait;"), "");
  const RunResult left = run(bad);
  ASSERT_TRUE(left.fault);
  EXPECT_EQ(left.fault->kind, Fault::Kind::cta_left) << left.fault->message;
  EXPECT_GT(left.fault->source.line, 0);
}

}  // namespace
}  // namespace tilescope::emulator::test::cluster_kernels_file
