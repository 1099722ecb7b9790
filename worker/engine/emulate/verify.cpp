#include "worker/engine/emulate/verify.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/model/sum_error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {

namespace {
constexpr double kRounding = 0x1p-24;  // half a unit in the last place of a float
}

double tolerance_of(const Problem& problem, bool tensor_cores, int interval) {
  const double k = problem.k;
  const double sum = 4 * std::sqrt(k) + (tensor_cores ? k / 4 : 0) + 2;  // 2: alpha and beta
  const double out = problem.type_c == ElementType::f32   ? 0
                     : problem.type_c == ElementType::f16 ? 0x1p-11
                                                          : 0x1p-8;
  const int summed = interval > 0 ? std::min(interval, problem.k) : problem.k;
  const double cut_off = 4 * model::cut_off_error(problem.type_a, summed);
  return kRounding * sum + out + cut_off;
}

double tolerance_of(const Problem& problem, const KernelPlan& plan) {
  const int interval = plan.promote * plan.block_k;
  if (!plan.split.present()) return tolerance_of(problem, plan.math() == Math::mma, interval);
  // As SGEMM's, the product of two rests that is left out, and what is cut off between promotions.
  constexpr double kOfRests = 8;
  const int summed = interval > 0 ? std::min(interval, problem.k) : problem.k;
  const double cut = 1.0 * summed * plan.split.products() / plan.atom.k;
  return tolerance_of(problem, false) + kRounding * (kOfRests + cut);
}

double usual_square(const Problem& p) {
  constexpr double kOfData = 1.0 / 3;
  return p.alpha * p.alpha * p.k * kOfData * kOfData + p.beta * p.beta * kOfData +
         (p.bias ? kOfData : 0);
}

void Comparison::add(const Problem& problem, const Rect& rect, std::span<const double> reference,
                     const std::byte* out) {
  ComparedSums part;
  for (int i = 0; i < rect.rows; ++i) {
    for (int j = 0; j < rect.cols; ++j) {
      const Coord c{rect.row + i, rect.col + j};
      const double expected = reference[static_cast<size_t>(i) * static_cast<size_t>(rect.cols) +
                                        static_cast<size_t>(j)];
      const auto at = static_cast<uint64_t>(global_offset(problem, Operand::c, c) /
                                            element_bytes(problem.type_c));
      const double found = load_element(problem.type_c, out, at);
      bool wrong = true;
      if (std::isfinite(found)) {
        const double difference = std::abs(found - expected);
        part.difference += difference * difference;
        part.reference += expected * expected;
        if (difference > part.worst || part.worst_row < 0) {
          part.worst = difference;
          part.worst_row = c.row, part.worst_col = c.col;
        }
        wrong = difference > most_;
      } else {
        ++(std::isinf(found)                               ? part.none.infinite
           : is_untouched_element(problem.type_c, out, at) ? part.none.untouched
                                                           : part.none.nan);
        if (part.none.row < 0) part.none.row = c.row, part.none.col = c.col;
      }
      if (wrong && part.first_row < 0) part.first_row = c.row, part.first_col = c.col;
    }
  }
  part.elements = static_cast<uint64_t>(rect.rows) * static_cast<uint64_t>(rect.cols);
  sums_.add(part);
}

ComparedSums compare(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                     double tolerance, int threads, const std::atomic<bool>* cancelled) {
  const double square = usual_square(*input.problem);
  // Added up in their order, whichever was ready first: rounding does not depend on threads then.
  std::vector<ComparedSums> parts(rects.size());
  parallel_for(threads, rects.size(), [&](size_t i) {
    if (cancelled && cancelled->load()) return;
    const Rect& rect = rects[i];
    std::vector<double> expected(static_cast<size_t>(rect.rows) * static_cast<size_t>(rect.cols));
    reference(input, rect, expected);
    Comparison one(most_difference(tolerance, square));
    one.add(*input.problem, rect, expected, out);
    parts[i] = one.sums();
  });
  ComparedSums all;
  for (const ComparedSums& part : parts) all.add(part);
  return all;
}

std::vector<Rect> joined(std::vector<Rect> rects) {
  constexpr int kMostRows = 256, kMostCols = 512;
  const auto join = [&rects](auto less, auto grow) {
    std::ranges::sort(rects, less);
    std::vector<Rect> out;
    for (const Rect& r : rects) {
      if (out.empty() || !grow(out.back(), r)) out.push_back(r);
    }
    rects = std::move(out);
  };
  join([](const Rect& a, const Rect& b) { return std::tie(a.row, a.col) < std::tie(b.row, b.col); },
       [](Rect& to, const Rect& r) {
         const bool touch = to.row == r.row && to.rows == r.rows && to.col + to.cols == r.col;
         if (!touch || to.cols + r.cols > kMostCols) return false;
         to.cols += r.cols;
         return true;
       });
  join([](const Rect& a, const Rect& b) { return std::tie(a.col, a.row) < std::tie(b.col, b.row); },
       [](Rect& to, const Rect& r) {
         const bool touch = to.col == r.col && to.cols == r.cols && to.row + to.rows == r.row;
         if (!touch || to.rows + r.rows > kMostRows) return false;
         to.rows += r.rows;
         return true;
       });
  return rects;
}

Verification verify(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                    double tolerance, int threads) {
  Verification v = verdict(compare(input, out, rects, tolerance, threads), tolerance,
                           usual_square(*input.problem));
  v.of = static_cast<uint64_t>(operand_elements(*input.problem, Operand::c));
  return v;
}

std::vector<Rect> rects_of(const Problem& problem) {
  constexpr int kRows = 128, kCols = 512;
  std::vector<Rect> rects;
  for (int row = 0; row < problem.m; row += kRows) {
    for (int col = 0; col < problem.n; col += kCols) {
      rects.push_back({row, col, min_of(kRows, problem.m - row), min_of(kCols, problem.n - col)});
    }
  }
  return rects;
}

}  // namespace tilescope::worker
