#include "core/model/instruction_count.h"

#include "core/layout/work_order.h"

namespace tilescope::model {
namespace {

/// Instructions for each of what is counted.
struct Cost {
  double math = 1;             // an FFMA or mma of a warp
  double copy = 0;             // a warp's access to A or B in global memory
  double load = 0, store = 0;  // to shared memory, loads as the assembler joins them
  double slice = 0, sum = 0;   // a warp's slice of k; its access to C or to sums
  double warp = 0;             // a warp's work item
};

Cost cost_of(const KernelPlan& plan) {
  switch (plan.load_a.kind) {
    case LoadKind::global:
      return {.math = 5.43, .slice = 0.2};
    case LoadKind::lds:
      if (plan.load_a.width == 1 && plan.load_b.width == 1) {
        return {.math = 1.03, .load = 1.34, .store = 10.8, .slice = 8.1, .sum = 31.5, .warp = 103};
      }
      return {.math = 1.02, .copy = 12.7, .load = 0.97, .slice = 33.4, .sum = 17.2, .warp = 333};
    case LoadKind::wmma:
      return {.math = 1.38,
              .copy = 0.65,
              .load = 0.46,
              .store = 3.45,
              .slice = 35.8,
              .sum = 24.3,
              .warp = 68};
    case LoadKind::ldmatrix:
      return {.math = 1.49, .copy = 5.55, .slice = 27.3, .sum = 17, .warp = 375};
    case LoadKind::none:  // by products, of which each warp issues one
      return {.math = 3, .slice = 20, .sum = 24, .warp = 200};
  }
  return {};
}

}  // namespace

double estimated_instructions(const KernelPlan& plan, const Counts& c) {
  const Cost cost = cost_of(plan);
  const auto of = [](uint64_t count) { return static_cast<double>(count); };
  const double warps = plan.warps();
  const double items = splits_k(plan.work) || cuts_slices(plan.work)
                           ? static_cast<double>(cta_count(plan.work))
                           : plan.work.raster.tiles();
  return cost.math * (of(c.mma) + of(c.fma) / kWarpLanes) +
         cost.copy * of(c.load_a.requests + c.load_b.requests) +
         cost.load * of(c.joined_load.requests) + cost.store * of(c.shared_store.requests) +
         cost.slice * static_cast<double>(plan.work.slices()) * warps +
         cost.sum * of(c.store_c.requests + c.load_c.requests + c.load_bias.requests +
                       c.load_sums.requests + c.store_sums.requests) +
         cost.warp * items * warps;
}

}  // namespace tilescope::model
