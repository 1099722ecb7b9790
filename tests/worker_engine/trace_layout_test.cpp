// The second witness: each address that the emulator executed, each element it followed into shared
// memory and registers, against core/layout's functions.
#include <gtest/gtest.h>

#include <array>

#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "witness.h"
#include "worker/engine/emulate/cta_classes.h"

namespace tilescope::worker {
namespace {

/// Few SMs: CTAs that stay then have several tiles each.
constexpr int kFewSms = 3;

class EveryKernelTraced : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelTraced, every_kernel(), kernel_name);

void check_corners(const KernelRequest& request) {
  const KernelPlan plan = plan_of(request, kernel_of(request));
  for (const CtaClass& c : cta_classes(plan, request.problem)) {
    for (const BlockIndex at : c.ctas) Witness(request, at).check();
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(EveryKernelTraced, DefaultTileAgreesWithTheLayout) {
  const std::vector<std::array<int, 3>> sizes = {{128, 128, 128}, {256, 192, 320}, {127, 129, 66},
                                                 {70, 50, 33},    {1, 1, 1},       {140, 136, 72}};
  for (const auto& [m, n, k] : sampled(sizes, 1, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), m, n, k);
    check_corners(request);
    request.sms = kFewSms;
    const auto work = [&] { return plan_of(request, kernel_of(request)).work; };
    if (stays(work())) {
      while (work_items(work(), 0) < 2) request.problem.m *= 2;
      check_corners(request);
    }
    if (HasFailure()) return;
  }
}

TEST_P(EveryKernelTraced, RandomTilesAgreeWithTheLayout) {
  unsigned seed = 11;
  const std::vector<std::array<int, 3>> sizes = {{128, 128, 128}, {100, 90, 68}, {66, 130, 35}};
  for (const auto& [m, n, k] : sampled(sizes, 2, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), m, n, k);
    for (const TileConfig& tile :
         sampled(random_legal_tiles(kernel_of(request), request.problem, 3, seed++, 64 * 128), 1,
                 seed_of(GetParam()))) {
      request.tile = tile;
      check_corners(request);
      if (HasFailure()) return;
    }
  }
}

TEST_P(EveryKernelTraced, EveryLayoutAgrees) {
  for (const Problem& problem :
       sampled(problems_in_each_layout(*find_kernel(GetParam())), 1, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), 68, 36, 24);
    request.problem = problem;
    request.problem.m = 68, request.problem.n = 36, request.problem.k = 24;
    request.problem.beta = 1.0f;
    check_corners(request);
  }
}

}  // namespace
}  // namespace tilescope::worker
