#include "core/model/sm_time.h"

#include <algorithm>
#include <cmath>

#include "core/layout/rules.h"
#include "core/model/instruction_count.h"
#include "core/model/occupancy.h"

namespace tilescope::model {
namespace {

// Rates, measured by themselves.
constexpr double kFfmaShare = 0.95;   // of 128 FFMA per cycle
constexpr double kIssueShare = 0.96;  // of four instructions per cycle
constexpr double kSchedulers = 4;
// Fitted together, with kTimeNorm, to times of 208 random tiles and 750 recorded ones on an H200
// and an H100.
constexpr double kWmmaShare = 0.79;    // of mma.sync's rate: its fragments are not in order
constexpr double kLoadLatency = 400;   // cycles from a slice's loads to its data, on average
constexpr double kLoadEach = 34;       // more, for each further load of a thread in a row
constexpr double kSliceRestart = 440;  // cp.async: wait, barrier, first fragments, full speed again
constexpr double kWmmaStep = 99;       // wmma: loads of a k step, which nothing is loaded ahead of
constexpr double kDirectStep = 115;    // without tiles: a k step's loads from L1, unrolled
// Of the time of the less busy unit: how much of it comes on top where each scheduler has one warp.
constexpr double kClash = 0.38;
constexpr double kClashFade = 0.4;    // that share falls with warps per scheduler to this power
constexpr double kSpill = 3.5;        // times that a slice goes through a thread's spills
constexpr double kStore = 4.1;        // cycles a wavefront of C takes, prologue included
constexpr double kSumStore = 2.5;     // the same of parts of sums
constexpr double kSharedItem = 6700;  // cycles that CTAs of a shared tile lose to each other

/// Registers that compilers took over those estimated: their median.
constexpr double kLikelyRegisters = 1.3;

struct Busiest {
  double slices = 1, items = 1;
};
/// Slices and work items of the CTA that has most of them.
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
  const bool registers_between = fills_shared(plan.copy_a.kind) && !asynchronous(plan.copy_a.kind);
  if (!registers_between || plan.stages() != 1) return 1;
  const auto of = [](const CopyMap& map) {
    return ceil_div(map.iterations(), copies_at_once(map));
  };
  return of(plan.copy_a) + of(plan.copy_b);
}

/// Of mma.sync's rate.
double instruction_share(MmaKind kind) {
  switch (kind) {
    case MmaKind::wmma:
      return kWmmaShare;
    case MmaKind::mma_sync:
    case MmaKind::threads:
    case MmaKind::wgmma:
      return 1;
  }
  return 1;
}
/// What each k step of a warp takes beside.
double step_cycles(MmaKind kind) {
  switch (kind) {
    case MmaKind::wmma:
      return kWmmaStep;
    case MmaKind::mma_sync:
    case MmaKind::threads:
    case MmaKind::wgmma:
      return 0;
  }
  return 0;
}

double mma_flop_per_cycle(const DeviceRow& d, MmaKind kind) {
  const double all = d.tensor_tflops * 1e6 / (d.limits.sm_count * d.clock_mhz);
  if (kind == MmaKind::wgmma) return all;  // mma.sync reaches but a part of it
  if (d.mma_sync_flop_per_clock > 0) return d.mma_sync_flop_per_clock;
  return all * d.mma_sync_share;
}

/// The units' cycles of one slice, on average over the launch.
void set_units(SmTime& t, const KernelPlan& plan, const Counts& c, const Traffic& traffic,
               const DeviceRow& device, int spill_bytes) {
  const double slices = static_cast<double>(plan.work.slices());
  const auto each = [&](double all) { return all / slices; };
  if (plan.math() == Math::mma) {
    const double flop = 2.0 * plan.atom.m * plan.atom.n * plan.atom.k;
    t.math = each(static_cast<double>(c.mma) / plan.warps_per_atom() * flop) /
             (mma_flop_per_cycle(device, plan.atom.kind) * instruction_share(plan.atom.kind));
  } else {
    const double lanes = device.fp32_tflops * 1e6 / 2 / (device.limits.sm_count * device.clock_mhz);
    t.math = each(static_cast<double>(c.fma)) / (lanes * kFfmaShare);
  }
  t.issue = each(estimated_instructions(plan, c)) / (kSchedulers * kIssueShare);
  const auto wavefronts = c.joined_shared_load().wavefronts + c.shared_store.wavefronts +
                          c.shared_copy.wavefronts + c.shared_product.wavefronts;
  t.shared = each(static_cast<double>(wavefronts)) + kSpill * spill_bytes / 4.0 * plan.warps();
  if (!asynchronous(plan.copy_a.kind)) {
    t.l1 = each(static_cast<double>(c.load_a.wavefronts + c.load_b.wavefronts));
  }
  t.l2 = each(traffic.l2.read - traffic.packed_bytes) / device.sm_l2_bytes_per_clock;
}

/// Cycles for which one slice of one CTA occupies an SM's units.
struct Slice {
  double math = 0;  // arithmetic, or its issue
  double data = 0;  // shared memory and L1: one path for both
  double unit = 0;  // the busiest, the way from the L2 among them
};
Slice slice_of(const SmTime& t) {
  const double math = std::max(t.math, t.issue), data = t.shared + t.l1;
  return {math, data, std::max({math, data, t.l2})};
}
Unit busiest_unit(const SmTime& t, const Slice& slice) {
  if (t.l2 > std::max(slice.math, slice.data)) return Unit::l2;
  if (slice.data > slice.math) return t.shared >= t.l1 ? Unit::shared : Unit::l1;
  return t.math >= t.issue ? Unit::math : Unit::issue;
}

double warps_per_scheduler(const KernelPlan& plan) {
  return std::max(1.0, plan.warps() / kSchedulers);
}

/// Arithmetic and data would overlap entirely if there were always a warp ready for each. With
/// `warps` per scheduler there is not: cycles that both take beyond the longer of them.
double clashing(const KernelPlan& plan, double math, double data, double warps) {
  // Fragments loaded ahead: a warp's loads and its arithmetic run side by side.
  const bool ahead = plan.load_a.register_stages > 1 || plan.atom.in_shared(Operand::b);
  const double clash = ahead ? 0 : kClash;
  return clash * std::min(math, data) / std::pow(warps, kClashFade);
}

/// Cycles of a slice of a CTA that is alone on its SM and whose data is in shared memory already.
double lone_slice(const KernelPlan& plan, const Slice& slice) {
  const double math = slice.math * std::max(1.0, kSchedulers / plan.warps());
  double cycles =
      std::max(math, slice.data) + clashing(plan, math, slice.data, warps_per_scheduler(plan));
  // Products that read shared memory by themselves are in flight while the next slice is awaited.
  if (asynchronous(plan.copy_a.kind) && !plan.atom.in_shared(Operand::b)) cycles += kSliceRestart;
  return cycles + step_cycles(plan.atom.kind) * std::max(1, mmas_k(plan));
}

/// The same, with the time that it waits for its loads where they are not made stages ahead.
double lone_slice_loaded(const KernelPlan& plan, const Slice& slice) {
  if (!fills_shared(plan.copy_a.kind)) return kDirectStep;
  const double lone = lone_slice(plan, slice);
  const bool async = asynchronous(plan.copy_a.kind);
  const int ahead = async ? std::max(0, plan.stages() - 1) : 0;
  if (ahead > 0) return std::max(lone, (kLoadLatency + lone) / (ahead + 1));
  return kLoadLatency * load_batches(plan) +
         kLoadEach * (plan.copy_a.iterations() + plan.copy_b.iterations()) + lone;
}

/// A slice of each of some CTAs on an SM.
struct Round {
  double through = 0;  // as long as they keep its units busy
  double cycles = 0;   // or as long as one of them waits
};
Round round_of(const KernelPlan& plan, const Slice& slice, double ctas) {
  const double one =
      slice.unit + clashing(plan, slice.math, slice.data, ctas * warps_per_scheduler(plan));
  const double lone = std::max(lone_slice_loaded(plan, slice), one), all = ctas * one;
  const double sum =
      std::pow(all, kTimeNorm) + std::pow(lone, kTimeNorm) - std::pow(one, kTimeNorm);
  return {all, std::pow(sum, 1 / kTimeNorm)};
}

/// What a CTA's items take beside their slices: C, and parts of sums.
struct Ends {
  double fixed = 0, store = 0;  // store: for each of the CTAs that do it at once
};
Ends ends_of(const Counts& c, double ctas, double items) {
  const double store =
      (kStore * static_cast<double>(c.store_c.wavefronts) +
       kSumStore * static_cast<double>(c.load_sums.wavefronts + c.store_sums.wavefronts)) /
      ctas;
  return {c.store_sums.requests > 0 ? kSharedItem * items : 0, store};
}

/// Adds what the SM with most CTAs waits and stores, wave after wave; how long its units are busy.
double add_waves(SmTime& t, const KernelPlan& plan, const Slice& slice, const Ends& ends,
                 double slices, double most, double at_once) {
  double through = 0;
  const auto add = [&](double ctas, double times) {
    if (ctas <= 0 || times <= 0) return;
    const Round r = round_of(plan, slice, ctas);
    through += times * slices * r.through;
    t.latency += times * slices * (r.cycles - r.through);
    t.sums += times * (ends.fixed + ends.store * ctas);
  };
  const double full = std::floor(most / at_once);
  add(at_once, full);
  add(most - full * at_once, 1);
  return through;
}

}  // namespace

int expected_ctas_per_sm(const KernelPlan& plan, const Launch& launch, const DeviceLimits& limits,
                         std::optional<int> registers) {
  if (!registers) {
    const int threads = plan.cta_threads() * std::max(1, plan.min_ctas);
    const int most =
        std::min(limits.registers_per_sm / threads / 8 * 8, limits.registers_per_thread);
    registers = std::min(
        most, static_cast<int>(std::lround(estimated_registers(plan) * kLikelyRegisters / 8)) * 8);
  }
  return std::max(1, occupancy(launch, limits, registers).ctas_per_sm);
}

SmTime sm_time(const KernelPlan& plan, const Launch& launch, const Traffic& traffic,
               const DeviceRow& device, const CompiledFacts& compiled) {
  SmTime t;
  set_units(t, plan, traffic.counts, traffic, device, compiled.spill_bytes);
  const Slice slice = slice_of(t);
  t.busiest = busiest_unit(t, slice);

  const double sms = device.limits.sm_count, ctas = static_cast<double>(launch.ctas());
  const double most = std::ceil(ctas / sms);  // of an SM, one after the other
  const double at_once =
      std::min<double>(expected_ctas_per_sm(plan, launch, device.limits, compiled.registers), most);
  const Busiest busiest = busiest_cta(plan.work);
  const Ends ends = ends_of(traffic.counts, ctas, busiest.items);
  const double through = add_waves(t, plan, slice, ends, busiest.slices, most, at_once);

  const double share = static_cast<double>(plan.work.slices()) / sms;  // slices per SM, on average
  t.ideal = slice.unit * share;
  t.clash = clashing(plan, slice.math, slice.data, at_once * warps_per_scheduler(plan)) * share;
  t.idle = std::max(0.0, through - t.ideal - t.clash);
  return t;
}

}  // namespace tilescope::model
