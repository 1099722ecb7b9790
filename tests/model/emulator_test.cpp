// Every kernel's counts by model and emulator: its own tile whole, cut off and in each layout, and
// a few random tiles (emulator_cases.h; the long sweep has a hundred).
#include <gtest/gtest.h>

#include "core/model/traffic.h"
#include "tests/every_kernel.h"
#include "tests/model/emulator_cases.h"
#include "tests/sampled.h"
#include "tests/worker_engine/engine_support.h"

namespace tilescope::model {
namespace {

EmulatedCase of_size(const char* id, int m, int n, int k, float beta = 0) {
  EmulatedCase one{worker::default_request(id, m, n, k), ""};
  one.request.problem.beta = beta;
  return one;
}
void check(const EmulatedCase& one) { expect_model_equals_emulator(one, worker::test_compiler()); }

class ModelEqualsEmulator : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, ModelEqualsEmulator, every_kernel(), kernel_name);

TEST_P(ModelEqualsEmulator, OnWholeTiles) {
  for (const float beta : {0.0f, 1.0f}) check(of_size(GetParam(), 256, 256, 256, beta));
}

TEST_P(ModelEqualsEmulator, OnCutOffTiles) {
  for (const float beta : {0.0f, 1.0f}) check(of_size(GetParam(), 200, 136, 72, beta));
}

TEST_P(ModelEqualsEmulator, OnOddExtents) {
  check(of_size(GetParam(), 131, 129, 67));
  check(of_size(GetParam(), 130, 130, 66, 1));
}

TEST_P(ModelEqualsEmulator, InEachLayout) {
  for (Problem problem :
       sampled(problems_in_each_layout(*find_kernel(GetParam())), 2, seed_of(GetParam()))) {
    problem.m = 136, problem.n = 132, problem.k = 40;
    EmulatedCase one = of_size(GetParam(), 1, 1, 1);
    one.request.problem = problem;
    check(one);
  }
}

TEST_P(ModelEqualsEmulator, OnRandomTiles) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  for (const EmulatedCase& one :
       sampled(random_emulated_cases(kernel, 3, 1), 2, seed_of(GetParam()))) {
    check(one);
  }
}

// ncu counted so on an H200, 2026-11-22 (docs/performance.md).
TEST(WmmaEqualsEmulator, ReadsItsFragmentsInEachLayoutAsACardDoes) {
  const KernelEntry& kernel = *find_kernel("wmma");
  EmulatedCase one = of_size("wmma", 256, 256, 256);
  for (const int layout : {kNN, kNT, kTN, kTT}) {
    worker::KernelRequest& request = one.request;
    set_layout(request.problem, layout);
    const KernelPlan plan = kernel.plan(request.tile, request.problem);
    EXPECT_EQ(count(plan, request.problem).shared_load.wavefronts, 10240);
    check(one);
  }
}

}  // namespace
}  // namespace tilescope::model
