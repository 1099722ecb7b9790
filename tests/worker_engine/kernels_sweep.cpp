// The long sweep: many random legal tiles of every kernel compile, fit and compute rightly. A test
// for each kernel, so that several cores have something to do.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

struct Size {
  int m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1},       {17, 33, 5},    {127, 129, 65}, {128, 128, 128},
                           {256, 192, 320}, {300, 70, 257}, {511, 257, 96}, {384, 512, 64}};

// Of a size and of a kernel; a sanitizer makes hours of minutes, and each path is on the way of a
// few of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kTiles = 2, kProblems = 12;
#else
constexpr int kTiles = 12, kProblems = 200;
#endif

class LongSweep : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, LongSweep, every_kernel(), kernel_name);

TEST_P(LongSweep, RandomLegalTilesCompileFitAndComputeRightly) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  unsigned seed = 1000u + static_cast<unsigned>(kernel.info.number * std::size(kSizes));
  for (const Size& size : kSizes) {
    KernelRequest request = default_request(kernel.info.id, size.m, size.n, size.k);
    for (const TileConfig& tile : random_legal_tiles(kernel, request.problem, kTiles, seed++)) {
      request.tile = tile;
      try {
        const auto compiled = test_compiler().compile(request, "sm_90");
        const Launch launch = kernel.launch(tile, request.problem);
        // What validate() admits can be launched: registers as they were really given out.
        EXPECT_LE(compiled->result.registers * launch.threads * launch.min_ctas,
                  DeviceLimits{}.registers_per_sm)
            << describe(request);
        // validate() estimates registers. Where few threads hold a whole slice on its way,
        // element by element, that spills: it is shown, and bounded by what they hold.
        const KernelPlan plan = kernel.plan(tile, request.problem);
        const int held = plan.copy_a.iterations() + plan.copy_b.iterations();
        EXPECT_LE(compiled->result.spill_bytes, std::max(1280, 32 * held)) << describe(request);
        EmulateOptions options;
        options.data.kind = DataSpec::Kind::exact;
        options.threads = host_threads();
        const EmulateResult result = emulate(request, kernel, compiled->result.ptx, options);
        ASSERT_TRUE(result.verified);
        EXPECT_TRUE(result.verified->ok) << describe(request);
        EXPECT_EQ(result.verified->norm, 0) << describe(request);
      } catch (const RpcError& error) {
        ADD_FAILURE() << describe(request) << ": " << error.message;
      }
    }
  }
}

// Problems of every kind that a kernel takes, ragged and with lines apart.
TEST_P(LongSweep, RandomProblemsAreRightAndClean) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  for (const CaseProblem& one :
       random_cases(kernel, kProblems, 7000u + static_cast<unsigned>(kernel.info.number))) {
    expect_right_and_clean(kernel, one);
  }
}

}  // namespace
}  // namespace tilescope::worker
