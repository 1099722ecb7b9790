// Operands that say where something is: addresses, boxes of tensors, lists of labels.
#include <algorithm>

#include "emulator/compile/lower.h"

namespace tilescope::emulator {

// A tensor's map and the coordinates of a box.
bool Lowerer::fit_tensor(Instance& instance, const OperandPattern& pattern, const Operand& o) {
  if (o.kind != Operand::Kind::address || o.elements.size() != 1) return false;
  const Operand& at = o.elements[0];
  if (at.kind != Operand::Kind::vector || at.elements.size() != pattern.count) return false;
  Operand map = o;
  map.elements.clear();
  if (!fit_address(instance, map)) return false;
  const OperandPattern coordinate{'r', 0, false, false, 0};
  return std::ranges::all_of(
      at.elements, [&](const Operand& e) { return fit_register(instance, coordinate, e); });
}

bool Lowerer::fit_address(Instance& instance, const Operand& o) {
  if (o.kind != Operand::Kind::address || !o.elements.empty()) return false;
  int64_t offset = o.value;
  if (o.base == Operand::Kind::reg) {
    const RegisterClass c = instance.function->registers[o.index];
    if (c != RegisterClass::b32 && c != RegisterClass::b64) return false;
    add_slot(instance.first_register + o.index, false, false,
             c == RegisterClass::b32 ? kNarrowBase : 0);
  } else if (o.base == Operand::Kind::variable && frame_->base != kNone &&
             place_of(instance, o.index).kind == Place::Kind::local) {
    add_slot(frame_->base, false, false);
    offset += static_cast<int64_t>(place_of(instance, o.index).address);
  } else {
    Operand base = o;
    base.kind = o.base;
    base.value = 0;
    const auto value = value_of(instance, base, 'l');
    if (!value) return false;
    add_slot(constant({.bytes = 8, .wide = true, .value = *value}), true, false);
  }
  immediates_.push_back(static_cast<int32_t>(offset));
  return true;
}

// The branch targets that a label's list names.
bool Lowerer::fit_labels(Instance& instance, const Statement& s, const Operand& o) {
  if (o.kind != Operand::Kind::name) return false;
  const auto label = find_label(instance, s, o.text);
  if (!label) return false;
  const auto list = instance.function->lists.find(*label - instance.first_label);
  if (list == instance.function->lists.end()) return false;
  pending_.first_target = static_cast<uint32_t>(draft_.targets.size());
  for (std::string_view name : list->second) {
    const auto target = find_label(instance, s, name);
    if (!target) return false;
    draft_.targets.push_back(*target);
    ++pending_.targets;
  }
  return pending_.targets > 0;
}

}  // namespace tilescope::emulator
