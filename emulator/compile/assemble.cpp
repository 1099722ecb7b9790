// Draft → Code: slots for virtual registers, 32-byte instructions, sites for memory instructions.
#include "emulator/compile/control_flow.h"

namespace tilescope::emulator {
namespace {

bool has_site(RowKind kind) {
  switch (kind) {
    case RowKind::copy:
    case RowKind::bulk_load:
    case RowKind::bulk_store:
    case RowKind::load_global:
    case RowKind::store_global:
    case RowKind::load_shared:
    case RowKind::store_shared:
    case RowKind::load_generic:
    case RowKind::store_generic:
    case RowKind::atomic:
    case RowKind::warpgroup_product:
      return true;
    default:
      return false;
  }
}

void place_constants(Code& code) {
  for (Constant& c : code.constants) {
    if (c.is_predicate) {
      c.slot = code.predicates++;
    } else {
      c.slot = code.frame_bytes;
      code.frame_bytes += c.wide ? 256 : 128;
    }
  }
}

// What may be read before it is set. Registers that are kept are shown before they are set, too.
void zero_at_start(const Draft& draft, const Slots& slots, Registers registers, Code& code) {
  const auto zero = [&](uint32_t r) {
    if (draft.registers[r] == RegisterClass::predicate) return;  // all are zeroed
    auto& list = is_wide(draft.registers[r]) ? code.zeroed_wide : code.zeroed;
    list.push_back(slots.of_register[r]);
  };
  if (registers == Registers::packed) {
    for (uint32_t r : slots.read_unset) zero(r);
    return;
  }
  code.register_slots = slots.of_register;
  for (uint32_t r = 0; r < draft.registers.size(); ++r) {
    if (slots.of_register[r] != kNone) zero(r);
  }
}

}  // namespace

void describe_registers(const Draft& draft, Code& code) {
  code.registers.resize(draft.registers.size());
  for (size_t i = 0; i < draft.registers.size(); ++i) {
    RegisterInfo& r = code.registers[i];
    if (i < draft.register_names.size()) {
      r.name = draft.register_names[i].text;
      r.function = draft.register_names[i].function;
    }
    switch (draft.registers[i]) {
      case RegisterClass::predicate:
        r.bits = 1;
        break;
      case RegisterClass::b16:
        r.bits = 16;
        break;
      case RegisterClass::b32:
        r.bits = 32;
        break;
      case RegisterClass::b64:
      case RegisterClass::b128:
        r.bits = 64;
        break;
    }
  }
}

Code assemble(const Draft& draft, Registers registers) {
  Code code;
  Flow flow = find_blocks(draft);
  const Slots slots = assign_slots(draft, flow, registers);
  code.frame_bytes = slots.frame_bytes;
  code.predicates = slots.predicates;
  code.constants = draft.constants;
  code.opcodes = draft.opcodes;
  code.canonical = draft.canonical;
  code.static_shared_bytes = draft.static_shared_bytes;
  code.local_bytes = draft.local_bytes;
  place_constants(code);
  describe_registers(draft, code);
  code.read_unset = slots.read_unset;
  code.first_operand.push_back(0);
  zero_at_start(draft, slots, registers, code);
  auto guard_of = [&](const DraftInst& d) -> uint16_t {
    if (d.guard == kNone) return 0;
    return static_cast<uint16_t>((slots.of_register[d.guard] + 1) << 1 | (d.guard_negated ? 1 : 0));
  };
  const size_t count = draft.instructions.size();
  code.instructions.reserve(count);
  code.info.reserve(count);
  code.guards.reserve(count);
  code.first_operand.reserve(count + 1);
  code.operands.reserve(draft.slots.size());
  std::vector<uint32_t> list;
  for (const DraftInst& d : draft.instructions) {
    Inst in;
    in.row = d.row;
    in.guard = guard_of(d);
    list.clear();
    for (uint32_t k = 0; k < d.slots; ++k) {
      const DraftSlot& s = draft.slots[d.first_slot + k];
      const uint32_t offset = s.is_constant ? code.constants[s.id].slot : slots.of_register[s.id];
      list.push_back(offset | s.mark);
      code.operands.push_back(s.is_constant ? kNoRegister : s.id << 1 | (s.written ? 1u : 0u));
      if (k < 4) in.r[k] = list.back();
    }
    if (d.immediates > 0) in.imm = draft.immediates[d.first_immediate];
    for (uint32_t k = 1; k < d.immediates; ++k) {
      list.push_back(static_cast<uint32_t>(draft.immediates[d.first_immediate + k]));
    }
    if (d.slots > 4 || d.immediates > 1 || list.size() >= 4) {
      in.list = static_cast<uint32_t>(code.lists.size());
      code.lists.insert(code.lists.end(), list.begin(), list.end());
    }
    if (has_site(d.kind)) {
      in.site = code.sites;
      code.sites += d.kind == RowKind::copy ? 2 : 1;
    }
    code.instructions.push_back(in);
    code.info.push_back({d.line, d.opcode});
    code.first_operand.push_back(static_cast<uint32_t>(code.operands.size()));
    code.guards.push_back(d.guard);
  }
  for (Block& b : flow.blocks) {
    if (b.guard) b.guard = guard_of(draft.instructions[b.end_inst]);
    if (b.begin < b.end && draft.instructions[b.begin].kind == RowKind::warp_sync) {
      const DraftInst& d = draft.instructions[b.begin];
      const DraftSlot& s = draft.slots[d.first_slot + d.slots - 1];
      b.members = 1 + (s.is_constant ? code.constants[s.id].slot : slots.of_register[s.id]);
    }
  }
  for (const std::vector<uint32_t>& kept : slots.kept) {
    CallSite& site = code.calls.emplace_back();
    for (uint32_t r : kept) {
      const RegisterClass c = draft.registers[r];
      (c == RegisterClass::predicate ? site.predicates
       : is_wide(c)                  ? site.wide
                                     : site.narrow)
          .push_back(slots.of_register[r]);
    }
  }
  if (draft.stack_pointer != kNone) code.stack_pointer = slots.of_register[draft.stack_pointer];
  code.functions.assign(draft.module_functions, kNone);
  for (const auto& [function, label] : draft.functions) {
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      if (flow.blocks[b].begin == draft.labels[label]) {
        code.functions[function] = b;
        break;
      }
    }
  }
  code.targets = std::move(flow.targets);
  code.blocks = std::move(flow.blocks);
  return code;
}

}  // namespace tilescope::emulator
