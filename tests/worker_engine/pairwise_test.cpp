// Every kernel on layouts, types, orders of C, alpha, beta, ragged extents, leading dimensions and
// offsets, in pairs, each on a random legal tile: right against double precision, and clean under
// the checks for races, bounds, missing waits and pending copies. A C that is not to be read holds
// NaN.
#include <gtest/gtest.h>

#include "cases.h"
#include "support.h"
#include "tests/every_kernel.h"
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
  for (const CaseProblem& one : cases) expect_right_and_clean(kernel, one);
}

}  // namespace
}  // namespace tilescope::worker
