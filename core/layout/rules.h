// The rules that every kernel's tiles keep; a kernel adds its own. Each returns Rule::none or the
// violation. For host code alone: kernels are compiled without them.
#pragma once
#include "core/layout/device_limits.h"
#include "core/layout/kernel_plan.h"
#include "core/layout/violation.h"

namespace tilescope {

constexpr Violation check_problem(const Problem& p) {
  const int extents[3] = {p.m, p.n, p.k};
  for (int i = 0; i < 3; ++i) {
    if (extents[i] < 1 || extents[i] > kMaxExtent) {
      return {Rule::extent_range, extents[i], kMaxExtent, TileFieldId::none, TileFieldId::none, i};
    }
  }
  for (int i = 0; i < 3; ++i) {
    const auto o = static_cast<Operand>(i);
    const long long least = least_leading_dimension(p, o), given = leading_dimension(p, o);
    if (given >= least && given <= kMaxLeadingDimension) continue;
    const long long limit = given < least ? least : kMaxLeadingDimension;
    return {Rule::leading_dimension, given, limit, TileFieldId::none, TileFieldId::none, i};
  }
  return {};
}

constexpr Violation order_violation(Operand o) {
  return {Rule::order, 0, 0, TileFieldId::none, TileFieldId::none, static_cast<int>(o)};
}

constexpr Violation check_offered(const Sliders& sliders, const TileConfig& tile) {
  for (int i = 0; i < sliders.count; ++i) {
    const Slider& s = sliders.slider[i];
    const int value = get(tile, s.field);
    if (s.allows(value)) continue;
    int nearest = s.values[0];
    for (int j = 1; j < s.count; ++j) {
      const long long now =
          value > s.values[j] ? 1LL * value - s.values[j] : 1LL * s.values[j] - value;
      const long long best = value > nearest ? 1LL * value - nearest : 1LL * nearest - value;
      if (now < best) nearest = s.values[j];
    }
    return {Rule::value_not_offered, value, nearest, s.field};
  }
  return {};
}

constexpr Violation check_divides(const TileConfig& tile, TileFieldId whole, TileFieldId part) {
  const int w = get(tile, whole), p = get(tile, part);
  if (p > 0 && w % p == 0) return {};
  return {Rule::not_divisible, w, p, whole, part};
}

/// The warp tiles must fill the block tile exactly.
constexpr Violation check_warps(const TileConfig& tile) {
  const Violation v = check_divides(tile, TileFieldId::block_m, TileFieldId::warp_m);
  return v.legal() ? check_divides(tile, TileFieldId::block_n, TileFieldId::warp_n) : v;
}

/// The first of `fields` for which the kernel has a slider with a choice: the one to mark.
template <class... Fields>
constexpr TileFieldId first_slider(const Sliders& sliders, Fields... fields) {
  TileFieldId found = TileFieldId::none;
  const auto look = [&](TileFieldId field) {
    const Slider* s = sliders.find(field);
    if (found == TileFieldId::none && s && s->count > 1) found = field;
  };
  (look(fields), ...);
  return found;
}

/// CTAs that copy parts of a tile for each other cut its lines at the swizzle's period.
constexpr Violation check_parts(const KernelPlan& plan, Operand o, TileFieldId outer,
                                TileFieldId ctas) {
  const CopyMap& map = copy_of(plan, o);
  const int lines = map.k_contiguous ? map.outer : map.depth;
  if (!by_boxes(map.kind) || lines % (map.shared_by * kSwizzlePeriod) == 0) return {};
  return {Rule::part_too_low, lines, map.shared_by, map.k_contiguous ? outer : TileFieldId::block_k,
          ctas};
}
constexpr Violation check_parts(const KernelPlan& plan) {
  const Violation v = check_parts(plan, Operand::a, TileFieldId::block_m, TileFieldId::cluster_n);
  return v.legal() ? check_parts(plan, Operand::b, TileFieldId::block_n, TileFieldId::cluster_m)
                   : v;
}

/// How many CTAs of this launch an SM has room for, as far as its threads (its shared memory) go.
/// Registers are not looked at: only the compiler knows them.
constexpr int ctas_by_threads(const Launch& launch, const DeviceLimits& device) {
  return device.threads_per_sm / (ceil_div(launch.threads, 32) * 32);
}
constexpr int ctas_by_shared(const Launch& launch, const DeviceLimits& device) {
  constexpr int kGranularity = 128;  // bytes
  const int bytes = launch.shared_bytes + device.shared_reserved_per_block;
  if (bytes == 0) return device.ctas_per_sm;  // nothing reserved, before 8.0: it is no limit
  return device.shared_per_sm / (ceil_div(bytes, kGranularity) * kGranularity);
}

/// Whether the device has room for the launch: threads, shared memory, grid.
constexpr Violation check_launch(const Launch& launch, const Sliders& sliders,
                                 const DeviceLimits& device) {
  const TileFieldId part =
      first_slider(sliders, TileFieldId::warp_m, TileFieldId::thread_m, TileFieldId::block_m);
  if (launch.threads > device.threads_per_block) {
    return {Rule::threads_too_many, launch.threads, device.threads_per_block, part};
  }
  if (launch.threads < 32) return {Rule::threads_too_few, launch.threads, 32, part};
  if (launch.shared_bytes > device.shared_per_block) {
    return {Rule::shared_too_large, launch.shared_bytes, device.shared_per_block,
            first_slider(sliders, TileFieldId::stages, TileFieldId::block_k)};
  }
  // CTAs that wait for each other must be held at once.
  const int by_threads = ctas_by_threads(launch, device),
            by_shared = ctas_by_shared(launch, device);
  if (launch.min_ctas > min_of(by_threads, by_shared)) {
    return by_threads < by_shared
               ? Violation{Rule::ctas_by_threads, launch.min_ctas, by_threads,
                           TileFieldId::min_ctas, part}
               : Violation{Rule::ctas_by_shared, launch.min_ctas, by_shared, TileFieldId::min_ctas,
                           first_slider(sliders, TileFieldId::stages, TileFieldId::block_k)};
  }
  if (launch.grid_y > device.grid_y) {
    return {Rule::grid_too_large, launch.grid_y, device.grid_y, TileFieldId::block_m};
  }
  if (launch.cluster > kMostClusterCtas) {
    return {Rule::cluster_too_large, launch.cluster, kMostClusterCtas,
            first_slider(sliders, TileFieldId::cluster_m, TileFieldId::cluster_n)};
  }
  return {};
}

/// Estimate of the registers per thread: accumulators, the fragments of one k step, pointers,
/// indices and copies in flight.
constexpr int estimated_registers(const KernelPlan& plan) {
  constexpr int kOthers = 24;
  const auto fragments = [&](Operand o, int atoms) {
    return plan.atom.in_shared(o) ? 0 : atoms * fragment_of(plan.atom, o).registers();
  };
  const int sums = mmas_m(plan) * mmas_n(plan) * plan.atom.c.registers();
  return (plan.promote > 0 ? 2 * sums : sums) + fragments(Operand::a, mmas_m(plan)) +
         fragments(Operand::b, mmas_n(plan)) + kOthers;
}
/// Registers that a thread is launched with: where they are moved between roles, each has as many.
constexpr int launched_registers(const KernelPlan& plan) {
  if (plan.registers == 0) return estimated_registers(plan);
  const int moved = plan.registers * plan.threads + plan.producer_registers * plan.producer_threads;
  return ceil_div(moved, plan.cta_threads());
}
/// Whether that estimate fits what the CTAs that an SM is to hold leave each thread. If not, the
/// compiler would spill accumulators to memory in every k step.
constexpr Violation check_registers(const KernelPlan& plan, const Sliders& sliders,
                                    const DeviceLimits& device) {
  // ptxas wants so many beside the sums of one wgmma (C7602), of those with which a thread begins.
  constexpr int kBesideProduct = 26;
  const int threads = plan.cta_threads() * plan.min_ctas;
  const int share = device.registers_per_sm / threads / 8 * 8;  // handed out in eights
  const int product =
      plan.atom.in_shared(Operand::b) ? plan.atom.c.registers() + kBesideProduct : 0;
  if (product > share) {
    return {Rule::product_registers, product, share,
            first_slider(sliders, TileFieldId::block_n, TileFieldId::warp_n),
            first_slider(sliders, TileFieldId::block_m)};
  }
  // Moved between roles, all together are not more than the CTA was launched with.
  const int moved = plan.registers * plan.threads + plan.producer_registers * plan.producer_threads;
  const int most =
      plan.registers > 0 && moved <= share * plan.cta_threads() ? plan.registers : share;
  const int limit = min_of(most, device.registers_per_thread);
  const int needed = estimated_registers(plan);
  if (needed <= limit) return {};
  return {Rule::registers_too_many, needed, limit,
          first_slider(sliders, TileFieldId::warp_m, TileFieldId::thread_m, TileFieldId::block_m)};
}

}  // namespace tilescope
