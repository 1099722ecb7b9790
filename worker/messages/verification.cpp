#include "worker/messages/verification.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::worker {
namespace {

/// Takes the other place if there is one, and it comes first by rows.
void keep_first(int& row, int& col, int other_row, int other_col) {
  if (other_row < 0) return;
  if (row >= 0 && (row < other_row || (row == other_row && col <= other_col))) return;
  row = other_row, col = other_col;
}

std::string count_text(uint64_t count) { return model::grouped(static_cast<long long>(count)); }

/// "2 elements are NaN", empty of none.
std::string nan_words(uint64_t n) {
  if (n == 1) return tr("1 element is NaN");
  return n == 0 ? "" : wording("{} elements are NaN", count_text(n));
}
std::string infinite_words(uint64_t n) {
  if (n == 1) return tr("1 element is infinite");
  return n == 0 ? "" : wording("{} elements are infinite", count_text(n));
}
std::string untouched_words(uint64_t n) {
  if (n == 1) return tr("1 element was never written");
  return n == 0 ? "" : wording("{} elements were never written", count_text(n));
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
  if (!v.partial()) return tr("right");
  if (v.of_ctas == 0) {
    return wording("{} of {} elements right so far", count_text(v.elements), count_text(v.of));
  }
  return wording("{} of {} CTAs right so far", count_text(v.ctas), count_text(v.of_ctas));
}

std::string error_words(const Verification& v) {
  const NoNumbers& none = v.none;
  if (none.count() == 0) {
    const bool nothing = v.elements == 0 && v.norm == 0;
    return nothing ? tr("nothing was compared") : wording("error {:.2e}", v.norm);
  }
  std::string words;
  for (const std::string& some :
       {untouched_words(none.untouched), nan_words(none.nan), infinite_words(none.infinite)}) {
    if (!some.empty()) words += (words.empty() ? "" : ", ") + some;
  }
  const std::string row = model::grouped(none.row), col = model::grouped(none.col);
  return none.count() == 1 ? wording("{}, C[{}, {}]", words, row, col)
                           : wording("{}, the first at C[{}, {}]", words, row, col);
}

}  // namespace tilescope::worker
