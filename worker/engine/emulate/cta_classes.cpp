#include "worker/engine/emulate/cta_classes.h"

#include <map>
#include <tuple>

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

}  // namespace

std::vector<CtaClass> cta_classes(const KernelPlan& plan, const Problem& problem) {
  const auto rows =
      group_lines(problem, Operand::a, plan.work.raster.tiles_m, plan.block_m, problem.m);
  const auto cols =
      group_lines(problem, Operand::b, plan.work.raster.tiles_n, plan.block_n, problem.n);
  std::vector<CtaClass> classes;
  for (const auto& [row_key, row] : rows) {
    for (const auto& [col_key, col] : cols) {
      const Coord tile{row.first, col.first};
      const BlockIndex at = block_index(launch_of(plan), first_worker(plan.work, tile).cta);
      classes.push_back({at.x, at.y, tile, row.count * col.count});
    }
  }
  return classes;
}

Rect tile_rect(const KernelPlan& plan, const Problem& problem, Coord tile) {
  const auto [row, col] = block_origin(plan, tile);
  return {row, col, min_of(plan.block_m, problem.m - row), min_of(plan.block_n, problem.n - col)};
}

}  // namespace tilescope::worker
