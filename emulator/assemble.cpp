// Draft → Code: slots for virtual registers, 32-byte instructions, sites for memory instructions.
#include "emulator/flow.h"

namespace tilescope::emulator {
namespace {

bool has_site(RowKind kind) {
  switch (kind) {
    case RowKind::copy:
    case RowKind::load_global:
    case RowKind::store_global:
    case RowKind::load_shared:
    case RowKind::store_shared:
    case RowKind::load_generic:
    case RowKind::store_generic:
    case RowKind::atomic:
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

}  // namespace

Code assemble(const Draft& draft) {
  Code code;
  Flow flow = find_blocks(draft);
  const Slots slots = assign_slots(draft, flow);
  code.frame_bytes = slots.frame_bytes;
  code.predicates = slots.predicates;
  code.constants = draft.constants;
  code.opcodes = draft.opcodes;
  code.static_shared_bytes = draft.static_shared_bytes;
  code.local_bytes = draft.local_bytes;
  place_constants(code);
  for (uint32_t r : slots.read_unset) {
    if (draft.registers[r] == RegisterClass::predicate) continue;  // all are zeroed
    auto& list = draft.registers[r] == RegisterClass::b64 ? code.zeroed_wide : code.zeroed;
    list.push_back(slots.of_register[r]);
  }
  auto guard_of = [&](const DraftInst& d) -> uint16_t {
    if (d.guard == kNone) return 0;
    return static_cast<uint16_t>((slots.of_register[d.guard] + 1) << 1 | (d.guard_negated ? 1 : 0));
  };
  for (const DraftInst& d : draft.instructions) {
    Inst in;
    in.row = d.row;
    in.guard = guard_of(d);
    std::vector<uint32_t> list;
    for (uint32_t k = 0; k < d.slots; ++k) {
      const DraftSlot& s = draft.slots[d.first_slot + k];
      const uint32_t offset = s.is_constant ? code.constants[s.id].slot : slots.of_register[s.id];
      list.push_back(offset | (s.narrow_base ? kNarrowBase : 0));
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
  }
  for (Block& b : flow.blocks) {
    if (b.guard) b.guard = guard_of(draft.instructions[b.end_inst]);
  }
  code.blocks = std::move(flow.blocks);
  return code;
}

}  // namespace tilescope::emulator
