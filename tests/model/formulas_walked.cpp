#include "tests/model/formulas_walked.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/layout/packing.h"

namespace tilescope::model {
namespace {

double held(const FragmentLayout& f) {
  double bits = 0;
  for (int thread = 0; thread < f.threads(); ++thread) {
    for (int value = 0; value < f.values(); ++value) bits += f.bits;
  }
  return bits / 8;
}

double matrix(const Problem& p, Operand o) {
  double bytes = 0;
  for (int row = 0; row < operand_rows(p, o); ++row) {
    for (int col = 0; col < operand_cols(p, o); ++col) bytes += element_bytes(operand_type(p, o));
  }
  return bytes;
}

/// Sectors that the tiles of C need of an operand's lines, each once per tile.
double sectors_once_per_tile(const KernelPlan& plan, const Problem& p, Operand o) {
  const bool is_a = o == Operand::a;
  const int block = is_a ? plan.block_m : plan.block_n, extent = is_a ? p.m : p.n;
  const auto offset = [&](int outer, int k) {
    return global_offset(p, o, matrix_coord(o, outer, k));
  };
  const bool lines_along_k = offset(0, 1) < offset(1, 0);
  double sum = 0;
  for (int first = 0; first < extent; first += block) {
    std::set<std::pair<int, long long>> sectors;  // line, sector
    for (int outer = first; outer < std::min(first + block, extent); ++outer) {
      for (int k = 0; k < p.k; ++k) {
        sectors.emplace(lines_along_k ? outer : k, offset(outer, k) / kSectorBytes);
      }
    }
    sum += static_cast<double>(sectors.size());
  }
  const int others = is_a ? p.n : p.m, other_block = is_a ? plan.block_n : plan.block_m;
  int tiles = 0;
  for (int first = 0; first < others; first += other_block) ++tiles;
  return sum * tiles;
}

int waves_walked(const Analysis& a) {
  int waves = 0;
  for (long long left = a.launch.ctas(); left > 0; ++waves) {
    for (int sm = 0; sm < a.device.limits.sm_count; ++sm) left -= a.occupancy.ctas_per_sm;
  }
  return waves;
}

}  // namespace

std::map<std::string, double> walked_formulas(const Analysis& a, const Counts& c) {
  const KernelPlan& plan = a.plan;
  const Problem& p = a.problem;
  std::map<std::string, double> all;
  const auto number = [](uint64_t count) { return static_cast<double>(count); };
  if (plan.math() == Math::mma) {
    const double result = held(plan.atom.c), atoms = number(c.mma) / plan.warps_per_atom();
    const double a = plan.atom.a_in_shared ? 0 : held(plan.atom.a);
    const double b = plan.atom.b_in_shared ? 0 : held(plan.atom.b);
    all["registers.read"] = atoms * (a + b + result);
    all["registers.write"] = atoms * result;
  } else {
    all["registers.read"] = number(c.fma) * 3 * sizeof(float);
    all["registers.write"] = number(c.fma) * sizeof(float);
  }
  all["shared.read"] = number(c.shared_load.bytes + c.shared_product.bytes);
  all["shared.write"] = number(c.shared_store.bytes + c.shared_copy.bytes);
  all["shared.read.wavefronts"] = number(c.shared_load.wavefronts);
  all["shared.write.wavefronts"] = number(c.shared_store.wavefronts);
  all["shared.write.copy_wavefronts"] = number(c.shared_copy.wavefronts);
  all["shared.wavefronts"] = number(c.shared_load.wavefronts + c.shared_store.wavefronts);
  all["l1.read"] = number(c.global_load().bytes);
  all["l1.write"] = number(c.global_store().bytes);
  all["l1.sectors"] = number(c.global_load().sectors + c.global_store().sectors);

  // The pass reads and writes each element once.
  double packed = 0;
  for (const Operand o : {Operand::a, Operand::b}) packed += packs(plan.spec, o) ? matrix(p, o) : 0;
  const double read_c = p.beta != 0 ? matrix(p, Operand::c) : 0;
  const auto from_l2 = [&](Operand o, const GlobalSum& loads) {
    return kSectorBytes * (passes_l1_by(copy_of(plan, o))
                               ? number(loads.fetched) * copy_of(plan, o).shared_by
                               : sectors_once_per_tile(plan, problem_read(plan, p), o));
  };
  all["l2.read"] = from_l2(Operand::a, c.load_a) + from_l2(Operand::b, c.load_b) + read_c +
                   number(c.load_sums.sectors) * kSectorBytes + packed +
                   number(a.traffic.fetched_bias) * kSectorBytes;
  all["l2.write"] = number(c.store_c.sectors + c.store_sums.sectors) * kSectorBytes + packed;
  all["dram.read"] = matrix(p, Operand::a) + matrix(p, Operand::b) + read_c + packed +
                     static_cast<double>(bias_bytes(p));
  all["dram.write"] = matrix(p, Operand::c) + packed;
  for (const std::string level : {"registers", "shared", "l1", "l2", "dram"}) {
    all[level + ".intensity"] = flops(p) / (all[level + ".read"] + all[level + ".write"]);
  }
  all["waves.count"] = waves_walked(a);
  return all;
}

}  // namespace tilescope::model
