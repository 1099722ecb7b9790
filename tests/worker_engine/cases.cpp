#include "cases.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>

#include "core/model/names.h"
#include "engine_support.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

constexpr float kAlphas[] = {1.0f, 0.0f, -1.5f}, kBetas[] = {0.0f, 1.0f, 0.5f};
// Whole tiles or aligned; one; primes; one more than whole tiles.
constexpr int kExtents[][3] = {{128, 136, 64}, {1, 1, 2}, {7, 61, 127}, {33, 129, 65}};
constexpr int kMore[] = {0, 8, 3};      // elements between the lines of each matrix
constexpr int kOffsets[] = {0, 16, 5};  // elements before the first of each

enum Factor { kLayout, kTypes, kOrderC, kAlpha, kBeta, kM, kN, kK, kLead, kOffset, kFactors };
using Choice = std::array<int, kFactors>;

std::vector<int> bits_of(int mask) {
  std::vector<int> bits;
  for (int bit = 1; bit <= mask; bit <<= 1) {
    if ((mask & bit) != 0) bits.push_back(bit);
  }
  return bits;
}

Choice counts_of(const KernelEntry& kernel) {
  const auto size = [](const auto& list) { return static_cast<int>(std::size(list)); };
  return {size(bits_of(kernel.info.layouts)),
          size(bits_of(kernel.info.types)),
          2,
          size(kAlphas),
          size(kBetas),
          size(kExtents),
          size(kExtents),
          size(kExtents),
          size(kMore),
          size(kOffsets)};
}

CaseProblem case_of(const KernelEntry& kernel, const Choice& c, std::mt19937& random) {
  const auto at = [&c](Factor f) { return static_cast<size_t>(c[f]); };
  Problem p;
  set_types(p, types_of_bit(bits_of(kernel.info.types)[at(kTypes)]));
  set_layout(p, bits_of(kernel.info.layouts)[at(kLayout)]);
  p.order_c = c[kOrderC] == 0 ? Order::row_major : Order::column_major;
  p.alpha = kAlphas[at(kAlpha)], p.beta = kBetas[at(kBeta)];
  p.m = kExtents[at(kM)][random() % 3], p.n = kExtents[at(kN)][random() % 3];
  p.k = kExtents[at(kK)][random() % 3];
  if (const int more = kMore[at(kLead)]; more > 0) {
    p.lda = least_leading_dimension(p, Operand::a) + more;
    p.ldb = least_leading_dimension(p, Operand::b) + 2 * more;
    p.ldc = least_leading_dimension(p, Operand::c) + 3 * more;
  }
  p.offset_a = p.offset_b = p.offset_c = kOffsets[at(kOffset)];
  return {p, static_cast<unsigned>(random())};
}

// Thirteen kernels make fewer than 300 compiles; some five of their 380 pairs are left to the
// sweep.
constexpr int kMostCases = 21;

using Pair = std::tuple<int, int, int, int>;  // factor, choice, later factor, choice

}  // namespace

std::vector<CaseProblem> pairwise_cases(const KernelEntry& kernel, unsigned seed) {
  std::mt19937 random(seed);
  const Choice counts = counts_of(kernel);
  std::set<Pair> open;
  for (int f = 0; f < kFactors; ++f) {
    for (int g = f + 1; g < kFactors; ++g) {
      for (int i = 0; i < counts[static_cast<size_t>(f)]; ++i) {
        for (int j = 0; j < counts[static_cast<size_t>(g)]; ++j) open.insert({f, i, g, j});
      }
    }
  }
  const auto closes = [&](const Choice& c) {
    int sum = 0;
    for (int f = 0; f < kFactors; ++f) {
      for (int g = f + 1; g < kFactors; ++g) {
        sum += static_cast<int>(
            open.count({f, c[static_cast<size_t>(f)], g, c[static_cast<size_t>(g)]}));
      }
    }
    return sum;
  };
  std::vector<CaseProblem> cases;
  while (!open.empty() && static_cast<int>(cases.size()) < kMostCases) {
    // The best of some random ones that hold the first open pair.
    const auto [f, i, g, j] = *open.begin();
    Choice best{};
    int most = -1;
    for (int attempt = 0; attempt < 500; ++attempt) {
      Choice c;
      for (size_t k = 0; k < c.size(); ++k) {
        c[k] = static_cast<int>(random() % static_cast<unsigned>(counts[k]));
      }
      c[static_cast<size_t>(f)] = i, c[static_cast<size_t>(g)] = j;
      const int sum = closes(c);
      if (sum > most) most = sum, best = c;
    }
    std::erase_if(open, [&](const Pair& p) {
      const auto [pf, pi, pg, pj] = p;
      return best[static_cast<size_t>(pf)] == pi && best[static_cast<size_t>(pg)] == pj;
    });
    cases.push_back(case_of(kernel, best, random));
  }
  return cases;
}

std::vector<CaseProblem> random_cases(const KernelEntry& kernel, int count, unsigned seed) {
  std::mt19937 random(seed);
  const Choice counts = counts_of(kernel);
  std::vector<CaseProblem> cases;
  for (int i = 0; i < count; ++i) {
    Choice c;
    for (size_t k = 0; k < c.size(); ++k) {
      c[k] = static_cast<int>(random() % static_cast<unsigned>(counts[k]));
    }
    cases.push_back(case_of(kernel, c, random));
  }
  return cases;
}

KernelRequest request_of(const KernelEntry& kernel, const CaseProblem& one, int sms) {
  constexpr int kMostElements = 128 * 128;  // of a block tile: the problems are small
  const auto tiles = random_legal_tiles(kernel, one.problem, 1, one.seed, kMostElements);
  if (tiles.empty()) throw std::runtime_error("no legal tile");
  return {kernel.info.id, tiles[0], one.problem, sms};
}

std::string describe_case(const KernelRequest& request) {
  const Problem& p = request.problem;
  return describe(request) + " " + model::layout_letters(p) +
         (p.order_c == Order::row_major ? "" : ", C column-major") + ", " +
         model::name_of(p.type_a) + " to " + model::name_of(p.type_c) + ", alpha " +
         std::to_string(p.alpha) + ", beta " + std::to_string(p.beta) + ", lda " +
         std::to_string(p.lda) + ", offset " + std::to_string(p.offset_a);
}

void expect_right_and_clean(const KernelEntry& kernel, const CaseProblem& one) {
  const KernelRequest request = request_of(kernel, one, /*sms=*/5);
  const std::string what = describe_case(request);
  EmulateOptions options;
  options.threads = host_threads();
  options.scope = EmulateOptions::Scope::whole;
  options.check = true;
  options.data.seed = one.seed;
  try {
    const auto compiled = test_compiler().compile(request, "sm_90");
    const EmulateResult result = emulate(request, kernel, compiled->result.ptx, options);
    ASSERT_TRUE(result.verified) << what;
    EXPECT_TRUE(result.verified->ok) << what << ": norm " << result.verified->norm;
    for (const CodeFinding& f : result.findings) EXPECT_TRUE(f.remark) << what << ": " << f.message;
  } catch (const RpcError& error) {
    ADD_FAILURE() << what << ": " << error.message;
  }
}

}  // namespace tilescope::worker
