// Problems that a kernel must compute, drawn so that a few of them hold every pair of choices.
#pragma once
#include <string>
#include <vector>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// What a case is made of: indices into the lists of cases.cpp.
struct CaseProblem {
  Problem problem;
  unsigned seed = 0;  // for its tile
};

/// Layouts, types, orders of C, alpha, beta, ragged extents, leading dimensions, offsets: nearly
/// each value of one with each value of another in at least one of the problems, which are
/// otherwise drawn by `seed`.
std::vector<CaseProblem> pairwise_cases(const KernelEntry& kernel, unsigned seed);
/// So many problems drawn from the same lists without a plan.
std::vector<CaseProblem> random_cases(const KernelEntry& kernel, int count, unsigned seed);

/// The kernel at a random legal tile for the problem, on a card of so many SMs.
KernelRequest request_of(const KernelEntry& kernel, const CaseProblem& one, int sms);
/// All of it, for failures.
std::string describe_case(const KernelRequest& request);

/// Compiles the kernel at a random legal tile for the problem and emulates all of it with the
/// checks on: a wrong element or a finding fails the test.
void expect_right_and_clean(const KernelEntry& kernel, const CaseProblem& one);

}  // namespace tilescope::worker
