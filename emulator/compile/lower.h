// Makes the draft of an entry. Its parts are in lower.cpp (statements), lower_calls.cpp
// (functions), lower_operands.cpp (operands, constants, addresses) and lower_misfit.cpp (the
// sentences about instructions that no row fits).
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "emulator/compile/draft.h"
#include "emulator/compile/row_index.h"

namespace tilescope::emulator {

/// A name in a sentence; a hostile one is cut.
inline std::string quoted(std::string_view text) {
  return "'" + std::string(text.substr(0, 120)) + "'";
}

class Lowerer {
 public:
  Lowerer(const CallGraph& graph, uint32_t entry, const EntryInfo& info, KnownMnemonics& mnemonics,
          std::vector<ParseError>& errors)
      : graph_(graph),
        module_(graph.module()),
        plan_(graph.plan(entry)),
        entry_(module_.functions[entry]),
        info_(info),
        mnemonics_(mnemonics),
        errors_(errors) {}
  Draft run();

 private:
  struct Place {  // of a variable
    enum class Kind : uint8_t { none, shared, local, device, entry_parameter } kind = Kind::none;
    uint64_t address = 0;
  };
  struct Frame {            // local memory of the entry, or of a function that is not inlined
    uint32_t base = kNone;  // register; none: the entry's, at 0
    uint32_t bytes = 0;
    uint32_t size = kNone;  // constant
  };
  struct Instance {  // one copy of a function
    const Function* function = nullptr;
    uint32_t first_register = 0, first_label = 0, end_label = kNone;
    std::vector<Place> places;
    std::unordered_map<uint32_t, uint32_t> addresses;  // variable → register, in a frame that moves
    bool gives_back = false;                           // not inlined
  };

  struct Opcode {  // a mnemonic of this entry
    const KnownMnemonic* known = nullptr;
    uint32_t id = kNone;      // into Draft::opcodes, once one of its instructions is there
    bool has_policy = false;  // `known` is without its .L2::cache_hint
  };

  // lower.cpp
  void inline_function(Instance& instance);
  void statement(Instance& instance, const Statement& s);
  void instruction(Instance& instance, const Statement& s, Opcode& opcode);
  bool without_braces(Instance& instance, const Statement& s, Opcode& opcode);
  bool entry_parameter_load(Instance& instance, const Statement& s, Opcode& opcode);
  std::optional<uint32_t> find_label(const Instance& instance, const Statement& s,
                                     std::string_view name) const;
  void emit(const Instance& instance, const Statement& s, uint16_t row, uint32_t opcode);
  void emit_jump(uint32_t label, int line);
  Opcode& opcode(std::string_view mnemonic);
  const std::vector<uint16_t>& rows(std::string_view mnemonic) {
    return opcode(mnemonic).known->rows;
  }
  uint32_t opcode_id(std::string_view mnemonic, Opcode& opcode);
  uint32_t opcode_id(std::string_view mnemonic) { return opcode_id(mnemonic, opcode(mnemonic)); }
  void error(int line, std::string message, std::string opcode = {});
  static std::string at(const Statement& s) { return "PTX line " + std::to_string(s.line) + ": "; }

  // lower_calls.cpp
  void begin_stack();
  void lower_functions(Frame& entry_frame);
  void lower_function(uint32_t index);
  void call(Instance& instance, const Statement& s);
  void near_call(Instance& instance, const Statement& s, const Function& callee);
  void far_call(Instance& instance, const Statement& s, uint32_t label, uint32_t address);
  void external_call(Instance& instance, const Statement& s, const Function& callee);
  void copy_argument(Instance& instance, const Statement& s, const Operand& o, uint64_t offset,
                     bool to_callee);
  void address_registers(Instance& instance);
  uint32_t function_label(uint32_t function);
  void emit_end(RowKind kind, int line);
  void emit_plain(const char* mnemonic, std::initializer_list<DraftSlot> slots, int32_t immediate,
                  int line);
  DraftSlot wide_constant(uint64_t value);
  DraftSlot later_constant(uint32_t* id);
  void reserve_shared();
  Place shared_place(const Function& f, uint32_t index);
  const Variable& variable(const Function& f, uint32_t index) const;

  // lower_operands.cpp
  /// Slots, immediates and target of a statement's operands for a row; false if they do not fit.
  bool fit(Instance& instance, const Statement& s, const std::vector<OperandPattern>& patterns);
  bool fit_one(Instance& instance, const Statement& s, const OperandPattern& pattern,
               const Operand& o);
  bool fit_register(Instance& instance, const OperandPattern& pattern, const Operand& o);
  bool fit_tensor(Instance& instance, const OperandPattern& pattern, const Operand& o);
  bool fit_address(Instance& instance, const Operand& o);
  bool fit_labels(Instance& instance, const Statement& s, const Operand& o);
  bool fit_implicit(char letter);
  std::string misfit_words(Instance& instance, const Statement& s,
                           const std::vector<uint16_t>& candidates);
  uint32_t negate(Instance& instance, uint32_t reg, int line);
  Place place_of(Instance& instance, uint32_t variable);
  Place allocate(const Variable& v, uint32_t module_index);
  std::optional<uint64_t> value_of(Instance& instance, const Operand& o, char letter);
  uint32_t constant(Constant c);
  uint32_t fresh_register(RegisterClass c);
  void add_slot(uint32_t id, bool is_constant, bool written, uint32_t mark = 0);

  const CallGraph& graph_;
  const Module& module_;
  const CallPlan plan_;
  const Function& entry_;
  const EntryInfo& info_;
  KnownMnemonics& mnemonics_;
  std::vector<ParseError>& errors_;
  Draft draft_;
  uint32_t instances_ = 0;  // functions inlined so far, the entry first
  DraftInst pending_;       // what fit() fills
  size_t fitting_ = 0;      // operands that fitted when fit() was asked last
  std::vector<DraftSlot> slots_;
  std::vector<int32_t> immediates_;
  std::map<std::tuple<int, int, bool, bool, uint64_t>, uint32_t> constants_;
  std::unordered_map<std::string, Opcode, TextHash, std::equal_to<>> opcodes_;
  std::unordered_map<uint32_t, Place> module_places_;
  std::unordered_map<const Variable*, Place> shared_places_;
  std::unordered_map<uint32_t, uint32_t> function_labels_;
  std::vector<uint32_t> waiting_;  // functions whose bodies are still to come
  Frame* frame_ = nullptr;         // of the code that is being made
  uint32_t stack_pointer_ = kNone;
  uint32_t carry_ = kNone;  // the flag of add.cc and the like
};

/// The special register's constant; none if the name is unknown.
std::optional<Special> find_special(std::string_view name);

}  // namespace tilescope::emulator
