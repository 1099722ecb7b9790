#include "emulator/compile/lower.h"

#include <algorithm>
#include <utility>

#include "emulator/compile/mnemonic.h"
#include "emulator/compile/nearest.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMaxInstructions = 4u << 20;

}  // namespace

Draft draft_entry(const CallGraph& graph, uint32_t entry, const EntryInfo& info,
                  KnownMnemonics& mnemonics, std::vector<ParseError>& errors) {
  return Lowerer(graph, entry, info, mnemonics, errors).run();
}

Draft Lowerer::run() {
  Frame frame;
  frame_ = &frame;
  Instance instance;
  instance.function = &entry_;
  instance.places.resize(entry_.variables.size());
  for (size_t i = 0; i < entry_.parameters.size(); ++i) {
    instance.places[entry_.parameters[i]] = {Place::Kind::entry_parameter,
                                             info_.parameters[i].offset};
  }
  reserve_shared();
  begin_stack();
  inline_function(instance);
  lower_functions(frame);
  return std::move(draft_);
}

void Lowerer::error(int line, std::string message, std::string opcode) {
  if (errors_.size() < 100) errors_.push_back({line, std::move(message), std::move(opcode)});
}

Lowerer::Opcode& Lowerer::opcode(std::string_view mnemonic) {
  auto it = opcodes_.find(mnemonic);
  if (it != opcodes_.end()) return it->second;
  Opcode& fresh = opcodes_.emplace(mnemonic, Opcode{}).first->second;
  constexpr std::string_view kPolicy = ".L2::cache_hint";
  const size_t policy = mnemonic.find(kPolicy);
  fresh.has_policy = policy != mnemonic.npos;
  fresh.known = &mnemonics_.find(
      fresh.has_policy ? std::string(mnemonic).erase(policy, kPolicy.size()) : mnemonic);
  return fresh;
}

uint32_t Lowerer::opcode_id(std::string_view mnemonic, Opcode& opcode) {
  if (opcode.id == kNone) {
    opcode.id = static_cast<uint32_t>(draft_.opcodes.size());
    draft_.opcodes.emplace_back(mnemonic);
    draft_.canonical.push_back(opcode.known->canonical);
  }
  return opcode.id;
}

void Lowerer::inline_function(Instance& instance) {
  const Function& f = *instance.function;
  instance.first_register = static_cast<uint32_t>(draft_.registers.size());
  draft_.register_names.resize(draft_.registers.size());
  for (std::string_view name : f.register_names) {
    draft_.register_names.push_back({name, instances_});
  }
  ++instances_;
  draft_.registers.insert(draft_.registers.end(), f.registers.begin(), f.registers.end());
  instance.first_label = static_cast<uint32_t>(draft_.labels.size());
  draft_.labels.resize(draft_.labels.size() + f.label_count, kNone);
  address_registers(instance);
  for (const Statement& s : f.statements) {
    if (draft_.instructions.size() > kMaxInstructions) {
      error(s.line, "PTX line " + std::to_string(s.line) +
                        ": the entry has more than 4194304 instructions after inlining its calls.");
      return;
    }
    if (s.label != kNone) {
      draft_.labels[instance.first_label + s.label] =
          static_cast<uint32_t>(draft_.instructions.size());
    } else {
      statement(instance, s);
    }
  }
}

std::optional<uint32_t> Lowerer::find_label(const Instance& instance, const Statement& s,
                                            std::string_view name) const {
  const Function& f = *instance.function;
  for (uint32_t scope = s.scope; scope != kNone; scope = f.scope_parent[scope]) {
    auto it = f.labels.find({scope, name});
    if (it != f.labels.end()) return instance.first_label + it->second;
  }
  return std::nullopt;
}

void Lowerer::statement(Instance& instance, const Statement& s) {
  if (s.mnemonic == "call" || s.mnemonic == "call.uni") return call(instance, s);
  Opcode& known = opcode(s.mnemonic);
  if (!known.has_policy || s.operands.empty()) return instruction(instance, s, known);
  Statement plain = s;  // a cache policy changes nothing here
  plain.operands.pop_back();
  instruction(instance, plain, known);
}

// One value in braces is that value; ptxas takes them of these three. False if there is none.
bool Lowerer::without_braces(Instance& instance, const Statement& s, Opcode& opcode) {
  const auto in_braces = [](const Operand& o) {
    return o.kind == Operand::Kind::vector && o.elements.size() == 1;
  };
  if (!is_one_of(s.mnemonic.substr(0, s.mnemonic.find('.')), "ld|st|mov") ||
      !std::ranges::any_of(s.operands, in_braces)) {
    return false;
  }
  Statement plain = s;
  for (Operand& o : plain.operands) {
    if (!in_braces(o)) continue;
    Operand only = std::move(o.elements[0]);
    o = std::move(only);
  }
  instruction(instance, plain, opcode);
  return true;
}

void Lowerer::instruction(Instance& instance, const Statement& s, Opcode& opcode) {
  const KnownMnemonic& known = *opcode.known;
  if (entry_parameter_load(instance, s, opcode)) return;
  const std::vector<uint16_t>* candidates = &known.rows;
  constexpr std::string_view kParameter = "ld.param";
  if (known.canonical.starts_with(kParameter)) {
    // A parameter of a call lies in the frame; any other is read from the parameter block.
    const Operand* a = s.operands.size() == 2 ? &s.operands[1] : nullptr;
    if (a && a->kind == Operand::Kind::address &&
        (a->base == Operand::Kind::variable
             ? place_of(instance, a->index).kind == Place::Kind::local
             : !instance.function->is_entry)) {
      const size_t part = known.canonical.find('.', kParameter.size());
      candidates =
          &rows("ld.local" + (part == known.canonical.npos ? "" : known.canonical.substr(part)));
    }
  }
  if (candidates->empty()) {
    const std::string missing = missing_family(s.mnemonic);
    error(s.line,
          "PTX line " + std::to_string(s.line) + ": the instruction " + quoted(s.mnemonic) +
              (missing.empty() ? " is not known to the emulator" + nearest_mnemonics(s.mnemonic)
                               : " is " + missing) +
              ".",
          std::string(s.mnemonic.substr(0, 80)));
    return;
  }
  // In an inlined function, ret goes to its end.
  const RowKind kind = active_rows().rows[candidates->front()]->kind;
  if (kind == RowKind::leave && instance.end_label != kNone && s.mnemonic.substr(0, 3) == "ret") {
    const size_t before = draft_.instructions.size();
    emit_jump(instance.end_label, s.line);
    if (draft_.instructions.size() > before) {
      DraftInst& jump = draft_.instructions.back();
      jump.opcode = opcode_id(s.mnemonic, opcode);
      if (s.guard != kNone) {
        jump.guard = instance.first_register + s.guard;
        jump.guard_negated = s.guard_negated;
      }
    }
    return;
  }
  for (uint16_t row : *candidates) {
    if (fit(instance, s, RowIndex::get().operands(row))) {
      emit(instance, s, row, opcode_id(s.mnemonic, opcode));
      if (instance.gives_back && kind == RowKind::leave && s.mnemonic.substr(0, 3) == "ret") {
        draft_.instructions.back().kind = RowKind::give_back;
      }
      return;
    }
  }
  if (without_braces(instance, s, opcode)) return;
  error(s.line, at(s) + misfit_words(instance, s, *candidates));
}

void Lowerer::emit(const Instance& instance, const Statement& s, uint16_t row, uint32_t opcode) {
  DraftInst inst = pending_;
  inst.row = row;
  inst.kind = active_rows().rows[row]->kind;
  inst.line = s.line;
  inst.opcode = opcode;
  if (s.guard != kNone) {
    inst.guard = instance.first_register + s.guard;
    inst.guard_negated = s.guard_negated;
  }
  inst.first_slot = static_cast<uint32_t>(draft_.slots.size());
  inst.slots = static_cast<uint32_t>(slots_.size());
  draft_.slots.insert(draft_.slots.end(), slots_.begin(), slots_.end());
  inst.first_immediate = static_cast<uint32_t>(draft_.immediates.size());
  inst.immediates = static_cast<uint32_t>(immediates_.size());
  draft_.immediates.insert(draft_.immediates.end(), immediates_.begin(), immediates_.end());
  draft_.instructions.push_back(inst);
}

void Lowerer::emit_jump(uint32_t label, int line) {
  DraftInst jump;
  jump.row = rows("bra").front();
  jump.kind = RowKind::branch;
  jump.target = label;
  jump.line = line;
  jump.opcode = kSynthetic;
  draft_.instructions.push_back(jump);
}

// ld.param of a constant address is a move from a register that the launch has filled.
bool Lowerer::entry_parameter_load(Instance& instance, const Statement& s, Opcode& opcode) {
  const std::string_view canonical = opcode.known->canonical;
  if (!canonical.starts_with("ld.param.") || s.operands.size() != 2) return false;
  const Operand& d = s.operands[0];
  const Operand& a = s.operands[1];
  if (d.kind != Operand::Kind::reg || d.has_second || a.kind != Operand::Kind::address ||
      a.base != Operand::Kind::variable) {
    return false;
  }
  const Place place = place_of(instance, a.index);
  if (place.kind != Place::Kind::entry_parameter) return false;
  const std::string_view type = canonical.substr(9);
  uint32_t bits = 0;
  if (type.size() < 2 || std::string_view("busf").find(type[0]) == std::string_view::npos)
    return false;
  for (char c : type.substr(1)) {
    if (c < '0' || c > '9' || bits > 64) return false;
    bits = bits * 10 + static_cast<uint32_t>(c - '0');
  }
  const int64_t offset = static_cast<int64_t>(place.address) + a.value;
  if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || offset < 0 ||
      offset + bits / 8 > info_.parameter_bytes) {
    return false;
  }
  const RegisterClass reg = instance.function->registers[d.index];
  if (reg == RegisterClass::predicate || reg == RegisterClass::b128) return false;
  const bool wide = reg == RegisterClass::b64;
  Constant c{.kind = Constant::Kind::parameter,
             .bytes = static_cast<uint8_t>(bits / 8),
             .is_signed = type[0] == 's',
             .wide = wide,
             .value = static_cast<uint64_t>(offset)};
  slots_.clear();
  immediates_.clear();
  pending_ = {};
  add_slot(instance.first_register + d.index, false, true);
  add_slot(constant(c), true, false);
  const char* move = wide ? "mov.b64" : reg == RegisterClass::b16 ? "mov.b16" : "mov.b32";
  emit(instance, s, rows(move).front(), opcode_id(s.mnemonic, opcode));
  return true;
}

}  // namespace tilescope::emulator
