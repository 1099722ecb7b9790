// The checks that run with every emulation: a kernel whose result is right and whose order is not.
#include <gtest/gtest.h>

#include "changed_kernel.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/planted.h"
#include "tests/sampled.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/messages/findings.h"

namespace tilescope::worker {
namespace {

/// The mistakes of all kernels that checks find, in the order of the ladder: each is a race.
struct Race {
  const KernelEntry* kernel;
  PlantedMistake mistake;
};
std::vector<Race> races() {
  std::vector<Race> all;
  for (const KernelEntry& kernel : kernel_table()) {
    const std::string path = kernel_path(TILESCOPE_SOURCE_DIR, kernel.file);
    for (PlantedMistake& mistake : mistakes_of(text_of_file(path))) {
      if (mistake.found_as("race") || mistake.found_as("copy_pending"))
        all.push_back({&kernel, std::move(mistake)});
    }
  }
  return all;
}

TEST(Checks, AWaitThatIsOneTooLenientIsFoundThoughTheResultIsRight) {
  const TemporaryFolder folder;
  racy_kernels(TILESCOPE_SOURCE_DIR, folder.path());
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  for (const int size : {128, 1024}) {  // all of k, and cut; all CTAs, and classes
    const KernelRequest request = default_request(kernel.info.id, size, size, 4 * size);
    EmulateOptions options;
    options.threads = host_threads();
    options.scope = size == 128 ? EmulateOptions::Scope::whole : EmulateOptions::Scope::classes;
    const std::string ptx = test_compiler().compile(request, "sm_90", folder.path())->result.ptx;
    const EmulateResult result = emulate(request, kernel, ptx, options);
    ASSERT_TRUE(result.verified);
    EXPECT_TRUE(result.verified->ok) << "or it is no test of races";
    EXPECT_EQ(result.checks.ctas, size == 128 ? 1u : 4u);
    EXPECT_EQ(result.checks.whole_k, size == 128);
    ASSERT_TRUE(first_error(result.checks.findings));
    for (const CodeFinding& f : result.checks.findings) {
      EXPECT_TRUE(f.kind == "copy_pending" || f.kind == "race") << f.kind;
      // A line of a read that comes too early.
      EXPECT_NE(f.message.find("(" + std::string(kernel.file) + ":" + std::to_string(f.line)),
                std::string::npos)
          << f.message;
    }
    options.check = true;
    EXPECT_THROW(emulate(request, kernel, ptx, options), RpcError);
  }
}

TEST(Checks, KernelsOfTheLadderAreClean) {
  for (const KernelEntry* entry : sampled(kernels_of_table(), 8)) {
    const KernelEntry& kernel = *entry;
    KernelRequest request = default_request(kernel.info.id, 2300, 2300, 4000);
    for (const TileConfig& tile :
         sampled(random_legal_tiles(kernel, request.problem, 3, 5), 1, seed_of(kernel.info.id))) {
      request.tile = tile;
      const std::string ptx = test_compiler().compile(request, "sm_90")->result.ptx;
      const CheckResult checks = check_classes(request, kernel, ptx, {});
      for (const CodeFinding& f : checks.findings) ADD_FAILURE() << describe(request) << f.message;
      EXPECT_GE(checks.ctas, 4u);
      EXPECT_EQ(checks.k, k_to_check(kernel.plan(tile, request.problem), request.problem));
      EXPECT_FALSE(checks.whole_k) << describe(request);
    }
  }
}

// What is left of k holds what all of it holds: the same lines at fault, whatever the tile.
TEST(Checks, AShorterKFindsTheSame) {
  const int k[] = {1000, 769, 640, 24};
  size_t some = 0;  // two of them for each mistake
  for (const auto& [entry, mistake] : sampled(races(), 3)) {
    const KernelEntry& kernel = *entry;
    const std::string text = text_of_file(kernel_path(TILESCOPE_SOURCE_DIR, kernel.file));
    const TemporaryFolder folder;
    write_text(folder.path() + "/" + kernel.file, planted(text, mistake));
    for (const size_t i : {some++ % std::size(k), some++ % std::size(k)}) {
      KernelRequest request = default_request(kernel.info.id, 100, 90, k[i]);
      const unsigned seed = 11 + static_cast<unsigned>(i);
      const auto tiles =
          sampled(random_legal_tiles(kernel, request.problem, 2, seed, 64 * 64), 1, seed);
      for (const TileConfig& tile : tiles) {
        request.tile = tile;
        const std::string ptx =
            test_compiler().compile(request, "sm_90", folder.path())->result.ptx;
        const auto lines = [&](bool whole_k) {
          std::vector<std::pair<std::string, int>> found;
          CheckOptions options;
          options.whole_k = whole_k;
          for (const CodeFinding& f : check_classes(request, kernel, ptx, options).findings)
            found.emplace_back(f.kind, f.ptx_line);
          return found;
        };
        EXPECT_EQ(lines(false), lines(true)) << describe(request) << " " << mistake.what;
      }
    }
  }
}

TEST(Checks, KIsCutWhereTheRingAndTheRaggedEndStayAsTheyAre) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (const int k : {1, 7, 64, 500, 4096, 4100, 9999}) {
      Problem p = default_problem(kernel.info);
      p.m = p.n = 256, p.k = k;
      for (const TileConfig& tile : random_legal_tiles(kernel, p, 5, static_cast<unsigned>(k))) {
        const KernelPlan plan = kernel.plan(tile, p);
        const int cut = k_to_check(plan, p);
        ASSERT_GE(cut, 1);
        ASSERT_LE(cut, k);
        EXPECT_EQ(cut % plan.block_k, k % plan.block_k);
        const int slices = ceil_div(cut, plan.block_k), all = ceil_div(k, plan.block_k);
        EXPECT_GE(slices, min_of(all, 2 * plan.stages() + 3));
        if (plan.stages() > 0) {
          EXPECT_EQ(slices % plan.stages(), all % plan.stages());
          EXPECT_LE(slices, 3 * plan.stages() + 2);
        }
      }
    }
  }
}

TEST(Emulate, AKernelThatNeverEndsIsEndedWithASentence) {
  const Changed changed("01_naive.cuh", "float sum[1] = {};",
                        "float sum[1] = {}; for (;;) asm volatile(\"membar.cta;\");");
  const KernelRequest request = default_request("naive", 64, 64, 64);
  EmulateOptions options;
  options.max_lane_instructions = 1'000'000;
  try {
    emulate(request, kernel_of(request), changed.ptx(request), options);
    FAIL() << "it ended";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 4);
    EXPECT_NE(error.message.find("had not ended"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("--max-instructions"), std::string::npos);
  }
}

TEST(Checks, AFaultSaysWhatTheChecksFound) {
  // Far along k, where the short run does not come.
  const Changed changed("01_naive.cuh", "sum[0] += a[", "sum[0] += a[k == 900 ? 1 << 28 : 0] + a[");
  const KernelRequest request = default_request("naive", 64, 64, 1024);
  try {
    emulate(request, kernel_of(request), changed.ptx(request), {});
    FAIL() << "no fault";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.data.at("fault"), "out_of_bounds");
    const auto findings = error.data.at("findings");
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].at("kind"), "out_of_bounds");
    EXPECT_EQ(findings[0].at("line"), changed.line());
    EXPECT_EQ(findings[0].at("count"), 4 * 256) << "each lane of a CTA of each class";
  }
}

}  // namespace
}  // namespace tilescope::worker
