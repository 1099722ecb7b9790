#include "worker/engine/emulate/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>

#include "worker/engine/parallel.h"

namespace tilescope::worker {

double tolerance_of(const Problem& problem, bool tensor_cores) {
  constexpr double kRounding = 0x1p-24;  // half a unit in the last place of a float
  const double k = problem.k;
  const double sum = 4 * std::sqrt(k) + (tensor_cores ? k / 4 : 0) + 2;  // 2: alpha and beta
  const double out = problem.type_c == ElementType::f32   ? 0
                     : problem.type_c == ElementType::f16 ? 0x1p-11
                                                          : 0x1p-8;
  return kRounding * sum + out;
}

double usual_square(const Problem& p) {
  constexpr double kOfData = 1.0 / 3;
  return p.alpha * p.alpha * p.k * kOfData * kOfData + p.beta * p.beta * kOfData +
         (p.bias ? kOfData : 0);
}

void Comparison::add(const Problem& problem, const Rect& rect, std::span<const double> reference,
                     const std::byte* out) {
  for (int i = 0; i < rect.rows; ++i) {
    for (int j = 0; j < rect.cols; ++j) {
      const double expected = reference[static_cast<size_t>(i) * static_cast<size_t>(rect.cols) +
                                        static_cast<size_t>(j)];
      const auto at =
          static_cast<uint64_t>(global_offset(problem, Operand::c, {rect.row + i, rect.col + j}) /
                                element_bytes(problem.type_c));
      const double difference = std::abs(load_element(problem.type_c, out, at) - expected);
      difference_ += difference * difference;
      reference_ += expected * expected;
      // A NaN is worse than anything, and once found it stays.
      if (!(difference <= worst_) && !std::isnan(worst_)) {
        worst_ = difference;
        worst_row_ = rect.row + i, worst_col_ = rect.col + j;
      }
    }
  }
  elements_ += static_cast<uint64_t>(rect.rows) * static_cast<uint64_t>(rect.cols);
}

void Comparison::add(const Comparison& other) {
  add_sums(other.difference_, other.reference_, other.worst_, other.worst_row_, other.worst_col_,
           other.elements_);
}

void Comparison::add_sums(double difference, double reference, double worst, int row, int col,
                          uint64_t elements) {
  difference_ += difference;
  reference_ += reference;
  elements_ += elements;
  if (!(worst <= worst_) && !std::isnan(worst_)) {
    worst_ = worst;
    worst_row_ = row, worst_col_ = col;
  }
}

Verification Comparison::result(double tolerance, double usual_square) const {
  Verification v;
  v.tolerance = tolerance;
  v.elements = elements_;
  const auto count = static_cast<double>(elements_ ? elements_ : 1);
  const double square = std::max(reference_ / count, usual_square / 4);
  if (square > 0) {
    v.norm = std::sqrt(difference_ / (square * count));
    v.worst = worst_ / std::sqrt(square);
  } else {  // alpha 0 and beta 0: nothing but zero is right
    v.norm = v.worst = difference_ == 0 ? 0 : std::numeric_limits<double>::infinity();
    if (std::isnan(difference_)) v.norm = v.worst = difference_;
  }
  v.worst_row = worst_row_, v.worst_col = worst_col_;
  v.ok = elements_ > 0 && v.norm <= tolerance && v.worst <= Verification::kWorstFactor * tolerance;
  return v;
}

Verification verify(const ReferenceInput& input, const std::byte* out, std::span<const Rect> rects,
                    double tolerance, int threads) {
  std::mutex mutex;
  Comparison all;
  parallel_for(threads, rects.size(), [&](size_t i) {
    const Rect& rect = rects[i];
    std::vector<double> expected(static_cast<size_t>(rect.rows) * static_cast<size_t>(rect.cols));
    reference(input, rect, expected);
    Comparison one;
    one.add(*input.problem, rect, expected, out);
    const std::lock_guard lock(mutex);
    all.add(one);
  });
  return all.result(tolerance, usual_square(*input.problem));
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

std::string failed_sentence(const Verification& v, const std::string& kernel) {
  char text[320];
  if (!std::isfinite(v.norm)) {
    std::snprintf(
        text, sizeof text,
        "%s computed no number at C[%d, %d] (NaN, infinity, or an element never written).",
        kernel.c_str(), v.worst_row, v.worst_col);
  } else {
    std::snprintf(text, sizeof text,
                  "%s is wrong: off by %.2g of the norm, %.2g of it allowed; worst at C[%d, %d], "
                  "%.2g times a usual element.",
                  kernel.c_str(), v.norm, v.tolerance, v.worst_row, v.worst_col, v.worst);
  }
  return text;
}

}  // namespace tilescope::worker
