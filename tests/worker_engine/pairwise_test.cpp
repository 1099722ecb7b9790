// Every kernel on layouts, types, orders of C, alpha, beta, ragged extents, leading dimensions and
// offsets, in pairs, each on a random legal tile: right against double precision, and clean under
// the checks for races, bounds, missing waits and pending copies. A C that is not to be read holds
// NaN.
#include <gtest/gtest.h>

#include "cases.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

class EveryKernelPairwise : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelPairwise, every_kernel(), kernel_name);

TEST_P(EveryKernelPairwise, IsRightAndClean) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const std::vector<CaseProblem> cases =
      pairwise_cases(kernel, static_cast<unsigned>(kernel.info.number));
  EXPECT_GT(cases.size(), 8u);
  for (const CaseProblem& one : sampled(cases, 3, seed_of(GetParam()))) {
    expect_right_and_clean(kernel, one);
  }
}

// Each matrix is one line, so that their buffers stay small.
TEST_P(EveryKernelPairwise, LinesMayLieApartBeyond32Bits) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  if ((kernel.info.layouts & kTN) == 0) GTEST_SKIP() << "does not take TN";
  CaseProblem one{default_problem(kernel.info), 1};
  Problem& p = one.problem;
  set_layout(p, kTN);
  p.m = p.n = 1, p.k = 37;
  p.lda = (1LL << 33) + 1, p.ldb = (1LL << 32) + 3, p.ldc = kMaxLeadingDimension;
  expect_right_and_clean(kernel, one);
}

}  // namespace
}  // namespace tilescope::worker
