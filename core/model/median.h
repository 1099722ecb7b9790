// The middle of some figures: what stands for several measurements of one thing.
#pragma once
#include <algorithm>
#include <vector>

namespace tilescope::model {

/// Of an even number the mean of the two in the middle; 0 if there are none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace tilescope::model
