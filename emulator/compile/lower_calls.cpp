// Calls: most are inlined. Functions that call themselves, or are called by address, get a body of
// their own and a frame on the lane's stack: results first, then arguments, then what is local.
#include <algorithm>

#include "emulator/compile/lower.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kStackBytes = 32u << 10;  // per lane, beside the entry's own local memory
constexpr uint64_t kFrameAlign = 16;

uint64_t align_up(uint64_t v, uint64_t align) { return (v + align - 1) & ~(align - 1); }

}  // namespace

// Shared variables of all functions that can run, so that the dynamic array starts behind them.
void Lowerer::reserve_shared() {
  const auto is_reserved = [](const Variable& v) {
    return v.space == VariableSpace::shared && !v.is_extern;
  };
  auto all = std::ranges::count_if(module_.variables, is_reserved);
  for (uint32_t index : plan_.reachable) {
    all += std::ranges::count_if(module_.functions[index].variables, is_reserved);
  }
  auto reserve = [&](const Function& f, const Operand& o) {
    if (o.index == kNone ||
        (o.kind != Operand::Kind::variable && o.base != Operand::Kind::variable))
      return;
    if (o.kind != Operand::Kind::variable && o.kind != Operand::Kind::address) return;
    const Variable& v = variable(f, o.index);
    if (is_reserved(v)) shared_place(f, o.index);
  };
  for (uint32_t index : plan_.reachable) {
    const Function& f = graph_.module().functions[index];
    for (const Statement& s : f.statements) {
      if (static_cast<int64_t>(shared_places_.size()) == all) return;  // mostly soon
      for (const Operand& o : s.operands) {
        reserve(f, o);
        for (const Operand& e : o.elements) reserve(f, e);
      }
    }
  }
}

const Variable& Lowerer::variable(const Function& f, uint32_t index) const {
  return index & kModuleVariable ? module_.variables[index & ~kModuleVariable] : f.variables[index];
}

// One place for all copies of a function: what is shared exists once per CTA.
Lowerer::Place Lowerer::shared_place(const Function& f, uint32_t index) {
  const Variable& v = variable(f, index);
  auto [it, is_new] = shared_places_.try_emplace(&v);
  if (is_new) it->second = allocate(v, 0);
  return it->second;
}

void Lowerer::emit_plain(const char* mnemonic, std::initializer_list<DraftSlot> slots,
                         int32_t immediate, int line) {
  DraftInst inst;
  inst.row = rows(mnemonic).front();
  inst.kind = active_rows().rows[inst.row]->kind;
  inst.line = line;
  inst.opcode = kSynthetic;
  inst.first_slot = static_cast<uint32_t>(draft_.slots.size());
  inst.slots = static_cast<uint32_t>(slots.size());
  draft_.slots.insert(draft_.slots.end(), slots.begin(), slots.end());
  inst.first_immediate = static_cast<uint32_t>(draft_.immediates.size());
  inst.immediates = 1;
  draft_.immediates.push_back(immediate);
  draft_.instructions.push_back(inst);
}

DraftSlot Lowerer::wide_constant(uint64_t value) {
  return {constant({.bytes = 8, .wide = true, .value = value}), true, false};
}

// A constant whose value is known later: never shared with an equal one.
DraftSlot Lowerer::later_constant(uint32_t* id) {
  *id = static_cast<uint32_t>(draft_.constants.size());
  draft_.constants.push_back({.bytes = 8, .wide = true});
  return {*id, true, false};
}

// Addresses of the frame's variables that are used as values, where the frame moves.
void Lowerer::address_registers(Instance& instance) {
  if (frame_->base == kNone) return;
  const Function& f = *instance.function;
  for (const Statement& s : f.statements) {
    for (const Operand& o : s.operands) {
      if (o.kind != Operand::Kind::variable || (o.index & kModuleVariable)) continue;
      const VariableSpace space = f.variables[o.index].space;
      if (s.mnemonic.substr(0, 4) == "call" ||
          (space != VariableSpace::local && space != VariableSpace::parameter))
        continue;
      if (instance.addresses.contains(o.index)) continue;
      const Place place = place_of(instance, o.index);
      const uint32_t reg = fresh_register(RegisterClass::b64);
      instance.addresses[o.index] = reg;
      emit_plain("add.s64",
                 {{reg, false, true}, {frame_->base, false, false}, wide_constant(place.address)},
                 0, s.line);
    }
  }
}

void Lowerer::call(Instance& instance, const Statement& s) {
  if (s.operands.size() != 1) return error(s.line, at(s) + "a call names no function.");
  const Operand& target = s.operands[0];
  uint32_t after = kNone;
  if (s.guard != kNone) {  // lanes that do not call go on behind it
    after = static_cast<uint32_t>(draft_.labels.size());
    draft_.labels.push_back(kNone);
    emit_jump(after, s.line);
    draft_.instructions.back().guard = instance.first_register + s.guard;
    draft_.instructions.back().guard_negated = !s.guard_negated;
  }
  if (target.kind == Operand::Kind::reg) {
    if (instance.function->registers[target.index] != RegisterClass::b64) {
      return error(s.line, at(s) + "a call's address must be a 64-bit register.");
    }
    far_call(instance, s, kNone, instance.first_register + target.index);
  } else if (target.kind == Operand::Kind::name) {
    const auto callee = graph_.find(target.text);
    if (!callee) {
      return error(s.line, at(s) + "the function " + quoted(target.text) + " is not declared.");
    }
    const Function& f = module_.functions[*callee];
    if (!f.has_body) {
      external_call(instance, s, f);
    } else if (f.parameters.size() != s.arguments.size() || f.returns.size() != s.returns.size()) {
      return error(s.line,
                   at(s) + "the call of " + quoted(f.name) + " has the wrong number of arguments.");
    } else if (plan_.out_of_line[*callee]) {
      far_call(instance, s, function_label(*callee), kNone);
    } else {
      near_call(instance, s, f);
    }
  } else {
    return error(s.line, at(s) + "a call names no function.");
  }
  if (after != kNone) draft_.labels[after] = static_cast<uint32_t>(draft_.instructions.size());
}

void Lowerer::near_call(Instance& instance, const Statement& s, const Function& callee) {
  Instance inner;
  inner.function = &callee;
  inner.places.resize(callee.variables.size());
  auto pass = [&](const std::vector<Operand>& given, const std::vector<uint32_t>& formal) {
    for (size_t i = 0; i < given.size(); ++i) {  // the callee works on the caller's own variable
      if (given[i].kind != Operand::Kind::variable) {
        error(s.line, at(s) + "an argument of the call of " + quoted(callee.name) +
                          " is not a .param variable.");
        return;
      }
      inner.places[formal[i]] = place_of(instance, given[i].index);
    }
  };
  pass(s.arguments, callee.parameters);
  pass(s.returns, callee.returns);
  inner.end_label = static_cast<uint32_t>(draft_.labels.size());
  draft_.labels.push_back(kNone);
  inline_function(inner);
  draft_.labels[inner.end_label] = static_cast<uint32_t>(draft_.instructions.size());
}

// Copies a .param variable between the caller's frame and the callee's, which begins at the top.
void Lowerer::copy_argument(Instance& instance, const Statement& s, const Operand& o,
                            uint64_t offset, bool to_callee) {
  const Place place = place_of(instance, o.index);
  const Variable& v = variable(*instance.function, o.index);
  const DraftSlot own =
      frame_->base == kNone ? wide_constant(0) : DraftSlot{frame_->base, false, false};
  const DraftSlot top{stack_pointer_, false, false};
  for (uint64_t done = 0; done < v.bytes;) {
    uint64_t step = 8;
    while (step > v.align || step > v.bytes - done) step /= 2;
    const bool wide = step == 8, narrow = step < 4;
    const uint32_t reg = fresh_register(wide     ? RegisterClass::b64
                                        : narrow ? RegisterClass::b16
                                                 : RegisterClass::b32);
    const std::string type = ".b" + std::to_string(8 * step);
    const int32_t here = static_cast<int32_t>(place.address + done);
    const int32_t there = static_cast<int32_t>(offset + done);
    emit_plain(("ld.local" + type).c_str(), {{reg, false, true}, to_callee ? own : top},
               to_callee ? here : there, s.line);
    emit_plain(("st.local" + type).c_str(), {to_callee ? top : own, {reg, false, false}},
               to_callee ? there : here, s.line);
    done += step;
  }
}

void Lowerer::far_call(Instance& instance, const Statement& s, uint32_t label, uint32_t address) {
  uint64_t top = 0;
  std::vector<uint64_t> offsets;
  for (const auto* list : {&s.returns, &s.arguments}) {
    for (const Operand& o : *list) {
      if (o.kind != Operand::Kind::variable || (o.index & kModuleVariable) ||
          place_of(instance, o.index).kind != Place::Kind::local) {
        return error(s.line, at(s) + "an argument of a call is not a .param variable.");
      }
      const Variable& v = variable(*instance.function, o.index);
      offsets.push_back(align_up(top, v.align));
      top = offsets.back() + v.bytes;
    }
  }
  for (size_t i = 0; i < s.arguments.size(); ++i) {
    copy_argument(instance, s, s.arguments[i], offsets[s.returns.size() + i], true);
  }
  DraftInst inst;
  inst.row = rows("call").front();
  inst.kind = RowKind::call;
  inst.target = label;
  inst.line = s.line;
  inst.opcode = opcode_id(s.mnemonic);
  inst.first_slot = static_cast<uint32_t>(draft_.slots.size());
  if (label == kNone) {
    inst.slots = 1;
    draft_.slots.push_back({address, false, false});
  }
  draft_.instructions.push_back(inst);
  for (size_t i = 0; i < s.returns.size(); ++i) {
    copy_argument(instance, s, s.returns[i], offsets[i], false);
  }
}

// A function without a body is a row of its own, named $ and its name: results, then arguments.
void Lowerer::external_call(Instance& instance, const Statement& s, const Function& callee) {
  Statement row = s;
  const std::string mnemonic = "$" + std::string(callee.name);
  row.guard = kNone;
  row.operands.clear();
  for (const auto* list : {&s.returns, &s.arguments}) {
    for (Operand o : *list) {
      o.base = o.kind;
      o.kind = Operand::Kind::address;
      row.operands.push_back(std::move(o));
    }
  }
  for (uint16_t candidate : rows(mnemonic)) {
    if (!fit(instance, row, RowIndex::get().operands(candidate))) continue;
    emit(instance, row, candidate, opcode_id("call " + std::string(callee.name)));
    return;
  }
  error(s.line, at(s) + "the function " + quoted(callee.name) +
                    " has no body in this file, and the emulator has none for it.");
}

uint32_t Lowerer::function_label(uint32_t function) {
  auto [it, is_new] = function_labels_.try_emplace(function);
  if (is_new) {
    it->second = static_cast<uint32_t>(draft_.labels.size());
    draft_.labels.push_back(kNone);
    waiting_.push_back(function);
  }
  return it->second;
}

void Lowerer::emit_end(RowKind kind, int line) {
  DraftInst inst;
  inst.row = rows("ret").front();
  inst.kind = kind;
  inst.line = line;
  inst.opcode = kSynthetic;
  draft_.instructions.push_back(inst);
}

void Lowerer::begin_stack() {
  if (!plan_.uses_stack) return;
  stack_pointer_ = draft_.stack_pointer = fresh_register(RegisterClass::b64);
  draft_.pinned.push_back(stack_pointer_);
  emit_plain("mov.b64", {{stack_pointer_, false, true}, later_constant(&frame_->size)}, 0,
             entry_.line);
}

void Lowerer::lower_function(uint32_t index) {
  const Function& f = module_.functions[index];
  Frame frame;
  frame.base = fresh_register(RegisterClass::b64);
  frame_ = &frame;
  const uint32_t label = function_label(index);
  draft_.labels[label] = static_cast<uint32_t>(draft_.instructions.size());
  draft_.functions.emplace_back(index, label);
  Instance instance;
  instance.function = &f;
  instance.gives_back = true;
  instance.places.resize(f.variables.size());
  for (const auto* list : {&f.returns, &f.parameters}) {
    for (uint32_t v : *list) instance.places[v] = allocate(f.variables[v], 0);
  }
  const DraftSlot top{stack_pointer_, false, false};
  emit_plain("mov.b64", {{frame.base, false, true}, top}, 0, f.line);
  emit_plain("add.s64", {{stack_pointer_, false, true}, top, later_constant(&frame.size)}, 0,
             f.line);
  inline_function(instance);
  emit_end(RowKind::give_back, f.line);
  draft_.constants[frame.size].value = align_up(frame.bytes, kFrameAlign);
}

// The bodies of all functions that are not inlined, behind the entry's.
void Lowerer::lower_functions(Frame& entry_frame) {
  draft_.local_bytes = static_cast<uint32_t>(align_up(entry_frame.bytes, kFrameAlign));
  draft_.module_functions = static_cast<uint32_t>(module_.functions.size());
  if (!plan_.uses_stack) return;
  emit_end(RowKind::leave, entry_.line);
  for (uint32_t f : plan_.reachable) {
    if (plan_.out_of_line[f]) function_label(f);
  }
  for (size_t i = 0; i < waiting_.size(); ++i) lower_function(waiting_[i]);
  draft_.constants[entry_frame.size].value = draft_.local_bytes;
  draft_.local_bytes += kStackBytes;
}

}  // namespace tilescope::emulator
