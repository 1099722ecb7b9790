// Samples → one figure, and when to stop taking more.
#pragma once
#include <span>
#include <vector>

#include "core/model/median.h"

namespace tilescope::worker {

struct Sample {
  double us = 0;
  double clock_mhz = 0;  // beside the sample; 0 = unknown
};

using model::median;
/// Distance of the quartiles as a fraction of the median.
double spread(const std::vector<double>& values);
/// Standard deviation of the mean, as a fraction of the mean; 1 with fewer than two values.
double error_of_mean(std::span<const double> values);

/// The times without those samples whose clock was more than 10 % below the median clock.
std::vector<double> usable_times(std::span<const Sample> samples);

/// At least 10 samples; then until the mean is known to 0.5 %, or the time is up.
class StoppingRule {
 public:
  static constexpr int kFewest = 10, kMost = 2000;
  static constexpr double kError = 0.005;
  explicit StoppingRule(double limit_seconds) : limit_seconds_(limit_seconds) {}
  bool enough(std::span<const double> times, double elapsed_seconds) const;
  /// How many samples the present scatter calls for.
  int planned(std::span<const double> times) const;

 private:
  double limit_seconds_;
};

/// Launches between two events, so that their distance is well above the events' resolution: 1 for
/// kernels that are long enough.
int launches_per_sample(double estimate_us);
/// The same for kernels that are too short for one alone.
int launches_of_short(double estimate_us);

}  // namespace tilescope::worker
