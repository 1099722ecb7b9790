#include <algorithm>

#include "emulator/compile/program_impl.h"
#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
std::vector<Instruction> Program::instructions(std::string_view entry) const {
  std::vector<Instruction> all;
  for (const Entry& e : impl_->entries) {
    if (e.info.name != entry) continue;
    const Code& code = e.code;
    for (uint32_t i = 0; i < code.instructions.size(); ++i) {
      const Inst& in = code.instructions[i];
      if (code.info[i].opcode == kSynthetic) continue;
      Instruction instruction;
      instruction.ptx_line = code.info[i].ptx_line;
      instruction.opcode = code.opcodes[code.info[i].opcode];
      uint32_t slot = code.first_operand[i];
      for (const OperandPattern& p : RowIndex::get().operands(in.row)) {
        std::vector<std::string> names;
        for (uint32_t s = 0; s < p.slots() && slot < code.first_operand[i + 1]; ++s, ++slot) {
          const uint32_t o = code.operands[slot];
          if (o != kNoRegister) names.push_back(code.registers[o >> 1].name);
        }
        instruction.operands.push_back(std::move(names));
      }
      all.push_back(std::move(instruction));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Instruction& a, const Instruction& b) {
    return a.ptx_line < b.ptx_line;
  });
  return all;
}

}  // namespace tilescope::emulator
