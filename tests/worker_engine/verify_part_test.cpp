// C verified part by part: all parts together say what one run of all CTAs does, and what a few
// CTAs cannot show is found.
#include "worker/engine/emulate/verify_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/model/verification_order.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

std::vector<int> all_groups(const KernelPlan& plan) {
  std::vector<int> groups(static_cast<size_t>(model::cta_groups(plan)));
  for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
  return groups;
}

class EveryKernelsParts : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsParts, every_kernel(), kernel_name);

TEST_P(EveryKernelsParts, TogetherAreAllOfC) {
  KernelRequest request = default_request(GetParam(), 300, 290, 136);
  request.sms = 5;
  for (const bool old_c : {false, true}) {
    request.problem.beta = old_c ? 0.5f : 0.0f;
    const std::string ptx = test_compiler().compile(request, "sm_90")->result.ptx;
    const KernelPlan plan = plan_of(request, kernel_of(request));
    ComparedSums sums;
    Verification together;
    for (const int group : all_groups(plan)) {
      const int one[] = {group};
      const VerifiedPart part = verify_part(request, kernel_of(request), ptx, one, {});
      sums.add(part.sums);
      together = verdict(sums, part.tolerance, part.usual_square);
      EXPECT_TRUE(part.findings.empty());
    }
    EXPECT_TRUE(together.ok) << error_words(together);
    EXPECT_EQ(together.elements, 300u * 290u);
    const VerifiedPart whole = verify_part(request, kernel_of(request), ptx, all_groups(plan), {});
    EXPECT_EQ(whole.sums.elements, 300u * 290u);
    EXPECT_NEAR(whole.sums.reference / sums.reference, 1, 1e-12) << "the same data";
  }
}

TEST(VerifyPart, OfElementsThatAreEquallyWrongTheFirstIsTheWorst) {
  const auto part = [](double worst, int row, int col) {
    ComparedSums sums;
    sums.worst = worst, sums.worst_row = row, sums.worst_col = col;
    return sums;
  };
  for (const double most : {0.0, 0.25}) {
    std::vector<ComparedSums> parts{
        part(most, 128, 0), part(most, 0, 64), part(0, 0, 0), {}, part(most, 0, 32)};
    std::ranges::sort(parts, {}, &ComparedSums::worst_col);
    do {
      ComparedSums all;
      for (const ComparedSums& one : parts) all.add(one);
      EXPECT_EQ(all.worst, most);
      EXPECT_EQ(all.worst_row, 0);
      EXPECT_EQ(all.worst_col, most == 0 ? 0 : 32);
    } while (std::ranges::next_permutation(parts, {}, &ComparedSums::worst_col).found);
  }
}

TEST(VerifyPart, FindsWhatTheFirstCtasCannotShow) {
  TemporaryFolder folder;
  std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/05_thread_tile_2d.cuh");
  const std::string before = "  const Coord first = block_origin(";
  ASSERT_NE(text.find(before), text.npos);
  text.insert(text.find(before), "  if (blockIdx.x == 3 && blockIdx.y == 2) return;\n");
  write_text(folder.path() + "/05_thread_tile_2d.cuh", text);
  const KernelRequest request = default_request("thread_tile_2d", 1024, 1024, 64);
  const KernelEntry& kernel = kernel_of(request);
  const std::string ptx = test_compiler().compile(request, "sm_90", folder.path())->result.ptx;
  EmulateOptions few;
  few.scope = EmulateOptions::Scope::classes;
  const EmulateResult began = emulate(request, kernel, ptx, few);
  EXPECT_TRUE(began.verified->ok) << "so far";
  EXPECT_TRUE(began.verified->partial());
  EXPECT_EQ(began.verified->of, 1024u * 1024u);
  EXPECT_EQ(right_words(*began.verified), "4 of 64 CTAs right so far");
  const KernelPlan plan = plan_of(request, kernel);
  model::VerificationOrder order(plan, request.problem);
  ComparedSums sums;
  Verification v;
  for (std::vector<int> groups; !(groups = order.next({})).empty(); order.done(groups)) {
    const VerifiedPart part = verify_part(request, kernel, ptx, groups, {});
    sums.add(part.sums);
    v = verdict(sums, part.tolerance, part.usual_square);
  }
  EXPECT_FALSE(v.ok);
  EXPECT_EQ(error_words(v), "16,384 elements were never written, the first at C[256, 384]");
}

TEST(VerifyPart, WhatIsNotThereIsRefusedAndWhatIsCancelledEnds) {
  const KernelRequest request = default_request("naive", 64, 64, 8);
  const std::string ptx = test_compiler().compile(request, "sm_90")->result.ptx;
  const auto refusal = [&](std::vector<int> groups, const VerifyPartOptions& options) {
    try {
      verify_part(request, kernel_of(request), ptx, groups, options);
    } catch (const RpcError& error) {
      return error;
    }
    return RpcError{0, 0, "accepted", {}};
  };
  EXPECT_EQ(refusal({16}, {}).message, "There is no group 16 of CTAs; the grid has 16, from 0 on.");
  EXPECT_EQ(refusal({-1}, {}).exit_code, 2);
  EXPECT_EQ(refusal({}, {}).exit_code, 2);
  const std::atomic<bool> cancelled = true;
  VerifyPartOptions options;
  options.cancelled = &cancelled;
  EXPECT_EQ(refusal({3}, options).code, kCancelled);
}

}  // namespace
}  // namespace tilescope::worker
