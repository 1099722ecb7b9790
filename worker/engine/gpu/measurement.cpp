#include "worker/engine/gpu/measurement.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/model/format.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {
namespace {

using Clock = std::chrono::steady_clock;

/// Samples of a kernel and of the library in turns, so that drift of the clock meets both alike,
/// and the figures that follow from them.
class Measurement {
 public:
  Measurement(const Nvml* nvml, double flops, const MeasureOptions& options, Sampler& ours,
              MeasureResult& result)
      : nvml_(nvml),
        flops_(flops),
        options_(options),
        ours_(ours),
        rule_(options.seconds),
        result_(result) {
    result_.cold = ours.usual() == L2::cold;
  }

  /// A first figure, of the kernel alone: the library may have to be prepared for a new problem.
  void first() {
    const Clock::time_point begin = Clock::now();
    while (static_cast<int>(times().size()) < StoppingRule::kFewest && seconds_since(begin) < 0.1) {
      options_.check_cancelled();
      take_ours();
    }
    update();
    if (options_.progress) options_.progress(result_);
    samples_ = {};
  }

  void in_turns_with(Sampler* library) {
    if (library && library->usual() != ours_.usual()) {  // one is too short for a cold sample
      ours_.take_several(), library->take_several();
      result_.cold = false;
    }
    const Clock::time_point begin = Clock::now();
    double told = 0;
    for (int round = 0;; ++round) {
      options_.check_cancelled();
      double busy = take_ours();
      if (library) busy += take(*library, library->usual(), library_samples_);
      // What the L2 holds matters less the longer a launch takes.
      constexpr double kLong = 5000;  // microseconds
      if (ours_.has_hot() && ours_.usual() == L2::cold && (busy < kLong || round % 4 == 0)) {
        busy += take(ours_, L2::hot, samples_);
        if (library) busy += take(*library, L2::hot, library_samples_);
      }
      update();
      const double now = seconds_since(begin);
      // A ratio is no better known than the worse of the two.
      const bool enough =
          rule_.enough(times(), now) && (!library || rule_.enough(library_times(), now));
      if (enough || samples_.of(ours_.usual()).size() >= StoppingRule::kMost) {
        return;
      }
      const bool fresh =
          static_cast<int>(samples_.of(ours_.usual()).size()) >= StoppingRule::kFewest;
      if (options_.progress && fresh && now - told > 0.1) {  // some ten a second
        told = now;
        options_.progress(result_);
      }
      rest(busy);
    }
  }

 private:
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::vector<double> times() const { return usable_times(samples_.of(ours_.usual())); }
  std::vector<double> library_times() const {
    return usable_times(library_samples_.of(ours_.usual()));
  }

  double take(Sampler& sampler, L2 l2, Series& to, const std::function<void()>& meanwhile = {}) {
    const Clock::time_point begin = Clock::now();
    const double us = sampler.sample(l2, meanwhile);
    to.of(l2).push_back({us, clock_now_});
    return seconds_since(begin) * 1e6;
  }
  /// With what NVML says while it runs.
  double take_ours() {
    clock_now_ = 0;
    const double busy = take(ours_, ours_.usual(), samples_, [&] {
      if (!nvml_) return;
      clock_now_ = nvml_->sm_clock_mhz().value_or(0);
      if (clock_now_ > 0) clocks_.push_back(clock_now_);
      if (const auto power = nvml_->power_w()) powers_.push_back(*power);
      throttle_ |= nvml_->throttle_reasons();
    });
    return busy;
  }

  /// A card at work without a pause is one at its power limit: its clock would be what is measured.
  void rest(double busy_us) const {
    constexpr double kLongest = 20000;
    const double us = std::min(options_.rest * busy_us, kLongest);
    if (us > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
  }

  std::optional<double> tflops(const std::vector<Sample>& samples) const {
    const double us = median(usable_times(samples));
    if (us <= 0 || flops_ <= 0) return std::nullopt;
    return flops_ / us * 1e-6;
  }

  void update() {
    const std::vector<double> taken = times();
    const double time = median(taken);
    if (time > 0) {
      result_.time_us = time;
      if (flops_ > 0) result_.tflops = flops_ / time * 1e-6;
      // Of a few, the quartiles would look like certainty.
      if (static_cast<int>(taken.size()) >= StoppingRule::kFewest) result_.spread = spread(taken);
    }
    if (const auto library =
            tflops(library_samples_.cold.empty() ? library_samples_.hot : library_samples_.cold)) {
      result_.library_tflops = library;
    }
    result_.hot_tflops = tflops(samples_.hot);
    result_.hot_library_tflops = tflops(library_samples_.hot);
    result_.samples = static_cast<int>(taken.size());
    result_.dropped = static_cast<int>(samples_.of(ours_.usual()).size() - taken.size());
    result_.samples_planned = rule_.planned(taken);
    if (result_.library_tflops) {
      result_.samples_planned = std::max(result_.samples_planned, rule_.planned(library_times()));
    }
    if (!clocks_.empty()) result_.clock_mhz = median(clocks_);
    if (!powers_.empty()) result_.power_w = median(powers_);
    result_.throttle = throttle_text(throttle_);
  }

  const Nvml* nvml_;
  double flops_;
  const MeasureOptions& options_;
  Sampler& ours_;
  StoppingRule rule_;
  MeasureResult& result_;
  Series samples_, library_samples_;
  double clock_now_ = 0;  // beside the latest sample of the kernel
  std::vector<double> clocks_, powers_;
  unsigned long long throttle_ = 0;
};

}  // namespace

void MeasureOptions::check_cancelled() const {
  if (cancelled && cancelled->load()) fail_cancelled();
}

MeasureResult measured_here(const GpuSession& session, int ordinal) {
  const Gpu& gpu = session.gpu();
  MeasureResult result;
  result.device = "cuda:" + std::to_string(ordinal);
  result.device_name = gpu.name();
  result.driver = session.nvml() && !session.nvml()->driver_version().empty()
                      ? session.nvml()->driver_version()
                      : "CUDA " + gpu.driver().version();
  result.date = model::today();
  result.standing = "measured";
  return result;
}

void time_launches(GpuSession& session, const L2Flush& flush, const Timed& kernel, double flops,
                   const std::optional<LibraryOperands>& library, const MeasureOptions& options,
                   MeasureResult& result) {
  if (!session.nvml()) {
    options.say(
        "Clock and power are unknown: NVML, which comes with NVIDIA's driver, does not answer for "
        "this card.");
  }
  options.check_cancelled();
  Sampler ours(session.gpu(), flush, kernel);
  Measurement measurement(session.nvml(), flops, options, ours, result);
  measurement.first();
  const LibraryChoice* choice = nullptr;
  if (library) {
    choice = session.library();
    if (!choice) options.say("Not compared with a library: " + session.why_no_library());
  }
  std::optional<Sampler> beside;
  if (choice) {
    result.library = choice->library->name();
    beside.emplace(session.gpu(), flush,
                   Timed{.name = *result.library,
                         .enqueue = [&] { choice->run(*library); },
                         .one_by_one = kernel.one_by_one});
  }
  measurement.in_turns_with(beside ? &*beside : nullptr);
}

}  // namespace tilescope::worker
