// An entry between PTX and Code: rows are chosen, calls inlined, constants named; registers are
// still virtual and branches still go to labels.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/code.h"
#include "emulator/module.h"
#include "emulator/row.h"

namespace tilescope::emulator {

struct DraftSlot {
  uint32_t id = 0;  // register, or constant
  bool is_constant = false, written = false, narrow_base = false;
};

struct DraftInst {
  uint16_t row = 0;
  RowKind kind = RowKind::plain;
  bool guard_negated = false;
  uint32_t guard = kNone;   // register
  uint32_t target = kNone;  // label
  uint32_t first_slot = 0, slots = 0;
  uint32_t first_immediate = 0, immediates = 0;
  uint32_t opcode = 0;
  int line = 0;
};

struct Draft {
  std::vector<DraftInst> instructions;
  std::vector<DraftSlot> slots;
  std::vector<int32_t> immediates;
  std::vector<RegisterClass> registers;
  std::vector<Constant> constants;
  std::vector<uint32_t> labels;  // label → instruction
  std::vector<std::string> opcodes;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
};

/// Appends to `errors` and returns an unusable draft if anything is wrong.
Draft draft_entry(const Module& module, const Function& entry, const EntryInfo& info,
                  std::vector<ParseError>& errors);

}  // namespace tilescope::emulator
