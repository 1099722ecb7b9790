// What tensor cores lose of FP8's sums, and how promotion to registers keeps it: as the emulator
// sums, bit by bit as a card of compute capability 9.0.
#include <gtest/gtest.h>

#include <cmath>

#include "core/model/sum_error.h"
#include "engine_support.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/verify.h"

namespace tilescope::worker::promotion_file {
namespace {

struct Outcome {
  KernelRequest request;
  Verification verified;
  double tolerance = 0;
};

/// One tile of C over a long k, whose slices have 128.
Outcome run(int promote, int k) {
  Outcome out{default_request("fp8", 64, 64, k), {}, 0};
  TileConfig& tile = out.request.tile;
  tile.block_m = tile.block_n = 64, tile.cluster_m = 1, tile.promote = promote;
  out.request.sums_of = 90;
  const KernelEntry& kernel = *find_kernel("fp8");
  const auto compiled = test_compiler().compile(out.request, "sm_90");
  EmulateOptions options;
  options.scope = EmulateOptions::Scope::whole;
  const EmulateResult result = emulate(out.request, kernel, compiled->result.ptx, options);
  EXPECT_EQ(result.arithmetic, "products as sm_90 sums them");
  out.verified = result.verified.value_or(Verification{});
  out.tolerance =
      tolerance_of(out.request.problem, kernel.plan(out.request.tile, out.request.problem));
  return out;
}

TEST(Promotion, KeepsWhatTensorCoresCutOff) {
  constexpr int kDepth = 8192;
  double before = 0;
  for (const int promote : {1, 2, 4, 8, 16, 0}) {  // 0: all of k at once
    const Outcome one = run(promote, kDepth);
    EXPECT_TRUE(one.verified.ok) << promote;
    EXPECT_EQ(one.tolerance, one.verified.tolerance) << promote;
    // Right by its own bound, which is no more than some times what is lost.
    EXPECT_LT(one.verified.norm * 2, one.tolerance) << promote;
    EXPECT_GT(one.verified.norm * 8, one.tolerance) << promote;
    EXPECT_GT(one.verified.norm, before * 1.2) << promote;
    // What the window draws as usual.
    const double usual =
        model::cut_off_error(ElementType::e4m3, promote > 0 ? 128 * promote : kDepth);
    EXPECT_NEAR(one.verified.norm / usual, 1, 0.3) << promote;
    before = one.verified.norm;
  }
}

TEST(Promotion, ThatNeverComesIsNoRightResultOfOneThatDoes) {
  constexpr int kDepth = 8192;
  const Outcome never = run(0, kDepth), each = run(1, kDepth);
  EXPECT_GT(never.verified.norm, each.tolerance * 2);
  // A lost slice is far beyond any of these bounds.
  EXPECT_LT(never.tolerance * 4, std::sqrt(128.0 / kDepth));
}

// Floats in parts are right within SGEMM's bound, and nearer than a kernel that adds floats up.
TEST(FloatParts, AreNearerThanSumsOfFloats) {
  const auto norm_of = [](const char* kernel, int promote) {
    KernelRequest request = default_request(kernel, 64, 64, 2048);
    request.sums_of = 90;
    if (promote > 0) request.tile.promote = promote;
    set_layout(request.problem, kTN);
    const auto compiled = test_compiler().compile(request, "sm_90");
    EmulateOptions options;
    options.scope = EmulateOptions::Scope::whole;
    const EmulateResult r = emulate(request, *find_kernel(kernel), compiled->result.ptx, options);
    EXPECT_TRUE(r.verified && r.verified->ok) << kernel;
    return r.verified ? r.verified->norm : 1.0;
  };
  Problem p;
  p.k = 2048;
  const double parts = norm_of("tf32x3", 1);
  EXPECT_LT(parts, norm_of("vectorized", 0) / 2);
  EXPECT_LT(parts, tolerance_of(p, false));
  const double rare = norm_of("tf32x3", 16);  // 512 k at a time
  EXPECT_GT(rare, parts * 4);
  KernelRequest request = default_request("tf32x3", 64, 64, 2048);
  const KernelEntry& kernel = *find_kernel("tf32x3");
  const double usual = model::cut_off_error(kernel.plan(request.tile, request.problem), p);
  EXPECT_NEAR(parts / usual, 1, 0.2);
}

TEST(Promotion, BoundsOfOtherTypesAreAsTheyWere) {
  Problem p;
  p.k = 1024;
  EXPECT_EQ(tolerance_of(p, true, 128), tolerance_of(p, true));
}

}  // namespace
}  // namespace tilescope::worker::promotion_file
