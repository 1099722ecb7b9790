// Makes the draft of an entry; its two parts are in lower.cpp (statements, calls) and
// lower_operands.cpp (operands, constants, addresses).
#pragma once
#include <map>
#include <optional>
#include <tuple>

#include "emulator/draft.h"
#include "emulator/row_index.h"

namespace tilescope::emulator {

class Lowerer {
 public:
  Lowerer(const Module& module, const Function& entry, const EntryInfo& info,
          std::vector<ParseError>& errors)
      : module_(module), entry_(entry), info_(info), errors_(errors) {}
  Draft run();

 private:
  struct Place {  // of a variable
    enum class Kind : uint8_t { none, shared, local, device, entry_parameter } kind = Kind::none;
    uint64_t address = 0;
  };
  struct Instance {  // one inlined copy of a function
    const Function* function = nullptr;
    uint32_t first_register = 0, first_label = 0, end_label = kNone;
    std::vector<Place> places;
    int depth = 0;
  };

  // lower.cpp
  void inline_function(Instance& instance);
  void statement(Instance& instance, const Statement& s);
  void call(Instance& instance, const Statement& s);
  bool entry_parameter_load(Instance& instance, const Statement& s);
  std::optional<uint32_t> find_label(const Instance& instance, const Statement& s,
                                     std::string_view name) const;
  void emit(const Instance& instance, const Statement& s, uint16_t row, std::string_view opcode);
  void emit_jump(uint32_t label, int line);
  void emit_trap(int line, std::string_view opcode);
  const std::vector<uint16_t>& rows(const std::string& mnemonic);
  uint32_t opcode_id(std::string_view name);
  void error(int line, std::string message);

  // lower_operands.cpp
  /// Slots, immediates and target of a statement's operands for a row; false if they do not fit.
  bool fit(Instance& instance, const Statement& s, const std::vector<OperandPattern>& patterns);
  bool fit_one(Instance& instance, const Statement& s, const OperandPattern& pattern,
               const Operand& o);
  bool fit_register(Instance& instance, const OperandPattern& pattern, const Operand& o);
  bool fit_address(Instance& instance, const Operand& o);
  uint32_t negate(Instance& instance, uint32_t reg, int line);
  Place place_of(Instance& instance, uint32_t variable);
  Place allocate(const Variable& v, uint32_t module_index);
  std::optional<uint64_t> value_of(Instance& instance, const Operand& o, char letter);
  uint32_t constant(Constant c);
  uint32_t fresh_register(RegisterClass c);
  void add_slot(uint32_t id, bool is_constant, bool written, bool narrow = false);

  const Module& module_;
  const Function& entry_;
  const EntryInfo& info_;
  std::vector<ParseError>& errors_;
  Draft draft_;
  DraftInst pending_;  // what fit() fills
  std::vector<DraftSlot> slots_;
  std::vector<int32_t> immediates_;
  std::map<std::tuple<int, int, bool, bool, uint64_t>, uint32_t> constants_;
  std::unordered_map<std::string, std::vector<uint16_t>> rows_;
  std::unordered_map<std::string, uint32_t> opcodes_;
  std::unordered_map<uint32_t, Place> module_places_;
};

/// The special register's constant; none if the name is unknown.
std::optional<Special> find_special(std::string_view name);

}  // namespace tilescope::emulator
