// The pass before a kernel, executed: its copies are right, and counted as the model says; a pass
// that is wrong is noticed.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/layout/packing.h"
#include "core/model/traffic.h"
#include "engine_support.h"
#include "tests/sampled.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

/// Requests of every kernel that packs, in every layout, on a problem whose lines begin anywhere.
std::vector<KernelRequest> packed_requests(int m, int n, int k) {
  std::vector<KernelRequest> all;
  for (const KernelEntry& kernel : kernel_table()) {
    for (const int layout : {kNN, kNT, kTN, kTT}) {
      if ((kernel.info.layouts & layout) == 0) continue;
      KernelRequest request = default_request(kernel.info.id, m, n, k);
      set_layout(request.problem, layout);
      request.problem.lda = least_leading_dimension(request.problem, Operand::a) + 2;
      if (packs_any(plan_of(request, kernel).spec)) all.push_back(request);
    }
  }
  return all;
}

EmulateResult emulated(const KernelRequest& request, EmulateOptions::Scope scope,
                       const std::string& kernel_dir = {}) {
  EmulateOptions options;
  options.threads = host_threads();
  options.scope = scope;
  const auto compiled = test_compiler().compile(request, "sm_90", kernel_dir);
  return emulate(request, kernel_of(request), compiled->result.ptx, options);
}

TEST(PackingPass, IsRightAndCountedAsTheModelSays) {
  const auto requests = packed_requests(150, 141, 203);
  ASSERT_FALSE(requests.empty());
  for (const KernelRequest& request : sampled(requests, 4)) {
    const EmulateResult result = emulated(request, EmulateOptions::Scope::whole);
    EXPECT_TRUE(result.verified && result.verified->ok) << describe(request);
    EXPECT_TRUE(result.counted.exact);
    const auto counts = model::count(plan_of(request, kernel_of(request)), request.problem);
    EXPECT_GT(counts.load_pack.sectors, 0u);
    EXPECT_EQ(result.counted.global_load.sectors, counts.global_load().sectors)
        << describe(request);
    EXPECT_EQ(result.counted.global_load.requests, counts.global_load().requests)
        << describe(request);
    EXPECT_EQ(result.counted.global_store.sectors, counts.global_store().sectors)
        << describe(request);
  }
}

TEST(PackingPass, OfSomeTilesCountsAsAllOfIt) {
  for (const KernelRequest& request : sampled(packed_requests(300, 290, 2400 + 333), 3)) {
    const EmulateResult some = emulated(request, EmulateOptions::Scope::classes);
    EXPECT_TRUE(some.verified && some.verified->ok) << describe(request);
    if (!some.counted.exact) continue;  // persistent kernels: some of their CTAs stand for all
    const EmulateResult whole = emulated(request, EmulateOptions::Scope::whole);
    EXPECT_EQ(some.counted.global_load.sectors, whole.counted.global_load.sectors)
        << describe(request);
    EXPECT_EQ(some.counted.global_load.requests, whole.counted.global_load.requests)
        << describe(request);
    EXPECT_EQ(some.counted.global_store.sectors, whole.counted.global_store.sectors)
        << describe(request);
    EXPECT_EQ(some.counted.warp_instructions, whole.counted.warp_instructions) << describe(request);
  }
}

TEST(PackingPass, AWrongOneIsNoticed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"(from & 4) != 0", "(from & 8) != 0"},                  // shifted by the wrong word
      {"i % kOfWord * 8", "(kOfWord - 1 - i % kOfWord) * 8"},  // neighbours exchanged
      {"if (at.col + i >= p.elements) break;", ""},            // another line's elements
      {"if (at.col >= p.pitch) break;", "if (at.col >= p.elements) break;"},  // no zeros
      {"at.col >= p.pitch", "at.col >= p.pitch - 8"},                         // a piece too few
  };
  const auto requests = packed_requests(150, 141, 203);
  ASSERT_FALSE(requests.empty());
  const std::string right = file_text(TILESCOPE_SOURCE_DIR "/kernels/common/pack.cuh");
  for (const auto& [from, to] : mistakes) {
    TemporaryFolder folder;
    std::string text = right;
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at, std::string(from).size(), to);
    std::filesystem::create_directories(folder.path() + "/common");
    write_text(folder.path() + "/common/pack.cuh", text);
    try {
      const EmulateResult result =
          emulated(requests.front(), EmulateOptions::Scope::whole, folder.path());
      EXPECT_FALSE(result.verified->ok) << to;
    } catch (const RpcError& error) {
      EXPECT_EQ(error.exit_code, 4) << error.message;
    }
  }
}

}  // namespace
}  // namespace tilescope::worker
