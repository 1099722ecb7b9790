#include "core/model/instruction_count.h"

#include "core/layout/work_order.h"

namespace tilescope::model {
namespace {

/// Instructions for each of what is counted.
struct Cost {
  double math = 1;             // an FFMA or mma of a warp
  double copy = 0;             // a warp's access to A or B in global memory
  double copy_edge = 0;        // more, where tiles may stick out of the matrix
  double copy_anew = 0;        // more, where each place in shared memory is computed anew
  double load = 0, store = 0;  // to shared memory, loads as the assembler joins them
  double slice = 0, sum = 0;   // a warp's slice of k; its access to C or to sums
  double warp = 0;             // a warp's work item
};

Cost cost_of(const KernelPlan& plan) {
  switch (plan.load_a.kind) {
    case LoadKind::global:
      return {.math = 5.74, .slice = 0.03, .warp = 62};
    case LoadKind::lds:
      if (plan.load_a.width == 1 && plan.load_b.width == 1) {
        return {
            .math = 1.17, .copy_edge = 3.31, .load = 1.01, .store = 11.1, .slice = 10, .warp = 242};
      }
      return {.math = 1,
              .copy = 3.75,
              .copy_edge = 9.34,
              .load = 1.13,
              .store = 2.45,
              .slice = 26.2,
              .warp = 682};
    case LoadKind::wmma:
      return {.math = 3.21,
              .copy_edge = 0.49,
              .copy_anew = 28.8,
              .load = 0.39,
              .store = 4.9,
              .slice = 12,
              .sum = 24.5,
              .warp = 78};
    case LoadKind::ldmatrix:
      return {.math = 1.1,
              .copy = 2.97,
              .copy_edge = 5.49,
              .copy_anew = 26,
              .slice = 40.2,
              .sum = 12.5,
              .warp = 342};
    case LoadKind::none:  // by products, of which each warp issues one
      return {.math = 3, .slice = 20, .sum = 24, .warp = 200};
  }
  return {};
}

/// Copies to several panels that do not go on in steps: a division for each.
bool computes_places(const CopyMap& map, const SharedTile& tile) {
  return fills_shared(map.kind) && tile.panels() > 1 && !copied_in_steps(map, tile);
}

}  // namespace

double estimated_instructions(const KernelPlan& plan, const Counts& c) {
  const Cost cost = cost_of(plan);
  const auto of = [](uint64_t count) { return static_cast<double>(count); };
  const double warps = plan.warps();
  const double items = splits_k(plan.work) || cuts_slices(plan.work)
                           ? static_cast<double>(cta_count(plan.work))
                           : plan.work.raster.tiles();
  const Specialization& spec = plan.spec;
  const auto copies = [&](const GlobalSum& sum, Operand o, bool edge) {
    const bool anew = computes_places(copy_of(plan, o), shared_of(plan, o));
    return of(sum.requests) *
           (cost.copy + (edge ? cost.copy_edge : 0) + (anew ? cost.copy_anew : 0));
  };
  // Sums that are added to others; where they begin anew the first product says so.
  const double promotions = plan.promote == 0
                                ? 0
                                : warps * plan.work.slices() / plan.promote * mmas_m(plan) *
                                      mmas_n(plan) * plan.atom.c.values();
  // A load, three operations for each of its elements, a store, and where they lie.
  constexpr double kOfAccess = 3.0 * Split::kBytes / sizeof(float) + 5;
  const double split = kOfAccess * static_cast<double>(plan.work.slices()) * plan.split.accesses() *
                       plan.split.warps();
  return cost.math * (of(c.mma) + of(c.fma) / kWarpLanes) +
         copies(c.load_a, Operand::a, spec.edge_m || spec.edge_k) +
         copies(c.load_b, Operand::b, spec.edge_n || spec.edge_k) +
         cost.load * of(c.joined_shared_load().requests) +
         cost.store * of(c.shared_store.requests) +
         cost.slice * static_cast<double>(plan.work.slices()) * warps +
         cost.sum * of(c.store_c.requests + c.load_c.requests + c.load_bias.requests +
                       c.load_sums.requests + c.store_sums.requests) +
         cost.warp * items * warps + promotions + split;
}

}  // namespace tilescope::model
