// A formula that is said to be exact gives what was counted, to the byte.
#include "core/model/formulas.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kernels/registry.h"

namespace tilescope::model {
namespace {

Analysis analysis_of(const KernelEntry& kernel, int m, int n, int k, float beta) {
  Problem p = default_problem(kernel.info);
  p.m = m, p.n = n, p.k = k, p.beta = beta, p.bias = beta != 0;
  const TileConfig tile = kernel.sliders.defaults();
  return analyse(kernel.plan(tile, p), p, kernel.launch(tile, p), device_table()[0]);
}

std::map<std::string, Formula> by_key(const std::vector<Formula>& all) {
  std::map<std::string, Formula> map;
  for (const Formula& f : all) map[f.key] = f;
  return map;
}

TEST(Formulas, GiveWhatWasCounted) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (float beta : {0.0f, 1.0f}) {
      for (int extent : {1024, 1000, 257}) {
        const Analysis a = analysis_of(kernel, extent, extent + 8, extent + 24, beta);
        const auto f = by_key(all_formulas(a));
        const Traffic& t = a.traffic;
        const std::string where = std::string(kernel.info.id) + " " + std::to_string(extent);
        EXPECT_EQ(f.at("registers.read").value, t.registers.read) << where;
        EXPECT_EQ(f.at("registers.write").value, t.registers.write) << where;
        EXPECT_EQ(f.at("l1.read").value, t.l1.read) << where;
        EXPECT_EQ(f.at("l1.write").value, t.l1.write) << where;
        EXPECT_EQ(f.at("l2.read").value, t.l2.read) << where;
        EXPECT_EQ(f.at("l2.write").value, t.l2.write) << where;
        EXPECT_EQ(f.at("dram.read").value, t.dram.read) << where;
        EXPECT_EQ(f.at("dram.write").value, t.dram.write) << where;
        if (a.plan.stages() > 0) {
          EXPECT_EQ(f.at("shared.read").value, t.shared.read) << where;
          EXPECT_EQ(f.at("shared.write").value, t.shared.write) << where;
          const Counts& c = t.counts;
          const auto wavefronts = [&](const char* key) {
            return f.contains(key) ? f.at(key).value : 0;
          };
          EXPECT_EQ(wavefronts("shared.read.wavefronts"), c.shared_load.wavefronts) << where;
          EXPECT_EQ(wavefronts("shared.write.wavefronts"), c.shared_store.wavefronts) << where;
          EXPECT_EQ(wavefronts("shared.write.copy_wavefronts"), c.shared_copy.wavefronts) << where;
          EXPECT_GT(c.shared_store.wavefronts + c.shared_copy.wavefronts, 0u) << where;
          EXPECT_EQ(f.at("shared.bytes").value, a.launch.shared_bytes) << where;
        }
      }
    }
  }
}

// C of an f16 kernel is f32: its elements are fewer than bytes over two.
TEST(Formulas, ElementsAreThoseOfEachOperand) {
  const Analysis mma = analysis_of(*find_kernel("mma_multistage"), 4096, 4096, 4096, 0);
  EXPECT_EQ(mma.traffic.dram.all(Count::elements), 3.0 * 4096 * 4096);
  EXPECT_EQ(mma.traffic.dram.all(Count::bytes), 8.0 * 4096 * 4096);
  for (const KernelEntry& kernel : kernel_table()) {
    for (float beta : {0.0f, 1.0f}) {
      for (int extent : {1024, 1000, 257}) {
        const Analysis a = analysis_of(kernel, extent, extent + 8, extent + 24, beta);
        const auto f = by_key(traffic_formulas(a, Count::elements));
        const Traffic& t = a.traffic;
        const std::string where = std::string(kernel.info.id) + " " + std::to_string(extent);
        const auto same = [&](const char* key, const MemoryLevel& level) {
          const std::string name = key;
          EXPECT_EQ(f.at(name + ".read").value, level.read_elements) << where << name;
          EXPECT_EQ(f.at(name + ".write").value, level.write_elements) << where << name;
          EXPECT_EQ(f.at(name + ".read").unit, "elements");
          const double moved = level.all(Count::elements);  // nothing, where all goes past the L1
          EXPECT_DOUBLE_EQ(f.at(name + ".intensity").value,
                           moved > 0 ? flops(a.problem) / moved : 0);
        };
        same("registers", t.registers), same("l1", t.l1), same("l2", t.l2), same("dram", t.dram);
        if (a.plan.stages() > 0) same("shared", t.shared);
        EXPECT_EQ(global_elements(a.problem, t.l1.read, t.l1.write, t.counts),
                  t.l1.all(Count::elements))
            << where;
        EXPECT_EQ(shared_elements(a.problem, t.shared.read, t.counts.sums_read(), t.counts),
                  t.shared.read_elements)
            << where;
      }
    }
  }
}

TEST(Formulas, AllAreFilledIn) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (const Formula& f : all_formulas(analysis_of(kernel, 512, 512, 512, 0))) {
      EXPECT_FALSE(f.title.empty()) << f.key;
      EXPECT_FALSE(f.symbols.empty()) << f.key;
      EXPECT_FALSE(f.numbers.empty()) << f.key;
    }
  }
}

TEST(Prediction, NaiveIsBoundByL1RequestsAndMmaIsNot) {
  const Analysis naive = analysis_of(*find_kernel("naive"), 4096, 4096, 4096, 0);
  EXPECT_STREQ(naive.prediction.bound, "L1 requests");
  EXPECT_NEAR(naive.prediction.tflops, 0.5, 0.1);  // measured on an H200: 0.5
  const Analysis mma = analysis_of(*find_kernel("mma_multistage"), 4096, 4096, 4096, 0);
  EXPECT_GT(mma.prediction.tflops, 300);
  EXPECT_LT(mma.prediction.tflops, 0.66 * 989.4);
}

TEST(Prediction, NoLaunchIsShorterThanAnEmptyOne) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Analysis tiny = analysis_of(kernel, 16, 16, 16, 0);
    EXPECT_GE(tiny.prediction.us, kLaunchUs) << kernel.info.id;
    EXPECT_DOUBLE_EQ(tiny.prediction.tflops, flops(tiny.problem) / tiny.prediction.us * 1e-6);
    const Analysis large = analysis_of(kernel, 4096, 4096, 4096, 0);
    EXPECT_GT(large.prediction.us, 10 * kLaunchUs) << kernel.info.id;
    EXPECT_STRNE(large.prediction.bound, "the launch") << kernel.info.id;
  }
  EXPECT_STREQ(analysis_of(*find_kernel("naive"), 16, 16, 16, 0).prediction.bound, "the launch");
  // Four CTAs on a card of 132 SMs.
  EXPECT_STREQ(analysis_of(*find_kernel("mma_multistage"), 256, 256, 8192, 0).prediction.bound,
               "idle SMs");
}

// Where the time goes adds up to it, of every kernel, and no part is negative.
TEST(Prediction, ItsPartsAreTheWhole) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (const int extent : {64, 1000, 2048, 4095}) {
      const Prediction p = analysis_of(kernel, extent, extent + 8, extent + 24, 0).prediction;
      double sum = 0;
      for (const double part : p.parts) {
        EXPECT_GE(part, 0) << kernel.info.id << " " << extent;
        sum += part;
      }
      EXPECT_NEAR(sum, p.us, 1e-9 * p.us) << kernel.info.id << " " << extent;
      EXPECT_LT(p.low_us, p.us);
      EXPECT_GT(p.high_us, p.us);
    }
  }
}

// No unit works longer than the launch takes: what the model calls a level's time is a bound.
TEST(Prediction, IsNoFasterThanAnyUnit) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Prediction p = analysis_of(kernel, 2048, 2048, 2048, 0).prediction;
    for (const LevelTime& level : p.levels)
      EXPECT_GE(p.us, level.us) << kernel.info.id << level.name;
  }
}

// Facts of the compiled kernel count: fewer CTAs per SM, and spills, take time.
TEST(Prediction, RegistersAndSpillsTakeTime) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  Problem problem = default_problem(kernel.info);
  problem.m = problem.n = problem.k = 2048;
  const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), problem);
  const auto with = [&](CompiledFacts facts) {
    return analyse(plan, problem, launch_of(plan), device_table()[0], facts).prediction.us;
  };
  EXPECT_GT(with({.registers = 255, .spill_bytes = 256}),
            with({.registers = 255, .spill_bytes = 0}));
  EXPECT_GE(with({.registers = 255, .spill_bytes = 0}), with({.registers = 128, .spill_bytes = 0}));
}

TEST(Ratios, OfTheCardAndTheProblem) {
  const Analysis a = analysis_of(*find_kernel("thread_tile_2d"), 4096, 4096, 4096, 0);
  EXPECT_NEAR(a.ratios.device, 66.9e12 / 4800e9, 1e-9);
  EXPECT_NEAR(a.ratios.problem, 2.0 * 4096 / 12, 1e-9);
}

}  // namespace
}  // namespace tilescope::model
