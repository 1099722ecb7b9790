// One GEMM set up in the emulator: program, operands in its memory, launch.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/emulator.h"
#include "kernels/registry.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/operands.h"
#include "worker/engine/emulate/reference.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct EmulatedGemm : EmulatedLaunch {
  Problem problem;  // as the kernel reads it: packed operands have other lines than were given
  KernelPlan plan;
  uint64_t a = 0, b = 0, c = 0;          // device addresses of the buffers that the kernel reads
  uint64_t given_a = 0, given_b = 0;     // and of what was given: others, if they are packed
  uint64_t bias = 0;                     // 0 if the problem has none
  uint64_t c_before = 0;                 // C as it was before the run; 0 if beta is 0
  std::optional<emulator::Launch> pass;  // of kPackEntryName, before the kernel
};
inline emulator::Dim3 dim3(BlockIndex at) {
  return {static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z)};
}

/// What the operands' buffers hold before the run.
struct GemmFill {
  DataSpec data;
  std::vector<Coord>
      tiles;  // block tiles to be run: only their rows and columns are filled; empty = all
  int threads = 1;
  bool skip = false;  // leave everything zero: only addresses matter
  int k = 0;          // what the kernel is told, of a problem with more; 0 = the problem's
  bool unpacked =
      false;  // the pass that packs operands is still to be run; else it is as if it had
  emulator::Registers registers = emulator::Registers::packed;
};

/// What a kernel that is told `k`, of the same matrices, does; 0 = the problem's k.
KernelPlan plan_told(const KernelRequest& request, const KernelEntry& kernel, int k);

/// Fails with exit code 4 if the PTX has no such kernel or holds an instruction that the emulator
/// does not know, with 3 if memory does not suffice. C is poisoned with NaN, or random if beta is
/// not 0.
EmulatedGemm prepare_gemm(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const GemmFill& fill);

/// What C must be, of the problem as it was given.
ReferenceInput reference_input(EmulatedGemm& gemm, const Problem& given);

/// The parts of A or B that the block tiles to be run need.
std::vector<Rect> needed_rects(const EmulatedGemm& gemm, const GemmFill& fill, Operand operand);

/// Fails with the fault's sentence (exit code 4), or as cancelled. Names the line of `file`, the
/// kernel's own, instead of the entry's, into which everything was inlined.
[[noreturn]] void fail_with(const emulator::Fault& fault, const emulator::Program& program,
                            const std::string& file,
                            const std::vector<emulator::Finding>& findings = {});
/// A finding as a message, with the lines of `file`.
CodeFinding code_finding(const emulator::Finding& finding, const emulator::Program& program,
                         const std::string& file);
/// All findings as messages. Errors of one kind at one line of `file` become one, with the sum of
/// their counts.
std::vector<CodeFinding> code_findings(const std::vector<emulator::Finding>& findings,
                                       const emulator::Program& program, const std::string& file);

}  // namespace tilescope::worker
