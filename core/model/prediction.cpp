#include "core/model/prediction.h"

#include <algorithm>

namespace tilescope::model {
namespace {

constexpr double kSmL2BytesPerClock = 64;  // that one SM can take from L2

/// Operations that are carried out, the padding at edges included.
double executed_flop(const KernelPlan& plan, const Counts& c) {
  if (plan.math() == Math::mma) {
    return 2.0 * plan.atom.m * plan.atom.n * plan.atom.k * static_cast<double>(c.mma);
  }
  return 2.0 * static_cast<double>(c.fma);
}

double peak_tflops(const KernelPlan& plan, const DeviceRow& d) {
  return plan.math() == Math::mma ? d.tensor_tflops * d.mma_sync_share : d.fp32_tflops;
}

}  // namespace

Prediction predict(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                   const Traffic& t, const DeviceRow& d) {
  const Counts& c = t.counts;
  const double clocks_per_us = d.clock_mhz, sms = d.limits.sm_count;
  const double wavefronts = static_cast<double>(
      c.shared_load.wavefronts + c.shared_store.wavefronts + c.shared_copy.wavefronts);
  const double lines = static_cast<double>(c.global_load().lines + c.global_store().lines);
  const double l2_per_us = std::min(kSmL2BytesPerClock * sms, d.l2_bytes_per_clock) * clocks_per_us;
  const double passed = 2 * t.packed_bytes, dram_per_us = d.dram_gb_per_second * 1e3;
  Prediction p;
  p.levels = {
      {plan.math() == Math::mma ? "tensor cores" : "fp32 units",
       executed_flop(plan, c) / (peak_tflops(plan, d) * 1e6)},
      {"shared memory", wavefronts / (sms * clocks_per_us)},
      {"L1 requests", lines / (sms * clocks_per_us)},
      {"L2", (t.l2.read + t.l2.write) / l2_per_us},
      {"DRAM", (t.dram.read + t.dram.write - passed) / dram_per_us},
  };
  const auto slowest =
      std::max_element(p.levels.begin(), p.levels.end(),
                       [](const LevelTime& a, const LevelTime& b) { return a.us < b.us; });
  const double ctas = static_cast<double>(launch.ctas());
  const double rounds =
      static_cast<double>(ceil_div(static_cast<long long>(ctas), 1LL * d.limits.sm_count));
  p.wave_efficiency = ctas / (sms * rounds);
  p.bound = slowest->name;
  p.us = slowest->us / p.wave_efficiency;
  if (p.us < kLaunchUs) p.us = kLaunchUs, p.bound = "the launch";
  if (passed > 0) p.pass_us = std::max(kLaunchUs, passed / dram_per_us);
  p.us += p.pass_us;  // the kernel waits for it
  p.tflops = flops(problem) / p.us * 1e-6;
  return p;
}

Ratios ratios(const KernelPlan& plan, const Problem& problem, const Traffic& t,
              const DeviceRow& d) {
  const double peak = plan.math() == Math::mma ? d.tensor_tflops : d.fp32_tflops;
  Ratios r;
  r.device = peak * 1e3 / d.dram_gb_per_second;
  r.problem = flops(problem) / (t.dram.read + t.dram.write - 2 * t.packed_bytes);
  r.kernel = flops(problem) / (t.l2.read + t.l2.write);
  r.compute_bound = r.kernel >= r.device;
  return r;
}

}  // namespace tilescope::model
