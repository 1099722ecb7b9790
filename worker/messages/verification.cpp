#include "worker/messages/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/format.h"

namespace tilescope::worker {
namespace {

/// Takes the other place if there is one, and it comes first by rows.
void keep_first(int& row, int& col, int other_row, int other_col) {
  if (other_row < 0) return;
  if (row >= 0 && (row < other_row || (row == other_row && col <= other_col))) return;
  row = other_row, col = other_col;
}

}  // namespace

void ComparedSums::add(const ComparedSums& other) {
  difference += other.difference;
  reference += other.reference;
  elements += other.elements;
  if (other.worst > worst) {
    worst = other.worst;
    worst_row = other.worst_row, worst_col = other.worst_col;
  } else if (other.worst == worst) {
    keep_first(worst_row, worst_col, other.worst_row, other.worst_col);
  }
  none.nan += other.none.nan;
  none.infinite += other.none.infinite;
  none.untouched += other.none.untouched;
  keep_first(none.row, none.col, other.none.row, other.none.col);
  keep_first(first_row, first_col, other.first_row, other.first_col);
}

double most_difference(double tolerance, double usual_square) {
  return Verification::kWorstFactor * tolerance * std::sqrt(usual_square);
}

Verification verdict(const ComparedSums& sums, double tolerance, double usual_square) {
  Verification v;
  v.tolerance = tolerance;
  v.elements = sums.elements;
  v.none = sums.none;
  v.first_row = sums.first_row, v.first_col = sums.first_col;
  v.worst_row = sums.worst_row, v.worst_col = sums.worst_col;
  if (sums.none.count() > 0) {
    v.norm = v.worst = std::numeric_limits<double>::quiet_NaN();
    v.worst_row = v.first_row = sums.none.row, v.worst_col = v.first_col = sums.none.col;
    return v;
  }
  const auto count = static_cast<double>(sums.elements ? sums.elements : 1);
  const double square = std::max(sums.reference / count, usual_square / 4);
  if (square > 0) {
    v.norm = std::sqrt(sums.difference / (square * count));
    v.worst = sums.worst / std::sqrt(square);
  } else {  // alpha 0 and beta 0: nothing but zero is right
    v.norm = v.worst = sums.difference == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  v.ok = v.elements > 0 && v.norm <= tolerance && v.worst <= Verification::kWorstFactor * tolerance;
  // Where no element is wrong by itself, all together are: the worst of them stands for them.
  if (!v.ok && v.first_row < 0) v.first_row = v.worst_row, v.first_col = v.worst_col;
  if (v.ok) v.first_row = v.first_col = -1;
  return v;
}

std::string right_words(const Verification& v) {
  const auto n = [](uint64_t count) { return model::grouped(static_cast<long long>(count)); };
  if (!v.partial()) return "right";
  if (v.of_ctas == 0) return fmt::format("{} of {} elements right so far", n(v.elements), n(v.of));
  return fmt::format("{} of {} CTAs right so far", n(v.ctas), n(v.of_ctas));
}

std::string error_words(const Verification& v) {
  const NoNumbers& none = v.none;
  if (none.count() == 0) {
    const bool nothing = v.elements == 0 && v.norm == 0;
    return nothing ? "nothing was compared" : fmt::format("error {:.2e}", v.norm);
  }
  std::string words;
  const auto add = [&](uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    words += fmt::format("{}{} element{} {}", words.empty() ? "" : ", ",
                         model::grouped(static_cast<long long>(count)), count == 1 ? "" : "s",
                         count == 1 ? one : many);
  };
  add(none.untouched, "was never written", "were never written");
  add(none.nan, "is NaN", "are NaN");
  add(none.infinite, "is infinite", "are infinite");
  return fmt::format("{}, {}C[{}, {}]", words, none.count() == 1 ? "" : "the first at ",
                     model::grouped(none.row), model::grouped(none.col));
}

}  // namespace tilescope::worker
