#include "core/model/prediction.h"

#include <algorithm>
#include <cmath>

#include "core/model/not_modelled.h"
#include "core/model/roofs.h"

namespace tilescope::model {
namespace {

constexpr double kDramShare = 0.89;  // of the nominal bandwidth: a copy on an H200, 4.27 TB/s
// Of measured over predicted times, tenth and ninetieth percentile: docs/performance.md.
constexpr double kLow = 0.9, kHigh = 1.17;
constexpr double kLowBefore = 0.85, kHighBefore = 1.42;  // before registers and spills are known
// Of random tiles of Hopper's rungs, before the compile, too; and where clusters share lines of 16
// bytes, as without a swizzle, which take up to three times as long from one tile to the next.
constexpr double kLowWgmma = 0.85, kHighWgmma = 1.2;
constexpr double kLowPieces = 0.74, kHighPieces = 1.57;

/// Two things that overlap in part.
double together_us(double sms, double dram, double power) {
  return std::pow(std::pow(sms, power) + std::pow(dram, power), 1 / power);
}

/// CTAs of a cluster share lines of boxes that are no longer than an access by a lane.
bool shares_pieces(const KernelPlan& plan) {
  const auto pieces = [](const CopyMap& map) {
    return map.shared_by > 1 && map.width * map.bytes <= 16;
  };
  return pieces(plan.copy_a) || pieces(plan.copy_b);
}

const char* math_name(const KernelPlan& plan) {
  return plan.math() == Math::mma ? "tensor cores" : "fp32 units";
}

const char* unit_name(const KernelPlan& plan, Unit unit) {
  switch (unit) {
    case Unit::issue:
      return "instruction issue";
    case Unit::shared:
      return "shared memory";
    case Unit::l1:
      return "L1 requests";
    case Unit::l2:
      return "L2";
    default:
      return math_name(plan);
  }
}

}  // namespace

const char* name_of(TimePart part) {
  switch (part) {
    case TimePart::work:
      return "busiest unit";
    case TimePart::clash:
      return "units in turns";
    case TimePart::latency:
      return "latency";
    case TimePart::idle:
      return "idle SMs";
    case TimePart::sums:
      return "storing C";
    case TimePart::memory:
      return "L2 and DRAM";
    case TimePart::launch:
      return "launch";
    default:
      return "packing";
  }
}

Prediction predict(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                   const Traffic& t, const DeviceRow& d, const CompiledFacts& compiled,
                   std::optional<double> dram_read, const TimeConstants& constants) {
  Prediction p;
  const double passed = t.packed_bytes;
  const double read = dram_read.value_or(t.dram.read - passed);
  const SmTime sm = sm_time(plan, launch, t, d, compiled, read, constants);
  const double cycles_per_us = d.clock_mhz, sms = d.limits.sm_count;
  const double dram_per_us = d.dram_gb_per_second * 1e3 * kDramShare;
  const double slices_per_sm = static_cast<double>(plan.work.slices()) / sms;
  const auto unit_us = [&](double cycles) { return cycles * slices_per_sm / cycles_per_us; };
  const double l2_us =
      (t.l2.read + t.l2.write - 2 * passed) / (d.l2_bytes_per_clock * cycles_per_us);
  const double dram_us = (read + t.dram.write - passed) / dram_per_us;
  const double cycles[kUnits] = {sm.math, sm.issue, sm.shared, sm.l1, sm.l2};  // by Unit
  for (int i = 0; i < kUnits; ++i) p.units[i] = unit_us(cycles[i]);
  p.dram_us = dram_us;
  p.levels = {
      {math_name(plan), p.unit(Unit::math)},     {"instruction issue", p.unit(Unit::issue)},
      {"shared memory", p.unit(Unit::shared)},   {"L1 requests", p.unit(Unit::l1)},
      {"L2", std::max(l2_us, p.unit(Unit::l2))}, {"DRAM", dram_us},
  };
  const double sm_us = sm.cycles() / cycles_per_us;
  const double together = together_us(sm_us, dram_us, constants.memory_norm);
  if (passed > 0) p.pass_us = std::max(kLaunchUs, 2 * passed / dram_per_us);
  const auto set = [&](TimePart part, double us) { p.parts[static_cast<int>(part)] = us; };
  set(TimePart::work, sm.ideal / cycles_per_us);
  set(TimePart::clash, sm.clash / cycles_per_us);
  set(TimePart::latency, sm.latency / cycles_per_us);
  set(TimePart::idle, sm.idle / cycles_per_us);
  set(TimePart::sums, sm.sums / cycles_per_us);
  set(TimePart::memory, together - sm_us);
  set(TimePart::launch, kLaunchUs);
  set(TimePart::pass, p.pass_us);
  p.us = together + kLaunchUs + p.pass_us;

  p.busiest = unit_name(plan, sm.busiest);
  const double unit = p.part(TimePart::work);
  if (together < kLaunchUs) {
    p.bound = "the launch";
  } else if (std::max(l2_us, dram_us) > sm_us) {
    p.bound = dram_us > l2_us ? "DRAM" : "L2";
  } else {
    const double latency = p.part(TimePart::latency), idle = p.part(TimePart::idle);
    p.bound = idle > std::max(unit, latency) ? name_of(TimePart::idle)
              : latency > unit               ? name_of(TimePart::latency)
                                             : p.busiest;
  }
  const bool known = compiled.registers.has_value();
  p.low_us = (known ? kLow : kLowBefore) * p.us, p.high_us = (known ? kHigh : kHighBefore) * p.us;
  if (plan.atom.kind == MmaKind::wgmma) {
    const bool pieces = shares_pieces(plan);
    p.low_us = (pieces ? kLowPieces : kLowWgmma) * p.us;
    p.high_us = (pieces ? kHighPieces : kHighWgmma) * p.us;
  }
  p.tflops = flops(problem) / p.us * 1e-6;
  p.not_modelled = not_modelled(plan);
  p.not_measured = not_measured(plan, compiled.spill_bytes);
  return p;
}

Ratios ratios(const KernelPlan& plan, const Problem& problem, const Traffic& t,
              const DeviceRow& d) {
  Ratios r;
  r.device = arithmetic_peak(plan, d).flops * 1e-9 / d.dram_gb_per_second;
  r.problem = flops(problem) / (t.dram.read + t.dram.write - 2 * t.packed_bytes);
  r.kernel = flops(problem) / (t.l2.read + t.l2.write);
  r.compute_bound = r.kernel >= r.device;
  return r;
}

}  // namespace tilescope::model
