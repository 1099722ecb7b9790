#include "core/model/notes.h"

#include "core/layout/hierarchy.h"

namespace tilescope::model::notes {
namespace {

constexpr double kFlopPerClock = 512;      // of one SM
constexpr double kFlopPerMs = 71.16288e9;  // RTX 3090, f16 → f32
constexpr double kDramGb = 936;
constexpr double kL2Gb = 4830;  // measured on an A100; the notes assume it for the 3090
constexpr double kFullM = 16;   // rows that fill an mma

double unit(Count count) { return count == Count::elements ? 1 : 2; }
double gb(Count count) { return count == Count::elements ? 1024.0 * 1024 * 1024 : 1e9; }

ClockRow clock_row(Shape block, Shape warp, Shape mma, double flop, double elements, Count count) {
  ClockRow row{block, warp, mma, 0, 0, flop / kFlopPerClock};
  row.intensity = flop / (elements * unit(count));
  row.bytes_per_clock = elements * unit(count) / row.clocks;
  return row;
}

}  // namespace

ClockRow register_level(Shape w, Shape mma, Count count) {
  const double m = w.m, n = w.n, k = w.k;
  return clock_row({}, w, mma, 2 * m * n * k, m * k + k * n + 2 * (k / mma.k) * m * n, count);
}

ClockRow shared_level(Shape block, Shape w, Shape mma, Count count) {
  const double m = block.m, n = block.n, k = block.k;
  const double elements = n / w.n * m * k + m / w.m * k * n + 2 * m * n;
  return clock_row(block, w, mma, 2 * m * n * k, elements, count);
}

ProblemRow problem_level(Shape block, Shape problem, Count count) {
  const double m = problem.m, n = problem.n, k = problem.k;
  const double flop = 2 * m * n * k;
  const double rate = m > kFullM ? kFlopPerMs : kFlopPerMs * (m / kFullM);
  const double rows_of_tiles = ceil_div(problem.m, block.m);
  const double bytes = (n / block.n * m * k + rows_of_tiles * k * n + 2 * m * n) * unit(count);
  ProblemRow row{.block = block, .problem = problem, .ms = flop / rate};
  row.gb_per_second = bytes / row.ms * 1e3 / gb(count);
  // The notes' closed form: exact but for a cut-off last row of tiles, which has its own branch.
  const double a_share = problem.m < block.m ? rows_of_tiles / (2 * m) : 1.0 / (2 * block.m);
  row.intensity = 1 / ((1.0 / (2 * block.n) + a_share + 1 / k) * unit(count));
  row.mfu_percent = 100 * rate / kFlopPerMs;
  row.l2_hit_percent = 100 * (row.gb_per_second - kDramGb) / (kL2Gb - kDramGb);
  if (row.l2_hit_percent < 0) {
    row.l2_hit_percent = 0;
  } else if (row.l2_hit_percent > 100) {
    row.l2_hit_percent = 100;
    // The notes divide by DRAM's bandwidth here, though all comes from L2.
    row.mfu_percent *= (count == Count::elements ? kDramGb : kL2Gb) / row.gb_per_second;
  }
  return row;
}

Intensities intensities(const KernelPlan& plan, const Problem& p, Count count) {
  const Hierarchy h = hierarchy_of(plan);
  const Mnk one = arithmetic_of(plan).shape, held = h[register_level(h)].box;
  const Shape atom{one.m, one.n, one.k}, part{held.m, held.n, plan.block_k};
  const Shape block{plan.block_m, plan.block_n, plan.block_k};
  // f32 kernels move 4 bytes per element where the notes' halves have 2.
  const double size = count == Count::bytes ? element_bytes(p.type_a) / 2.0 : 1;
  return {register_level(part, atom, count).intensity / size,
          shared_level(block, part, atom, count).intensity / size,
          problem_level(block, {p.m, p.n, p.k}, count).intensity / size};
}

}  // namespace tilescope::model::notes
