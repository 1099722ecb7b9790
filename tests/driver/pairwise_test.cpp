// A few of the pairwise cases of every kernel through the worker's cuda:N path: the code that its
// compiler makes for this card, its buffers, launch and comparison. The driver runs the kernels in
// the emulator; where beta is 0, C holds NaN before the launch.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/driver/card.h"
#include "tests/every_kernel.h"
#include "tests/worker_engine/cases.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

bool is_ragged(const KernelRequest& r) {
  const TileConfig& t = r.tile;
  const Problem& p = r.problem;
  return p.m % t.block_m != 0 && p.n % t.block_n != 0 && p.k % t.block_k != 0;
}

/// Ragged in all three extents, lines and first elements apart, on either side of beta; and a
/// further one as it comes.
std::vector<KernelRequest> few_requests(const KernelEntry& kernel, int sms) {
  std::vector<KernelRequest> all, few;
  for (const CaseProblem& one :
       pairwise_cases(kernel, 100 + static_cast<unsigned>(kernel.info.number))) {
    all.push_back(request_of(kernel, one, sms));
  }
  for (const bool reads_c : {false, true}) {
    const auto found = std::ranges::find_if(all, [&](const KernelRequest& r) {
      const Problem& p = r.problem;
      return is_ragged(r) && p.lda > 0 && p.offset_c > 0 && p.alpha != 0 &&
             (p.beta != 0) == reads_c;
    });
    EXPECT_NE(found, all.end()) << kernel.info.id << ": no case with" << (reads_c ? "" : "out")
                                << " C";
    if (found != all.end()) few.push_back(*found);
  }
  few.push_back(all.back());
  return few;
}

int sms_of(RealWorker& worker) {
  for (const json& device : worker.call("", "devices").result.at("devices")) {
    if (device.at("id") == "cuda:0") return device.at("limits").at("sm_count");
  }
  ADD_FAILURE() << "no cuda:0";
  return 1;
}

TEST(PairwiseOnCard, EveryKernelIsRight) {
  if (!can_compile()) GTEST_SKIP() << "needs NVRTC";
  const Card card;
  RealWorker worker;
  const int sms = sms_of(worker);
  for (const KernelEntry& kernel : kernel_table()) {
    for (const KernelRequest& request : few_requests(kernel, sms)) {
      const Reply reply = worker.call("cuda:0", "verify", request);
      ASSERT_TRUE(reply.ok) << describe_case(request) << ": " << reply.error.message;
      const auto verified = reply.result.get<Verification>();
      EXPECT_TRUE(verified.ok) << describe_case(request) << ": norm " << verified.norm << " at "
                               << verified.worst_row << ", " << verified.worst_col;
      EXPECT_EQ(verified.elements, 1ull * request.problem.m * request.problem.n);
    }
  }
}

// The cases see what a kernel does wrong: its first product of each sum is missing here.
TEST(PairwiseOnCard, AWrongKernelIsFound) {
  if (!can_compile()) GTEST_SKIP() << "needs NVRTC";
  const Card card;
  RealWorker worker(wrong_kernels());
  for (const KernelRequest& request : few_requests(*find_kernel("naive"), sms_of(worker))) {
    if (request.problem.alpha == 0) continue;
    const Reply reply = worker.call("cuda:0", "verify", request);
    ASSERT_TRUE(reply.ok) << reply.error.message;
    EXPECT_FALSE(reply.result.get<Verification>().ok) << describe_case(request);
  }
}

}  // namespace
}  // namespace tilescope::worker
