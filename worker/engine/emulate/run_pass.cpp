#include "worker/engine/emulate/run_pass.h"

#include <map>
#include <set>
#include <utility>

#include "core/layout/packing.h"
#include "worker/engine/compile/source.h"

namespace tilescope::worker {
namespace {

/// x and y of the CTAs that write what lies in the rectangles.
std::set<std::pair<int, int>> needed_ctas(const EmulatedGemm& gemm, const GemmFill& fill) {
  std::set<std::pair<int, int>> ctas;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (!packs(gemm.plan.spec, o)) continue;
    const Packing p = packing_of(gemm.plan, gemm.problem, o);
    const bool by_rows = operand_order(gemm.problem, o) == Order::row_major;
    for (const Rect& rect : needed_rects(gemm, fill, o)) {
      const Coord first{by_rows ? rect.row : rect.col, by_rows ? rect.col : rect.row};
      const int lines = by_rows ? rect.rows : rect.cols, along = by_rows ? rect.cols : rect.rows;
      for (int block = first.row / kPackLines; block * kPackLines < first.row + lines; ++block) {
        const int line = block * kPackLines;
        for (int cta = packing_cta(p, {line, first.col});
             cta <= packing_cta(p, {line, first.col + along - 1}); ++cta) {
          ctas.emplace(cta, o == Operand::a ? 0 : 1);
        }
      }
    }
  }
  return ctas;
}

/// CTAs that count the same, and how many there are.
struct PassClass {
  emulator::Dim3 cta;
  uint64_t count = 0;
};

/// Lines differ by where they begin in a cache line; along a line only the ends differ.
std::vector<PassClass> classes_of(const Packing& p, uint32_t y) {
  const int period = pack_period(p);
  std::map<int, std::pair<int, uint64_t>> blocks;  // of lines, by kind: the first, how many
  for (int block = 0; block < ceil_div(p.room_lines, kPackLines); ++block) {
    const int first = block * kPackLines;
    const bool whole = first + kPackLines <= p.lines, zeros = first >= p.lines;
    const bool cut = first + kPackLines > p.room_lines;
    const int kind = whole ? block % period : period + (zeros ? 1 : 0) + (cut ? 2 : 0);
    ++blocks.try_emplace(kind, block, 0).first->second.second;
  }
  const int along = p.ctas_per_line();
  std::vector<std::pair<int, int>> parts = {{0, 1}};  // of a line: the first, how many
  if (along > 2) parts.emplace_back(1, along - 2);
  if (along > 1) parts.emplace_back(along - 1, 1);
  std::vector<PassClass> classes;
  for (const auto& [kind, block] : blocks) {
    for (const auto& [part, count] : parts) {
      classes.push_back({{static_cast<uint32_t>(block.first * along + part), y, 0},
                         block.second * static_cast<uint64_t>(count)});
    }
  }
  return classes;
}

}  // namespace

PassRun run_pass(EmulatedGemm& gemm, const GemmFill& fill, const emulator::RunOptions& options) {
  PassRun pass;
  const auto run = [&](std::vector<emulator::Dim3> ctas) {
    emulator::RunOptions some = options;
    some.ctas = std::move(ctas);
    emulator::RunResult ran =
        emulator::run(*gemm.program, kPackEntryName, *gemm.pass, gemm.memory, some);
    if (ran.fault) fail_with(*ran.fault, *gemm.program, "common/pack.cuh", ran.findings);
    pass.seconds += ran.seconds;
    return std::move(ran.counts);
  };
  if (fill.tiles.empty()) {
    pass.counts = run({});
  } else {
    for (const Operand o : {Operand::a, Operand::b}) {
      const auto y = static_cast<uint32_t>(o == Operand::a ? 0 : 1);
      std::vector<PassClass> classes;
      int busy = 0;
      if (packs(gemm.plan.spec, o)) {
        const Packing p = packing_of(gemm.plan, gemm.problem, o);
        classes = classes_of(p, y);
        busy = p.ctas();
      }
      // The grid is that of the larger operand: the other's last CTAs look and leave.
      const auto idle = gemm.pass->grid.x - static_cast<uint32_t>(busy);
      if (idle > 0) classes.push_back({{static_cast<uint32_t>(busy), y, 0}, idle});
      for (const PassClass& c : classes) pass.counts += run({c.cta}).scaled(c.count);
    }
    std::vector<emulator::Dim3> ctas;
    for (const auto& [x, y] : needed_ctas(gemm, fill)) {
      ctas.push_back({static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0});
    }
    run(std::move(ctas));
  }
  pass.counts.ctas = 0;  // those of a run are the kernel's
  return pass;
}

}  // namespace tilescope::worker
