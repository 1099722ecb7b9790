#include "worker/engine/emulate/cta_classes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/layout/packing.h"
#include "core/model/verification_order.h"
#include "worker/engine/emulate/operands.h"

namespace tilescope::worker {
namespace {

constexpr int kSector = 32;

struct Lines {  // tile rows (or columns) that are alike
  int first = 0;
  uint64_t count = 0;
};
using Key = std::tuple<bool, bool, int, int>;  // edge, at 0, phase in the operand, phase in C

std::map<Key, Lines> group_lines(const Problem& p, Operand operand, int tiles, int block,
                                 int extent) {
  std::map<Key, Lines> groups;
  for (int i = 0; i < tiles; ++i) {
    const int first = i * block;
    const bool rows = operand == Operand::a;
    const auto phase = [&](Operand o, Coord at) {
      return static_cast<int>(global_offset(p, o, at) % kSector);
    };
    const Key key{first + block > extent, i == 0,
                  phase(operand, rows ? Coord{first, 0} : Coord{0, first}),
                  phase(Operand::c, rows ? Coord{first, 0} : Coord{0, first})};
    Lines& lines = groups.try_emplace(key, Lines{i, 0}).first->second;
    ++lines.count;
  }
  return groups;
}

/// A group that stands for so many, with what it works on.
CtaClass class_of(const KernelPlan& plan, int group, uint64_t count) {
  const model::CtaGroup g = model::cta_group(plan, group);
  CtaClass c{{}, g.tiles, g.completed, count};
  for (const int cta : g.ctas) c.ctas.push_back(block_index(launch_of(plan), cta));
  return c;
}

/// The middle one of each of `kSamples` stretches of the grid.
std::vector<CtaClass> sample(const KernelPlan& plan, const Problem& p) {
  constexpr int kSamples = 4;
  const int ctas = plan.work.ctas, samples = min_of(kSamples, ctas);
  std::vector<CtaClass> classes;
  bool completes = false;
  for (int s = 0; s < samples; ++s) {
    const int begin = ctas * s / samples, end = ctas * (s + 1) / samples;
    classes.push_back(
        class_of(plan, begin + (end - begin) / 2, static_cast<uint64_t>(end - begin)));
    completes = completes || std::ranges::any_of(classes.back().completed, [&](Coord tile) {
                  const Rect rect = tile_rect(plan, p, tile);
                  return rect.rows > 0 && rect.cols > 0;
                });
  }
  // Where few tiles are shared by many, or fill clusters up, none of these may store C: there must
  // be something to verify.
  if (!completes) {
    const int first = model::group_of_tile(plan, {0, 0});
    classes.front() = class_of(plan, first, classes.front().count);
  }
  return classes;
}

}  // namespace

std::vector<CtaClass> cta_classes(const KernelPlan& plan, const Problem& given) {
  const Problem problem = problem_read(plan, given);
  if (!classes_are_exact(plan)) return sample(plan, problem);
  const auto rows =
      group_lines(problem, Operand::a, plan.work.raster.tiles_m, plan.block_m, problem.m);
  const auto cols =
      group_lines(problem, Operand::b, plan.work.raster.tiles_n, plan.block_n, problem.n);
  std::vector<CtaClass> classes;
  for (const auto& [row_key, row] : rows) {
    for (const auto& [col_key, col] : cols) {
      const int group = model::group_of_tile(plan, {row.first, col.first});
      classes.push_back(class_of(plan, group, row.count * col.count));
    }
  }
  return classes;
}

bool classes_are_exact(const KernelPlan& plan) { return !stays(plan.work); }

std::vector<Coord> tiles_of(const std::vector<CtaClass>& classes) {
  std::vector<Coord> tiles;
  for (const CtaClass& c : classes) tiles.insert(tiles.end(), c.tiles.begin(), c.tiles.end());
  return tiles;
}

uint64_t executed_ctas(const std::vector<CtaClass>& classes) {
  uint64_t ctas = 0;
  for (const CtaClass& c : classes) ctas += c.ctas.size();
  return ctas;
}

Rect tile_rect(const KernelPlan& plan, const Problem& problem, Coord tile) {
  const auto [row, col] = block_origin(plan, tile);
  return {row, col, std::clamp(problem.m - row, 0, plan.block_m),
          std::clamp(problem.n - col, 0, plan.block_n)};
}

}  // namespace tilescope::worker
