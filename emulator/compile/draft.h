// The draft: what an entry is between PTX text and executable Code. Each instruction has its row of
// the table, calls are inlined and constants have names; registers are still the PTX's virtual
// ones, and branches still go to labels.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/compile/row.h"
#include "emulator/ptx/call_graph.h"
#include "emulator/ptx/module.h"

namespace tilescope::emulator {

struct DraftSlot {
  uint32_t id = 0;  // register, or constant
  bool is_constant = false, written = false;
  bool also_read = false;  // of one that is written
  uint32_t mark = 0;  // kNarrowBase, or kSlot32 and kSlot64: in the low bits of the slot's offset
};

struct DraftInst {
  uint16_t row = 0;
  RowKind kind = RowKind::plain;
  bool guard_negated = false;
  uint32_t guard = kNone;                  // register
  uint32_t target = kNone;                 // label
  uint32_t first_target = 0, targets = 0;  // labels of a jump table, into Draft::targets
  uint32_t first_slot = 0, slots = 0;
  uint32_t first_immediate = 0, immediates = 0;
  uint32_t opcode = 0;
  int line = 0;
};

struct RegisterName {
  std::string_view text;
  uint32_t function = 0;  // as RegisterInfo::function
};

struct Draft {
  std::vector<DraftInst> instructions;
  std::vector<DraftSlot> slots;
  std::vector<int32_t> immediates;
  std::vector<RegisterClass> registers;
  std::vector<RegisterName> register_names;  // of the first ones; the rest have none
  std::vector<Constant> constants;
  std::vector<uint32_t> labels;                 // label → instruction
  std::vector<std::string> opcodes, canonical;  // as Code's
  std::vector<uint32_t> targets;
  std::vector<std::pair<uint32_t, uint32_t>> functions;  // those not inlined: (function, label)
  std::vector<uint32_t> pinned;                          // registers alive from beginning to end
  uint32_t stack_pointer = kNone;                        // register
  uint32_t module_functions = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
};

class KnownMnemonics;
/// Appends to `errors` and returns an unusable draft if anything is wrong.
Draft draft_entry(const CallGraph& graph, uint32_t entry, const EntryInfo& info,
                  KnownMnemonics& mnemonics, std::vector<ParseError>& errors);

}  // namespace tilescope::emulator
