// Arithmetic intensity at three levels, as the notes on linear layers count it (seed 001):
// registers for a warp, shared memory for a block, L2 and DRAM for the whole problem, and the
// notes' tables.
//
// The notes count elements and call them bytes. `Count::elements` reproduces them; `Count::bytes`
// takes 2 bytes per element, decimal GB and, where L2 is the limit, L2's own bandwidth.
#pragma once
#include <vector>

#include "core/layout/kernel_plan.h"
#include "core/model/counted_in.h"

namespace tilescope::model::notes {

using model::Count;

struct Shape {
  int m = 0, n = 0, k = 0;
};

/// One SM at 512 FLOP per clock (RTX 3090: dense f16 → f32).
struct ClockRow {
  Shape block, warp, mma;
  double intensity = 0;        // FLOP per element or byte
  double bytes_per_clock = 0;  // elements or bytes
  double clocks = 0;
};
/// Registers: C is read and written once per mma step in k. `block` stays empty.
ClockRow register_level(Shape warp, Shape mma, Count count);
/// Shared memory: the notes charge C to it in each k slice.
ClockRow shared_level(Shape block, Shape warp, Shape mma, Count count);

struct ProblemRow {
  Shape block, problem;
  double intensity = 0;
  double gb_per_second = 0;   // needed to keep the tensor cores busy; notes: 2³⁰ elements
  double ms = 0;              // at full tensor rate
  double l2_hit_percent = 0;  // needed for that rate
  double mfu_percent = 0;     // reached
};
ProblemRow problem_level(Shape block, Shape problem, Count count);

/// The notes' tables, in their order.
std::vector<ClockRow> table_a(Count count);
std::vector<ClockRow> table_b(Count count);
std::vector<ProblemRow> table_c(Count count);

/// The three intensities for a tile in use. SIMT kernels: the thread tile takes the warp tile's
/// place and one fma the mma's.
struct Intensities {
  double registers = 0, shared = 0, global = 0;
};
Intensities intensities(const KernelPlan& plan, const Problem& problem, Count count);

}  // namespace tilescope::model::notes
