// NVRTC → emulator → double precision: every kernel, ragged and aligned problems, random legal
// tiles.
#include <gtest/gtest.h>

#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

EmulateResult run(const KernelRequest& request, EmulateOptions options = {}) {
  const KernelEntry& kernel = kernel_of(request);
  options.threads = host_threads();
  try {
    const auto compiled = test_compiler().compile(request, "sm_90");
    return emulate(request, kernel, compiled->result.ptx, options);
  } catch (const RpcError& error) {
    ADD_FAILURE() << describe(request) << ": " << error.message;
    return {};
  }
}

EmulateResult expect_right(const KernelRequest& request, const EmulateOptions& options = {}) {
  EmulateResult result = run(request, options);
  if (!result.verified) return result;
  const Verification& v = *result.verified;
  EXPECT_TRUE(v.ok) << describe(request) << ": norm " << v.norm << ", worst " << v.worst << " at ["
                    << v.worst_row << ", " << v.worst_col << "], tolerance " << v.tolerance;
  if (options.data.kind == DataSpec::Kind::exact) {
    EXPECT_EQ(v.norm, 0) << describe(request);
  }
  return result;
}

struct Size {
  int m, n, k;
};
const std::vector<Size> kSizes = {{1, 1, 1},       {17, 33, 5}, {127, 129, 65}, {128, 128, 128},
                                  {256, 192, 320}, {96, 80, 7}, {33, 257, 34},  {64, 130, 36}};

class EveryKernel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernel, every_kernel(), kernel_name);

TEST_P(EveryKernel, DefaultTileOnRaggedAndAlignedSizes) {
  for (const Size& size : sampled(kSizes, 4, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), size.m, size.n, size.k);
    EmulateOptions options;
    options.data.seed = random_seed();
    expect_right(request, options);
    options.data.kind = DataSpec::Kind::exact;
    expect_right(request, options);
  }
}

// Ragged and aligned, several tiles: the checks find no fault where there is none.
TEST_P(EveryKernel, IsCleanUnderTheChecks) {
  EmulateOptions options;
  options.check = true;
  for (const Size& size : {Size{17, 33, 5}, Size{128, 128, 128}, Size{64, 130, 36}}) {
    KernelRequest request = default_request(GetParam(), size.m, size.n, size.k);
    expect_right(request, options);
    for (const TileConfig& tile :
         sampled(random_legal_tiles(kernel_of(request), request.problem, 3, 77, 128 * 128), 1,
                 seed_of(GetParam()) + static_cast<unsigned>(size.m))) {
      request.tile = tile;
      for (const CodeFinding& f : expect_right(request, options).findings)
        EXPECT_TRUE(f.remark) << f.message;
    }
  }
}

TEST_P(EveryKernel, RandomLegalTiles) {
  unsigned seed = 1;
  for (const Size& size : sampled(kSizes, 4, seed_of(GetParam()) + 1)) {
    KernelRequest request = default_request(GetParam(), size.m, size.n, size.k);
    // Small block tiles here: the sweep of the label `long` takes the rest.
    for (const TileConfig& tile :
         sampled(random_legal_tiles(kernel_of(request), request.problem, 2, seed++, 128 * 64), 1,
                 seed_of(GetParam()))) {
      request.tile = tile;
      EmulateOptions options;
      options.data.kind = DataSpec::Kind::exact;
      expect_right(request, options);
    }
  }
}

TEST_P(EveryKernel, AlphaAndBeta) {
  const std::vector<std::pair<float, float>> factors = {
      {2.0f, 0.5f}, {0.0f, 1.0f}, {-1.0f, -3.0f}, {0.0f, 0.0f}};
  for (const auto& [alpha, beta] : sampled(factors, 2, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), 70, 45, 40);
    request.problem.alpha = alpha, request.problem.beta = beta;
    EmulateOptions options;
    options.data.kind = DataSpec::Kind::exact;
    expect_right(request, options);
  }
}

TEST_P(EveryKernel, EveryLayout) {
  const std::vector<Size> sizes = {{36, 68, 20}, {128, 64, 72}, {35, 67, 19}};
  unsigned seed = seed_of(GetParam());
  for (const Problem& problem :
       sampled(problems_in_each_layout(*find_kernel(GetParam())), 2, seed)) {
    for (const auto& [m, n, k] : sampled(sizes, 1, seed++)) {
      KernelRequest request = default_request(GetParam(), m, n, k);
      request.problem = problem;
      request.problem.m = m, request.problem.n = n, request.problem.k = k;
      request.problem.beta = m % 2 == 0 ? 0.0f : 1.0f;
      EmulateOptions options;
      options.data.kind = DataSpec::Kind::exact;
      options.check = true;
      expect_right(request, options);
    }
  }
}

TEST_P(EveryKernel, ClassCountsEqualFullCounts) {
  std::vector<KernelRequest> requests;
  for (const Size& size : {Size{300, 333, 50}, Size{512, 384, 64}, Size{289, 520, 33}}) {
    requests.push_back(default_request(GetParam(), size.m, size.n, size.k));
    KernelRequest random = requests.back();
    for (const TileConfig& tile :
         random_legal_tiles(kernel_of(random), random.problem, 2, 77, 64 * 64)) {
      random.tile = tile;
      requests.push_back(random);
    }
  }
  for (const KernelRequest& request : sampled(requests, 3, seed_of(GetParam()))) {
    EmulateOptions options;
    options.scope = EmulateOptions::Scope::whole;
    const EmulateResult whole = run(request, options);
    options.scope = EmulateOptions::Scope::classes;
    const EmulateResult classes = run(request, options);
    EXPECT_TRUE(whole.whole);
    EXPECT_FALSE(classes.whole);
    EXPECT_TRUE(classes.verified && classes.verified->ok) << describe(request);
    const CountedTraffic &w = whole.counted, &c = classes.counted;
    EXPECT_EQ(w.ctas, c.ctas) << describe(request);
    EXPECT_LE(c.ctas_executed, w.ctas_executed);
    EXPECT_TRUE(w.exact);
    EXPECT_EQ(c.exact, classes_are_exact(plan_of(request, kernel_of(request))));
    if (!c.exact) {  // a sample of CTAs, all with equally many slices or one more
      EXPECT_LT(std::abs(1.0 * static_cast<double>(c.mma) / static_cast<double>(w.mma) - 1), 0.3)
          << describe(request);
      continue;
    }
    EXPECT_EQ(w.warp_instructions, c.warp_instructions) << describe(request);
    EXPECT_EQ(w.lane_instructions, c.lane_instructions);
    EXPECT_EQ(w.mma, c.mma);
    EXPECT_EQ(w.barriers, c.barriers);
    EXPECT_EQ(w.by_opcode, c.by_opcode);
    EXPECT_EQ(w.global_load.requests, c.global_load.requests) << describe(request);
    EXPECT_EQ(w.global_load.sectors, c.global_load.sectors) << describe(request);
    EXPECT_EQ(w.global_load.bytes, c.global_load.bytes);
    EXPECT_EQ(w.global_store.sectors, c.global_store.sectors) << describe(request);
    EXPECT_EQ(w.global_store.bytes, c.global_store.bytes);
    EXPECT_EQ(w.shared_load.wavefronts, c.shared_load.wavefronts) << describe(request);
    EXPECT_EQ(w.shared_store.wavefronts, c.shared_store.wavefronts) << describe(request);
    EXPECT_EQ(w.shared_copy.wavefronts, c.shared_copy.wavefronts) << describe(request);
    ASSERT_EQ(w.source_lines.size(), c.source_lines.size());
    for (size_t i = 0; i < w.source_lines.size(); ++i) {
      EXPECT_EQ(w.source_lines[i].line, c.source_lines[i].line);
      EXPECT_EQ(w.source_lines[i].warp_instructions, c.source_lines[i].warp_instructions);
      EXPECT_EQ(w.source_lines[i].sectors, c.source_lines[i].sectors);
    }
  }
}

TEST_P(EveryKernel, WhatValidateAdmitsFits) {
  const KernelRequest request = default_request(GetParam(), 512, 512, 512);
  const KernelEntry& kernel = kernel_of(request);
  for (const TileConfig& tile :
       sampled(random_legal_tiles(kernel, request.problem, 4, 31), 2, seed_of(GetParam()))) {
    KernelRequest one = request;
    one.tile = tile;
    const auto compiled = test_compiler().compile(one, "sm_90");
    const Launch launch = kernel.launch(tile, one.problem);
    EXPECT_LE(compiled->result.registers * launch.threads * launch.min_ctas,
              DeviceLimits{}.registers_per_sm)
        << describe(one);
    // What is not needed in the loop may spill: a few addresses, never accumulators.
    EXPECT_LE(compiled->result.spill_bytes, 64) << describe(one);
  }
}

TEST(CtaClasses, CountEveryCtaOnce) {
  std::mt19937 random(3);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < 50; ++i) {
      Problem p = default_problem(kernel.info);
      p.m = 1 + static_cast<int>(random() % 1000), p.n = 1 + static_cast<int>(random() % 1000);
      p.k = 1 + static_cast<int>(random() % (i % 5 == 0 ? 100000 : 100));
      for (const TileConfig& tile : random_legal_tiles(kernel, p, 2, random())) {
        const KernelPlan plan = kernel.plan(tile, p);
        uint64_t count = 0, completed = 0;
        for (const CtaClass& c : cta_classes(plan, p)) {
          count += c.count * c.ctas.size(), completed += c.completed.size();
          for (const BlockIndex at : c.ctas) {
            const int cta = launch_index(launch_of(plan), at);
            EXPECT_EQ(work_item(plan.work, cta, 0).tile, c.tiles.front());
          }
        }
        EXPECT_EQ(count, static_cast<uint64_t>(cta_count(plan.work)));
        EXPECT_GT(completed, 0u) << "nothing to verify";
      }
    }
  }
}

TEST(Emulate, AFaultIsOneSentenceWithItsPlace) {
  TemporaryFolder folder;
  std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh");
  const size_t at = text.find("k < args.k");
  ASSERT_NE(at, text.npos);
  text.replace(at, 10, "k < args.k + 4096");
  write_text(folder.path() + "/01_naive.cuh", text);
  KernelRequest request = default_request("naive", 32, 32, 32);
  const auto compiled = test_compiler().compile(request, "sm_90", folder.path());
  try {
    emulate(request, kernel_of(request), compiled->result.ptx, {});
    FAIL() << "no fault";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 4);
    EXPECT_EQ(error.data.at("fault"), "out_of_bounds");
    EXPECT_NE(error.message.find("01_naive.cuh"), std::string::npos) << error.message;
  }
}

TEST(Emulate, AWrongKernelIsNoticed) {
  // Each of these computes nearly the right thing.
  const std::pair<const char*, const char*> bugs[] = {
      {"k < args.k;", "k < args.k - 1;"},  // the last product is missing
      {"float sum[1] = {};", "float sum[1] = {row == 3 && col == 5 ? 1e-3f : 0.0f};"},
      {"if ((S.edge_m && row >= args.m)", "if (row + 1 >= args.m || (S.edge_m && row >= args.m)"},
  };
  for (const auto& [right, wrong] : bugs) {
    TemporaryFolder folder;
    std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh");
    const size_t at = text.find(right);
    ASSERT_NE(at, text.npos) << right;
    text.replace(at, std::string(right).size(), wrong);
    write_text(folder.path() + "/01_naive.cuh", text);
    const KernelRequest request = default_request("naive", 100, 90, 256);
    const auto compiled = test_compiler().compile(request, "sm_90", folder.path());
    const EmulateResult result = emulate(request, kernel_of(request), compiled->result.ptx, {});
    ASSERT_TRUE(result.verified);
    EXPECT_FALSE(result.verified->ok) << wrong << ": norm " << result.verified->norm;
  }
}

TEST(Emulate, CanBeCancelled) {
  const std::atomic<bool> cancelled = true;
  const KernelRequest request = default_request("thread_tile_2d", 256, 256, 256);
  EmulateOptions options;
  options.cancelled = &cancelled;
  const auto compiled = test_compiler().compile(request, "sm_90");
  try {
    emulate(request, kernel_of(request), compiled->result.ptx, options);
    FAIL() << "not cancelled";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.code, kCancelled);
  }
}

}  // namespace
}  // namespace tilescope::worker
