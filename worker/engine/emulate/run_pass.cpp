#include "worker/engine/emulate/run_pass.h"

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

}  // namespace

PassRun run_pass(EmulatedGemm& gemm, const GemmFill& fill, emulator::RunOptions options) {
  const emulator::Launch& launch = *gemm.pass;
  PassRun pass;
  uint64_t all = 0;  // with something to do
  for (const Operand o : {Operand::a, Operand::b}) {
    if (packs(gemm.plan.spec, o)) all += packing_of(gemm.plan, gemm.problem, o).ctas();
  }
  if (!fill.tiles.empty()) {
    for (const auto& [x, y] : needed_ctas(gemm, fill)) {
      options.ctas.push_back({static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0});
    }
    pass.whole = false;
  }
  const uint64_t some = pass.whole ? all : options.ctas.size();
  emulator::RunResult ran =
      emulator::run(*gemm.program, kPackEntryName, launch, gemm.memory, std::move(options));
  if (ran.fault) fail_with(*ran.fault, *gemm.program, "common/pack.cuh", ran.findings);
  pass.counts = pass.whole ? std::move(ran.counts) : ran.counts.scaled(all, some);
  pass.counts.ctas = 0;  // those of a run are the kernel's
  pass.seconds = ran.seconds;
  return pass;
}

}  // namespace tilescope::worker
