// A few of the pairwise cases of every kernel through the worker's cuda:N path: the code that its
// compiler makes for this card, its buffers, launch and comparison. The driver runs the kernels in
// the emulator; where beta is 0, C holds NaN before the launch.
#include <gtest/gtest.h>

#include <map>

#include "tests/driver/card.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "tests/worker_engine/cases.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

bool is_ragged(const KernelEntry& kernel, const KernelRequest& r) {
  const Problem& p = r.problem;
  const KernelPlan plan = kernel.plan(r.tile, p, r.sms);
  return p.m % plan.block_m != 0 && p.n % plan.block_n != 0 &&
         (plan.block_k == 1 || p.k % plan.block_k != 0);
}

/// Ragged in all three extents, lines and first elements apart, on either side of beta; and a
/// further one as it comes. Drawn at random where the pairwise cases have none.
std::vector<KernelRequest> few_requests(const KernelEntry& kernel, int sms) {
  const auto seed = 100 + static_cast<unsigned>(kernel.info.number);
  std::vector<CaseProblem> cases = pairwise_cases(kernel, seed);
  const KernelRequest last = request_of(kernel, cases.back(), sms);
  const std::vector<CaseProblem> more = random_cases(kernel, 300, seed);
  cases.insert(cases.end(), more.begin(), more.end());
  std::vector<KernelRequest> few;
  for (const bool reads_c : {false, true}) {
    const size_t before = few.size();
    for (const CaseProblem& one : cases) {
      const Problem& p = one.problem;
      if (p.lda == 0 || p.offset_c == 0 || p.alpha == 0 || (p.beta != 0) != reads_c) continue;
      const KernelRequest request = request_of(kernel, one, sms);
      if (!is_ragged(kernel, request)) continue;
      few.push_back(request);
      break;
    }
    EXPECT_GT(few.size(), before) << kernel.info.id << ": no case with" << (reads_c ? "" : "out")
                                  << " C";
  }
  few.push_back(last);
  return few;
}

int sms_of(RealWorker& worker) {
  const json devices = worker.call("", "devices").result.at("devices");
  for (const json& device : devices) {
    if (device.at("id") == "cuda:0") return device.at("limits").at("sm_count");
  }
  ADD_FAILURE() << "no cuda:0";
  return 1;
}

/// "9.0" of 90; what a card of no known kind has for kernels that run on any.
std::string capability_for(const KernelEntry& kernel) {
  const int sm = kernel.info.only_sm != 0 ? kernel.info.only_sm : 99;
  return std::to_string(sm / 10) + "." + std::to_string(sm % 10);
}

void expect_right_on_card(const std::vector<const KernelEntry*>& kernels) {
  if (kernels.empty()) return;
  const std::string capability = capability_for(*kernels.front());
  const Card card{{"TILESCOPE_EMULATED_CAPABILITY", capability.c_str()}};
  RealWorker worker;
  const int sms = sms_of(worker);
  for (const KernelEntry* entry : kernels) {
    const KernelEntry& kernel = *entry;
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

TEST(PairwiseOnCard, EveryKernelIsRight) {
  TILESCOPE_NEED_NVRTC();
  std::map<std::string, std::vector<const KernelEntry*>> by_card;
  for (const char* id : sampled(kernel_ids(), 7)) {
    const KernelEntry& kernel = *find_kernel(id);
    by_card[capability_for(kernel)].push_back(&kernel);
  }
  for (const auto& [card, kernels] : by_card) expect_right_on_card(kernels);
}

// Those of one architecture, on a card of it: tensor maps, clusters, operands of eight bits.
TEST(PairwiseOnCard, KernelsOfOneArchitectureAreRightThere) {
  TILESCOPE_NEED_NVRTC();
  std::vector<const char*> ids;
  for (const KernelEntry& kernel : kernel_table()) {
    if (kernel.info.only_sm != 0) ids.push_back(kernel.info.id);
  }
  for (const char* id : sampled(ids, 2)) expect_right_on_card({find_kernel(id)});
}

// The cases see what a kernel does wrong: its first product of each sum is missing here.
TEST(PairwiseOnCard, AWrongKernelIsFound) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  RealWorker worker(wrong_kernels());
  for (const KernelRequest& request : few_requests(*find_kernel("naive"), sms_of(worker))) {
    if (request.problem.alpha == 0) continue;
    const Reply reply = worker.call("cuda:0", "verify", request);
    ASSERT_TRUE(reply.ok) << reply.error.message;
    EXPECT_FALSE(reply.result.get<Verification>().ok) << describe_case(request);
  }
}

// What must not read C, and does, is found by any element: here it has one, of 16 bits.
TEST(PairwiseOnCard, AKernelThatReadsAPoisonedHalfIsFound) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  RealWorker worker(
      kernels_with("common/epilogue.cuh", "if constexpr (S.reads_c)", "if constexpr (true)"));
  int kernels = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    Problem p = default_problem(kernel.info);
    set_types(p, types_of_bit(kHalf));
    if ((kernel.info.types & kHalf) == 0 || kernel.info.only_sm != 0) continue;
    p.m = p.n = p.k = 1;
    const KernelRequest request{kernel.info.id, kernel.sliders.defaults(), p, sms_of(worker)};
    const Reply reply = worker.call("cuda:0", "verify", request);
    ASSERT_TRUE(reply.ok) << reply.error.message;
    EXPECT_FALSE(reply.result.get<Verification>().ok) << kernel.info.id;
    ++kernels;
  }
  EXPECT_GT(kernels, 0);
}

}  // namespace
}  // namespace tilescope::worker
