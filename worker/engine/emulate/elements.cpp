#include "worker/engine/emulate/elements.h"

#include <algorithm>

#include "core/layout/packing.h"

namespace tilescope::worker {

MatrixLines matrix_lines(const Problem& problem) {
  return {operand_lines(problem, Operand::a), operand_lines(problem, Operand::b),
          operand_lines(problem, Operand::c)};
}

Element element_of(const MatrixLines& lines, emulator::Origin origin) {
  if (origin.buffer < 0 || origin.buffer >= static_cast<int>(lines.size())) return {};
  const Coord at = global_coord(lines[static_cast<size_t>(origin.buffer)],
                                static_cast<long long>(origin.offset));
  if (at.row < 0) return {};  // between the matrix's lines
  return {origin.buffer, at};
}

Element element_of(const EmulatedGemm& gemm, emulator::Origin origin) {
  return element_of(matrix_lines(gemm.problem), origin);
}

emulator::Origin byte_at(emulator::Origin pair, uint64_t address, int element_bytes) {
  if (pair.buffer >= 0 && element_bytes == 1) pair.offset += address % 2;
  return pair;
}

bool is_padding(const EmulatedGemm& gemm, emulator::Origin origin) {
  if (origin.buffer < 0 || origin.buffer > 1) return false;
  return packs(gemm.plan.spec, static_cast<Operand>(origin.buffer)) && !element_of(gemm, origin);
}

InstructionLines::InstructionLines(const emulator::Program& program, std::string_view entry)
    : all_(program.instructions(entry)) {}

const emulator::Instruction* InstructionLines::at(int ptx_line) const {
  const auto it =
      std::lower_bound(all_.begin(), all_.end(), ptx_line,
                       [](const emulator::Instruction& i, int line) { return i.ptx_line < line; });
  return it != all_.end() && it->ptx_line == ptx_line ? &*it : nullptr;
}

bool InstructionLines::has_register(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const emulator::Instruction& in) {
    return std::any_of(in.operands.begin(), in.operands.end(), [&](const auto& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    });
  });
}

}  // namespace tilescope::worker
