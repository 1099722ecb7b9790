#include "worker/engine/gpu/statistics.h"

#include <algorithm>
#include <cmath>

namespace tilescope::worker {
namespace {

/// Of sorted values, between neighbours if need be.
double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double spread(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double middle = quantile(sorted, 0.5);
  return middle > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / middle : 0;
}

double error_of_mean(std::span<const double> values) {
  if (values.size() < 2) return 1;
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return mean > 0 ? std::sqrt(squares / (n - 1) / n) / mean : 1;
}

std::vector<double> usable_times(std::span<const Sample> samples) {
  std::vector<double> clocks, times;
  for (const Sample& s : samples) {
    if (s.clock_mhz > 0) clocks.push_back(s.clock_mhz);
  }
  const double usual = median(clocks);
  for (const Sample& s : samples) {
    if (s.clock_mhz <= 0 || s.clock_mhz >= 0.9 * usual) times.push_back(s.us);
  }
  return times;
}

bool StoppingRule::enough(std::span<const double> times, double elapsed_seconds) const {
  if (times.size() < kFewest) return false;
  return times.size() >= kMost || elapsed_seconds >= limit_seconds_ ||
         error_of_mean(times) < kError;
}

int StoppingRule::planned(std::span<const double> times) const {
  if (times.size() < kFewest) return kFewest;
  // The error falls with the root of the number.
  const double ratio = error_of_mean(times) / kError;
  const double needed = static_cast<double>(times.size()) * ratio * ratio;
  return static_cast<int>(std::clamp(needed, static_cast<double>(times.size()), double{kMost}));
}

int launches_of_short(double estimate_us) {
  constexpr double kSample = 1000;
  return std::max(2, static_cast<int>(std::ceil(kSample / std::max(estimate_us, 0.5))));
}

int launches_per_sample(double estimate_us) {
  constexpr double kLongEnough = 30;
  return estimate_us >= kLongEnough ? 1 : launches_of_short(estimate_us);
}

}  // namespace tilescope::worker
