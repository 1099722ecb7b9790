// The pass that packs operands before a kernel, run in the emulator.
#pragma once
#include "worker/engine/emulate/emulated_gemm.h"

namespace tilescope::worker {

struct PassRun {
  emulator::Counts counts;  // of the whole pass
  double seconds = 0;
};

/// Runs the pass for those parts of the operands that `fill` says the kernel needs, and one CTA of
/// each kind for the counts. The plan must pack an operand. The CTAs in `options` are ignored: they
/// are chosen here. Fails as fail_with does.
PassRun run_pass(EmulatedGemm& gemm, const GemmFill& fill, const emulator::RunOptions& options);

}  // namespace tilescope::worker
