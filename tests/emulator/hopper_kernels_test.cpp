// GEMMs of wgmma and TMA as nvcc compiles them (bench/hopper): a ring that one warpgroup fills and
// reads, and a producer with two consumers that store boxes. Right on ragged problems, clean under
// the checks; and mistakes planted in their PTX are found.
#include <algorithm>
#include <random>

#include "emulator/provenance.h"
#include "hopper_gemm.h"

namespace tilescope::emulator::test::hopper_kernels_file {
namespace {

constexpr HopperKernel kRing{"wgmma_ring.ptx", 64, 32, 128};
constexpr HopperKernel kRoles{"wgmma_roles.ptx", 128, 32, 384};

TEST(HopperKernels, AreRightOnRaggedProblems) {
  std::mt19937 random(11);
  for (const HopperKernel& kernel : {kRing, kRoles}) {
    const std::string ptx = read_kernel(kernel.file);
    for (int i = 0; i < 12; ++i) {
      const auto some = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
      const HopperProblem p{some(200), 8 * some(12), 8 * some(50)};
      const HopperRun ran = run_hopper_gemm(kernel, ptx, p, i % 3 == 0);
      const std::string what = std::string(kernel.file) + " " + std::to_string(p.m) + "x" +
                               std::to_string(p.n) + "x" + std::to_string(p.k);
      ASSERT_FALSE(ran.result.fault) << what << ": " << ran.result.fault->message;
      ASSERT_LT(ran.worst, 1e-4) << what;
    }
  }
}

// Through TMA, descriptors, and where the epilogue is one of boxes through shared memory again.
TEST(HopperKernels, ElementsOfCAreTheirRowTimesTheirColumn) {
  for (const HopperKernel& kernel : {kRing, kRoles}) {
    const HopperProblem p{130, 72, 200};
    Provenance provenance;
    const HopperRun ran =
        run_hopper_gemm(kernel, read_kernel(kernel.file), p, false, 1000, &provenance);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    for (const auto& [i, j] :
         {std::pair(0u, 0u), {1, 71}, {63, 8}, {64, 33}, {129, 70}, {100, 41}}) {
      const Value v = provenance.of_global(ran.c + 4 * (uint64_t{i} * p.n + j), 4);
      const std::string what = std::string(kernel.file) + " C[" + std::to_string(i) + ", " +
                               std::to_string(j) + "] of kind " +
                               std::to_string(static_cast<int>(v.kind));
      const Value* sum = sum_in(v);
      ASSERT_TRUE(sum) << what;
      ASSERT_EQ(sum->products.size(), 1u) << what;
      const Products& all = sum->products[0];
      EXPECT_EQ(all.count, p.k) << what;
      EXPECT_EQ(all.a, (Origin{0, 2ull * i * p.k})) << what;
      EXPECT_EQ(all.b, (Origin{1, 2ull * j * p.k})) << what;
    }
  }
}

// One CTA goes from tile to tile.
void expect_race(const std::string& ptx, const std::string& what) {
  const HopperRun ran = run_hopper_gemm(kRoles, ptx, {128, 160, 64 * 9}, true, 1);
  ASSERT_TRUE(ran.result.fault) << what;
  const bool race = std::ranges::any_of(
      ran.result.findings, [](const Finding& f) { return f.fault.kind == Fault::Kind::race; });
  EXPECT_TRUE(race) << what << ": " << ran.result.fault->message;
}

TEST(HopperKernels, PlantedMistakesAreFound) {
  const std::string ptx = read_kernel(kRoles.file);
  const std::string again = "@p bra D;\nbra L;";
  // The consumers' wait is the file's first, the producer's are the others.
  expect_race(changed(ptx, again, "", 0, 1), "reads before the transaction has ended");
  expect_race(changed(ptx, again, "", 1, 100), "fills a stage that is still read");
  expect_race(changed(ptx, "wgmma.wait_group.sync.aligned 1;", "", 0, 1),
              "gives a stage back before its product has ended");
  expect_race(changed(ptx, "cp.async.bulk.wait_group.read 1;", "", 0, 100),
              "writes to what a bulk store still reads");
}

// A consumer that never gives its stages back: the producer waits for ever.
TEST(HopperKernels, WaitingForEverIsADeadlock) {
  std::string ptx = read_kernel(kRoles.file);
  ptx = changed(ptx, "mbarrier.arrive.shared::cta.b64 _,", "// mbarrier.arrive", 0, 100);
  const HopperRun ran = run_hopper_gemm(kRoles, ptx, {128, 32, 64 * 9}, false);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, Fault::Kind::deadlock) << ran.result.fault->message;
}

}  // namespace
}  // namespace tilescope::emulator::test::hopper_kernels_file
