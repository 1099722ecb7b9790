// The sentence about operands that fit no row.
#include "emulator/compile/lower.h"
#include "emulator/compile/nearest.h"

namespace tilescope::emulator {
namespace {

std::string described(const Function& f, const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::reg: {
      const char* kinds[] = {"predicate ", "16-bit register ", "32-bit register ",
                             "64-bit register ", "128-bit register "};
      return std::string("the ") + kinds[static_cast<int>(f.registers[o.index])] +
             std::string(f.register_names[o.index].substr(0, 40));
    }
    case Operand::Kind::integer:
      return "the number " + std::to_string(o.value);
    case Operand::Kind::real:
      return "a real number";
    case Operand::Kind::vector:
      return "a list of " + std::to_string(o.elements.size());
    case Operand::Kind::address:
      return "an address";
    case Operand::Kind::sink:
      return "'_'";
    case Operand::Kind::variable:
      return "a variable";
    default:
      return "'" + std::string(o.text.substr(0, 40)) + "'";
  }
}

}  // namespace

// The rows that the operands fit longest, and the operand at which they end.
std::string Lowerer::misfit_words(Instance& instance, const Statement& s,
                                  const std::vector<uint16_t>& candidates) {
  size_t most = 0;
  std::vector<uint16_t> nearest;
  for (uint16_t row : candidates) {
    fit(instance, s, RowIndex::get().operands(row));
    if (fitting_ < most && !nearest.empty()) continue;
    if (fitting_ > most) nearest.clear();
    most = fitting_;
    nearest.push_back(row);
  }
  const std::string name = "'" + std::string(s.mnemonic.substr(0, 80)) + "'";
  const std::string what = most < s.operands.size()
                               ? "operand " + std::to_string(most + 1) + " of " + name + " is " +
                                     described(*instance.function, s.operands[most])
                               : name + " has " + std::to_string(s.operands.size()) + " operands";
  return what + ", which fits no form of it that the emulator knows: the nearest " +
         (nearest.size() == 1 ? "is " : "are ") + forms_of(s.mnemonic, nearest) + ".";
}

}  // namespace tilescope::emulator
