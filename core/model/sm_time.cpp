#include "core/model/sm_time.h"

#include <algorithm>
#include <cmath>

#include "core/layout/rules.h"
#include "core/model/instruction_count.h"
#include "core/model/occupancy.h"

namespace tilescope::model {
namespace {

// Rates, measured by themselves.
constexpr double kFfmaShare = 0.95;   // of 128 FFMA a cycle
constexpr double kIssueShare = 0.96;  // of four instructions a cycle
constexpr double kSmL2Bytes = 64;     // a cycle, that an SM takes from the L2
constexpr double kSchedulers = 4;
// Fitted together, with kTimeNorm, to times of 208 random tiles and 750 recorded ones on an H200
// and an H100.
constexpr double kWmmaShare = 0.79;    // of mma.sync's rate: its fragments are not in order
constexpr double kLoadLatency = 400;   // cycles from a slice's loads to its data, on average
constexpr double kLoadEach = 34;       // more, for each further load of a thread in a row
constexpr double kSliceRestart = 440;  // cp.async: wait, barrier, first fragments, full speed again
constexpr double kWmmaStep = 99;       // wmma: loads of a k step, which nothing is loaded ahead of
constexpr double kDirectStep = 115;    // without tiles: a k step's loads from L1, unrolled
constexpr double kClash = 0.38;        // of the less busy unit's time that is not hidden, for one
constexpr double kClashFade = 0.4;    // warp a scheduler, and the power by which more warps hide it
constexpr double kSpill = 3.5;        // times that a slice goes through a thread's spills
constexpr double kStore = 4.1;        // cycles a wavefront of C takes, prologue included
constexpr double kSumStore = 2.5;     // the same of parts of sums
constexpr double kSharedItem = 6700;  // cycles that CTAs of a shared tile lose to each other
constexpr double kLikelyRegisters = 1.3;  // times the estimate: median of what compilers took

struct Busiest {
  double slices = 1, items = 1;
};
/// Slices and work items of the CTA that has most.
Busiest busiest_cta(const WorkOrder& w) {
  Busiest most{0, 0};
  // Of CTAs that have one item each, those of a part of k have the same length.
  const long long step = stays(w) ? 1 : std::max(1, w.raster.tiles());
  for (long long cta = 0; cta < cta_count(w); cta += step) {
    const int items = work_items(w, static_cast<int>(cta));
    double slices = 0;
    for (int i = 0; i < items; ++i) {
      const WorkItem item = work_item(w, static_cast<int>(cta), i);
      slices += item.k_end - item.k_begin;
    }
    most.slices = std::max(most.slices, slices);
    most.items = std::max(most.items, static_cast<double>(items));
  }
  return most;
}

/// Times that a thread waits for loads in a slice, one after the other.
double load_batches(const KernelPlan& plan) {
  if (plan.copy_a.kind != CopyKind::staged || plan.stages() != 1) return 1;
  const auto of = [](const CopyMap& map) {
    return ceil_div(map.iterations(), copies_at_once(map));
  };
  return of(plan.copy_a) + of(plan.copy_b);
}

double mma_flop_a_cycle(const DeviceRow& d) {
  if (d.mma_sync_flop_per_clock > 0) return d.mma_sync_flop_per_clock;
  return d.tensor_tflops * 1e6 * d.mma_sync_share / (d.limits.sm_count * d.clock_mhz);
}

/// The units' cycles of one slice, on average over the launch.
void set_units(SmTime& t, const KernelPlan& plan, const Counts& c, const Traffic& traffic,
               const DeviceRow& device, int spill_bytes) {
  const double slices = static_cast<double>(plan.work.slices());
  const auto each = [&](double all) { return all / slices; };
  const bool wmma = plan.load_a.kind == LoadKind::wmma;
  if (plan.math() == Math::mma) {
    const double flop = 2.0 * plan.atom.m * plan.atom.n * plan.atom.k;
    t.math = each(static_cast<double>(c.mma) * flop) /
             (mma_flop_a_cycle(device) * (wmma ? kWmmaShare : 1));
  } else {
    const double lanes = device.fp32_tflops * 1e6 / 2 / (device.limits.sm_count * device.clock_mhz);
    t.math = each(static_cast<double>(c.fma)) / (lanes * kFfmaShare);
  }
  t.issue = each(estimated_instructions(plan, c)) / (kSchedulers * kIssueShare);
  const auto wavefronts = c.joined_load.wavefronts + c.epilogue_load.wavefronts +
                          c.shared_store.wavefronts + c.shared_copy.wavefronts;
  t.shared = each(static_cast<double>(wavefronts)) + kSpill * spill_bytes / 4.0 * plan.warps();
  if (plan.copy_a.kind != CopyKind::cp_async) {
    t.l1 = each(static_cast<double>(c.load_a.wavefronts + c.load_b.wavefronts));
  }
  t.l2 = each(traffic.l2.read - traffic.packed_bytes) / kSmL2Bytes;
}

}  // namespace

int expected_ctas_per_sm(const KernelPlan& plan, const Launch& launch, const DeviceLimits& limits,
                         std::optional<int> registers) {
  if (!registers) {
    const int threads = plan.threads * std::max(1, plan.min_ctas);
    const int most =
        std::min(limits.registers_per_sm / threads / 8 * 8, limits.registers_per_thread);
    registers = std::min(
        most, static_cast<int>(std::lround(estimated_registers(plan) * kLikelyRegisters / 8)) * 8);
  }
  return std::max(1, occupancy(launch, limits, registers).ctas_per_sm);
}

SmTime sm_time(const KernelPlan& plan, const Launch& launch, const Traffic& traffic,
               const DeviceRow& device, const CompiledFacts& compiled) {
  const Counts& c = traffic.counts;
  SmTime t;
  set_units(t, plan, c, traffic, device, compiled.spill_bytes);
  const double data = t.shared + t.l1;  // one path for both
  const double math = std::max(t.math, t.issue);
  double unit = math;
  t.busiest = t.math >= t.issue ? Unit::math : Unit::issue;
  if (data > unit) unit = data, t.busiest = t.shared >= t.l1 ? Unit::shared : Unit::l1;
  if (t.l2 > unit) unit = t.l2, t.busiest = Unit::l2;

  const bool direct = plan.load_a.kind == LoadKind::global;
  const bool async = plan.copy_a.kind == CopyKind::cp_async;
  const double sms = device.limits.sm_count, ctas = static_cast<double>(launch.ctas());
  const double schedulers_share = std::max(1.0, kSchedulers / plan.warps());
  const double warps_each = std::max(1.0, plan.warps() / kSchedulers);
  // Fragments loaded ahead: a warp's loads and its arithmetic run side by side.
  const double clash = plan.load_a.register_stages > 1 ? 0 : kClash;
  const auto clashing = [&](double a, double b, double warps) {
    return clash * std::min(a, b) / std::pow(warps, kClashFade);
  };

  // A CTA by itself.
  const double lone_math = math * schedulers_share;
  double alone = std::max(lone_math, data) + clashing(lone_math, data, warps_each);
  if (async) alone += kSliceRestart;
  if (plan.load_a.kind == LoadKind::wmma) alone += kWmmaStep * std::max(1, mmas_k(plan));
  const int ahead = async ? std::max(0, plan.stages() - 1) : 0;
  double waits = kDirectStep;
  if (!direct && ahead > 0) {
    waits = std::max(alone, (kLoadLatency + alone) / (ahead + 1));
  } else if (!direct) {
    waits = kLoadLatency * load_batches(plan) +
            kLoadEach * (plan.copy_a.iterations() + plan.copy_b.iterations()) + alone;
  }

  // Several on an SM: as long as they keep its units busy, or as long as one waits.
  struct Round {
    double through = 0, cycles = 0;  // of a slice of each
  };
  const auto round = [&](double at_once) {
    const double one = unit + clashing(math, data, at_once * warps_each);
    const double lone = std::max(waits, one), all = at_once * one;
    const double sum =
        std::pow(all, kTimeNorm) + std::pow(lone, kTimeNorm) - std::pow(one, kTimeNorm);
    return Round{all, std::pow(sum, 1 / kTimeNorm)};
  };
  const Busiest busiest = busiest_cta(plan.work);
  const double most = std::ceil(ctas / sms);
  t.ctas =
      std::min<double>(expected_ctas_per_sm(plan, launch, device.limits, compiled.registers), most);
  t.slices = busiest.slices, t.waves = most / t.ctas;
  const double store =
      (kStore * static_cast<double>(c.store_c.wavefronts) +
       kSumStore * static_cast<double>(c.load_sums.wavefronts + c.store_sums.wavefronts)) /
      ctas;
  const double fixed = c.store_sums.requests > 0 ? kSharedItem * busiest.items : 0;
  double through = 0;
  const auto wave = [&](double at_once, double times) {
    if (at_once <= 0 || times <= 0) return;
    const Round r = round(at_once);
    through += times * t.slices * r.through;
    t.latency += times * t.slices * (r.cycles - r.through);
    t.sums += times * (fixed + store * at_once);
  };
  const double full = std::floor(most / t.ctas);
  wave(t.ctas, full);
  wave(most - full * t.ctas, 1);
  const double share = static_cast<double>(plan.work.slices()) / sms;  // slices an SM, on average
  t.ideal = unit * share;
  t.clash = clashing(math, data, t.ctas * warps_each) * share;
  t.idle = std::max(0.0, through - t.ideal - t.clash);
  return t;
}

}  // namespace tilescope::model
