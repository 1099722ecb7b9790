// A row of a table: how far figures are from a card's.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tilescope {

inline double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// `ratios`: predicted over measured; at least one.
inline void print_errors(const char* name, const std::vector<double>& ratios) {
  std::vector<double> errors;
  double sum = 0;
  for (const double r : ratios) errors.push_back(std::abs(r - 1)), sum += errors.back();
  std::printf(
      "  %-16s %5zu  mean |error| %5.1f %%  median %5.1f %%  p95 %6.1f %%  model/card %.2f "
      "(%.2f to %.2f)\n",
      name, ratios.size(), 100 * sum / static_cast<double>(ratios.size()),
      100 * percentile(errors, 0.5), 100 * percentile(errors, 0.95), percentile(ratios, 0.5),
      percentile(ratios, 0.1), percentile(ratios, 0.9));
}

}  // namespace tilescope
