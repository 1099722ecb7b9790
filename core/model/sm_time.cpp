#include "core/model/sm_time.h"

#include <algorithm>
#include <cmath>

#include "core/layout/rules.h"
#include "core/model/instruction_count.h"
#include "core/model/occupancy.h"
#include "core/model/sm_rounds.h"

namespace tilescope::model {
namespace {

// Rates, measured by themselves.
constexpr double kFfmaShare = 0.95;   // of 128 FFMA per cycle
constexpr double kIssueShare = 0.96;  // of four instructions per cycle
constexpr double kSchedulers = 4;

/// Registers that compilers took over those estimated: their median.
constexpr double kLikelyRegisters = 1.3;

/// What a warp waits for beside memory, by how its fragments come.
struct StepCosts {
  double count = 0;             // k steps of a slice
  double cycles = 0;            // of each, that nothing hides within a warp
  double instruction = 0;       // cycles of one of a warp alone, beside what else it does
  double in_order = 0;          // the same, in the time of which mma and copies run
  double spill_wavefronts = 0;  // of a spilled word, each k step
  double spill_wait = 0;
};
StepCosts step_costs(const KernelPlan& plan, const TimeConstants& k) {
  const double mmas = mmas_k(plan);
  switch (plan.atom.kind) {
    case MmaKind::wmma:
      return {.count = mmas,
              .cycles = k.wmma_step,
              .instruction = k.plain_instruction,
              .spill_wavefronts = k.spill_wavefronts};
    case MmaKind::mma_sync:
      if (plan.load_a.register_stages > 1) {
        return {
            .count = mmas, .in_order = k.ahead_instruction, .spill_wavefronts = k.spill_wavefronts};
      }
      return {.count = mmas,
              .cycles = k.plain_step,
              .instruction = k.plain_instruction,
              .spill_wavefronts = k.spill_wavefronts};
    case MmaKind::threads:
      return {.count = 1.0 * plan.block_k,
              .instruction = k.simt_instruction,
              .spill_wait = k.spill_wait};
    case MmaKind::wgmma:  // in flight while the next slice is awaited
      return {.count = mmas, .in_order = k.ahead_instruction};
  }
  return {};
}

double mma_flop_per_cycle(const DeviceRow& d, MmaKind kind, ElementType type) {
  const double all = d.tensor_tflops * rate_of_type(type) * 1e6 / (d.limits.sm_count * d.clock_mhz);
  if (kind == MmaKind::wgmma) return all;  // mma.sync reaches but a part of it
  if (d.mma_sync_flop_per_clock > 0) return d.mma_sync_flop_per_clock;
  return all * d.mma_sync_share;
}

/// Everything that the time of a launch follows from.
struct SmLoad {
  const KernelPlan& plan;
  const TimeConstants& k;
  StepCosts steps;
  int spilled_words = 0;
  double cold = 0;    // cold_share()
  double issued = 0;  // instructions of a warp and slice
  double math = 0;    // arithmetic, or its issue
  double data = 0;    // shared memory and L1: one path for both
  double l2 = 0;
  double l2_own = 0, l2_share = 0;  // as one SM alone would take it, and as all together get it

  /// `filled`: how many of the SMs' CTAs there are (SmRound).
  double l2_of(double filled) const { return std::max(l2_own, l2_share * std::min(1.0, filled)); }
};

double unit_sum(double a, double b, double c, double power) {
  return std::pow(std::pow(a, power) + std::pow(b, power) + std::pow(c, power), 1 / power);
}

/// Lines that copies past the L1 ask for: what goes to another place within 32 bytes is asked for
/// twice.
double lines_of(const GlobalSum& sum, const CopyMap& map) {
  if (!fills_shared(map.kind)) return 0;
  const auto lines = static_cast<double>(sum.lines);
  if (by_boxes(map.kind) || !asynchronous(map.kind) || sum.fetched <= sum.sectors) return lines;
  return lines + static_cast<double>(sum.fetched - sum.sectors);
}

/// What comes to SMs beyond that: to all CTAs of a cluster what one of them has asked for.
struct Multicast {
  double lines = 0, bytes = 0;
  double boxes = 0;  // with those that have asked
};
Multicast multicast_of(const GlobalSum& sum, const CopyMap& map) {
  const double others = map.shared_by - 1;
  if (others <= 0) return {};
  return {others * static_cast<double>(sum.lines),
          others * static_cast<double>(sum.fetched) * kSectorBytes,
          map.shared_by * static_cast<double>(sum.requests)};
}
/// An SM's own way to the L2, and its share of what the L2 gives all of them.
void set_l2(SmLoad& sm, const Counts& c, double slices, double bytes, const DeviceRow& device) {
  const KernelPlan& plan = sm.plan;
  const Multicast a = multicast_of(c.load_a, plan.copy_a);
  const Multicast b = multicast_of(c.load_b, plan.copy_b);
  const double lines = (lines_of(c.load_a, plan.copy_a) + lines_of(c.load_b, plan.copy_b)) / slices;
  const double sent = bytes - (a.bytes + b.bytes) / slices;
  const double own = bytes / device.sm_l2_bytes_per_clock;
  const double share = sent * device.limits.sm_count / device.l2_bytes_per_clock;
  if (!by_boxes(plan.copy_a.kind)) {
    sm.l2_own = std::max(own, lines * sm.k.request), sm.l2_share = share;
    return;
  }
  const double by_others =
      ((a.lines + b.lines) * sm.k.multicast + (a.boxes + b.boxes) * sm.k.multicast_box) / slices;
  sm.l2_own = std::max(own, lines * sm.k.box_request + by_others);
  sm.l2_share = std::max(share / sm.k.box_l2, lines * sm.k.box_request_all);
}

/// The units' cycles of one slice, on average over the launch.
void set_units(SmTime& t, SmLoad& sm, const Traffic& traffic, const DeviceRow& device) {
  const KernelPlan& plan = sm.plan;
  const Counts& c = traffic.counts;
  const double slices = static_cast<double>(plan.work.slices());
  const auto each = [&](double all) { return all / slices; };
  if (plan.math() == Math::mma) {
    const double flop = 2.0 * plan.atom.m * plan.atom.n * plan.atom.k;
    t.math = each(static_cast<double>(c.mma) / plan.warps_per_atom() * flop) /
             mma_flop_per_cycle(device, plan.atom.kind, plan.atom.type_a);
  } else {
    const double lanes = device.fp32_tflops * 1e6 / 2 / (device.limits.sm_count * device.clock_mhz);
    t.math = each(static_cast<double>(c.fma)) / (lanes * kFfmaShare);
  }
  const double instructions = each(estimated_instructions(plan, c));
  sm.issued = instructions / plan.warps();
  t.issue = instructions / (kSchedulers * kIssueShare);
  const SharedSum loads = c.joined_shared_load();
  const double wavefronts =
      static_cast<double>(loads.ideal) + sm.k.conflict * static_cast<double>(loads.conflicts()) +
      static_cast<double>(c.shared_store.wavefronts + c.shared_copy.wavefronts +
                          c.shared_product.wavefronts);
  t.shared = each(wavefronts) +
             sm.steps.spill_wavefronts * sm.steps.count * sm.spilled_words * plan.warps();
  if (!asynchronous(plan.copy_a.kind)) {
    t.l1 = each(static_cast<double>(c.load_a.wavefronts + c.load_b.wavefronts));
  }
  set_l2(sm, c, slices, each(traffic.l2.read - traffic.packed_bytes), device);
  const double busy = static_cast<double>(cta_count(plan.work)) / device.limits.sm_count;
  t.l2 = sm.l2_of(busy);
  sm.math = std::max(t.math, t.issue), sm.data = t.shared + t.l1;
  sm.l2 = t.l2;
}
Unit busiest_unit(const SmTime& t, const SmLoad& sm) {
  if (t.l2 > std::max(sm.math, sm.data)) return Unit::l2;
  if (sm.data > sm.math) return t.shared >= t.l1 ? Unit::shared : Unit::l1;
  return t.math >= t.issue ? Unit::math : Unit::issue;
}

double warps_per_scheduler(const KernelPlan& plan) {
  return std::max(1.0, plan.warps() / kSchedulers);
}

/// A slice of one of the CTAs on an SM, whose units are kept busy by `warps` per scheduler.
/// Arithmetic and data would overlap if there were always a warp ready for each.
double busy_slice(const SmLoad& sm, double math, double warps) {
  const bool ahead = sm.plan.load_a.register_stages > 1 || sm.plan.atom.in_shared(Operand::b);
  const double clash = ahead ? 0 : sm.k.clash;
  return unit_sum(math, sm.data, sm.l2, sm.k.unit_norm) +
         clash * std::min(math, sm.data) / std::pow(warps, sm.k.clash_fade);
}

/// Of the warps that split float32 for products of tf32, a slice.
double splitting(const SmLoad& sm) { return sm.k.split_access * sm.plan.split.accesses(); }

/// Cycles of a slice of a CTA that is alone on its SM and whose data is in shared memory already.
double lone_slice(const SmLoad& sm) {
  const KernelPlan& plan = sm.plan;
  // What a warp does by itself it does in order.
  const double math = std::max({sm.math * std::max(1.0, kSchedulers / plan.warps()),
                                sm.steps.in_order * sm.issued, splitting(sm)});
  // Products that read shared memory by themselves are in flight while the next slice is awaited.
  const double meeting = plan.atom.in_shared(Operand::b)  ? 0
                         : asynchronous(plan.copy_a.kind) ? sm.k.async_slice
                                                          : sm.k.staged_slice;
  return busy_slice(sm, math, warps_per_scheduler(plan)) + meeting + sm.k.warp * plan.warps() +
         sm.steps.instruction * sm.issued +
         sm.steps.count * (sm.steps.cycles + sm.steps.spill_wait * sm.spilled_words);
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

/// The same, with the time that it waits for its loads where they are not made stages ahead.
double lone_slice_loaded(const SmLoad& sm) {
  const KernelPlan& plan = sm.plan;
  if (!fills_shared(plan.copy_a.kind)) return sm.k.direct + sm.k.direct_dram * sm.cold;
  const double lone = lone_slice(sm);
  const bool async = asynchronous(plan.copy_a.kind);
  const double cluster = cluster_size(plan.work.raster) > 1 ? sm.k.cluster_load : 0;
  const double first = (async ? sm.k.load : 0) + sm.k.dram * sm.cold + cluster + splitting(sm);
  const double each =
      async ? 0 : sm.k.staged_each * (plan.copy_a.iterations() + plan.copy_b.iterations());
  const int ahead = plan.stages() - 1;
  if (ahead <= 0) return first * load_batches(plan) + each + lone;
  return unit_sum(lone, (first + each + sm.l2) / ahead, 0, sm.k.wait_norm);
}

/// A slice of each of some CTAs on an SM.
struct Round {
  double through = 0;  // as long as they keep its units busy
  double cycles = 0;   // or as long as one of them waits
};
Round round_of(SmLoad sm, double ctas, double filled) {
  sm.l2 = sm.l2_of(filled);
  const double one = busy_slice(sm, sm.math, ctas * warps_per_scheduler(sm.plan));
  const double lone = std::max(lone_slice_loaded(sm), one), all = ctas * one;
  const double power = sm.k.wait_norm;
  const double sum = std::pow(all, power) + std::pow(lone, power) - std::pow(one, power);
  return {all, std::pow(sum, 1 / power)};
}

/// Cycles that a CTA's sums of shared tiles take, for each of the CTAs that pass them on at once.
double sums_of(const SmLoad& sm, const Counts& c) {
  const WorkOrder& work = sm.plan.work;
  const double items = splits_k(work) ? static_cast<double>(cta_count(work)) : work.raster.tiles();
  // Boxes are on their way to C while their warp goes on.
  const double store = c.boxes_c ? sm.k.box_store : sm.k.store;
  return (sm.k.sum * static_cast<double>(c.load_sums.wavefronts + c.store_sums.wavefronts) +
          store * static_cast<double>(c.store_c.sectors)) /
         items;
}

}  // namespace

int expected_ctas_per_sm(const KernelPlan& plan, const Launch& launch, const DeviceLimits& limits,
                         std::optional<int> registers) {
  if (!registers) {
    const int threads = plan.cta_threads() * std::max(1, plan.min_ctas);
    const int most =
        std::min(limits.registers_per_sm / threads / 8 * 8, limits.registers_per_thread);
    const double likely = plan.registers > 0 ? 1 : kLikelyRegisters;
    registers =
        std::min(most, static_cast<int>(std::lround(launched_registers(plan) * likely / 8)) * 8);
  }
  return std::max(1, occupancy(launch, limits, registers).ctas_per_sm);
}

SmTime sm_time(const KernelPlan& plan, const Launch& launch, const Traffic& traffic,
               const DeviceRow& device, const CompiledFacts& compiled, double dram_read,
               const TimeConstants& constants) {
  const int sms = device.limits.sm_count;
  const int at_once = expected_ctas_per_sm(plan, launch, device.limits, compiled.registers);
  SmTime t;
  SmLoad sm{plan, constants, step_costs(plan, constants), compiled.spill_bytes / 4};
  sm.cold = cold_share(plan, traffic, dram_read, sms, at_once);
  set_units(t, sm, traffic, device);
  t.busiest = busiest_unit(t, sm);

  const double sums = sums_of(sm, traffic.counts);
  // Producers go on to the next tile while the sums of one are stored.
  const bool goes_on = stays(plan.work) && by_boxes(plan.copy_a.kind);
  const double item =
      (goes_on ? 0 : constants.item) + (shares_tiles(plan.work) ? constants.shared_item : 0);
  double through = 0, most_warps = 1;
  for (const SmRound& round : sm_rounds(plan.work, sms, at_once)) {
    if (round.times <= 0) continue;
    const Round r = round_of(sm, round.ctas, round.filled);
    const double slices = round.times * round.slices;
    through += slices * r.through;
    t.latency += slices * std::max(0.0, r.cycles - r.through);
    t.sums += round.times * round.items * (item + sums * round.ctas);
    most_warps = std::max(most_warps, round.ctas * warps_per_scheduler(plan));
  }
  const double share = static_cast<double>(plan.work.slices()) / sms;  // slices per SM, on average
  const double unit = std::max({sm.math, sm.data, sm.l2});
  t.ideal = unit * share;
  t.clash = (busy_slice(sm, sm.math, most_warps) - unit) * share;
  t.idle = std::max(0.0, through - t.ideal - t.clash);
  return t;
}

}  // namespace tilescope::model
