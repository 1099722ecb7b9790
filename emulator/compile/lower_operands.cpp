#include <bit>

#include "emulator/compile/lower.h"

namespace tilescope::emulator {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }

bool class_fits(RegisterClass c, char letter) {
  switch (letter) {
    case 'p':
    case 'b':
      return c == RegisterClass::predicate;
    case 'h':
      return c == RegisterClass::b16;
    case 'r':
    case 'f':
    case 'x':
    case 'q':
      return c == RegisterClass::b32;
    case 'l':
    case 'd':
    case 'y':
      return c == RegisterClass::b64;
    case 'w':
      return c == RegisterClass::b128;
    case 'z':
      return c == RegisterClass::b16 || c == RegisterClass::b32;
    case 'u':
      return c != RegisterClass::predicate;
    case 'v':
      return c == RegisterClass::b32 || c == RegisterClass::b64;
    default:
      return false;
  }
}
bool is_wide(char letter) {
  return letter == 'l' || letter == 'd' || letter == 'y' || letter == 'w';
}

// How wide the register of a slot is, where a row takes several.
uint32_t width_mark(RegisterClass c, char letter) {
  if (letter != 'u' && letter != 'v') return 0;
  return c == RegisterClass::b64 ? kSlot64 : c == RegisterClass::b32 ? kSlot32 : 0;
}

}  // namespace

std::optional<Special> find_special(std::string_view name) {
  static const std::unordered_map<std::string_view, Special> names = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%dynamic_smem_size", Special::dynamic_shared_bytes},
      {"%total_smem_size", Special::total_shared_bytes},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%cluster_nctarank", Special::cluster_nctarank},
      {"%is_explicit_cluster", Special::is_explicit_cluster},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%aggr_smem_size", Special::total_shared_bytes},
      {"%reserved_smem_offset_begin", Special::zero},
      {"%reserved_smem_offset_end", Special::zero},
      {"%reserved_smem_offset_cap", Special::zero},
      {"%reserved_smem_offset_0", Special::zero},
      {"%reserved_smem_offset_1", Special::zero},
      {"%current_graph_exec", Special::zero},
      {"%clock_hi", Special::zero},
      {"%globaltimer_hi", Special::zero},
      {"%clock", Special::clock},
      {"%clock64", Special::clock},
      {"%globaltimer", Special::clock},
      {"%globaltimer_lo", Special::clock},
  };
  auto it = names.find(name);
  if (it != names.end()) return it->second;
  // Environment registers and performance counters that nobody has set.
  if (name.starts_with("%envreg") || name.starts_with("%pm")) return Special::zero;
  return std::nullopt;
}

void Lowerer::add_slot(uint32_t id, bool is_constant, bool written, uint32_t mark) {
  slots_.push_back({id, is_constant, written, false, mark});
}

uint32_t Lowerer::fresh_register(RegisterClass c) {
  draft_.registers.push_back(c);
  return static_cast<uint32_t>(draft_.registers.size()) - 1;
}

uint32_t Lowerer::constant(Constant c) {
  const int key = static_cast<int>(c.kind) * 4 + c.is_predicate * 2 + c.wide;
  auto [it, is_new] = constants_.try_emplace({key, c.bytes, c.is_signed, c.wide, c.value},
                                             static_cast<uint32_t>(draft_.constants.size()));
  if (is_new) draft_.constants.push_back(c);
  return it->second;
}

Lowerer::Place Lowerer::allocate(const Variable& v, uint32_t module_index) {
  auto place = [&](uint32_t& top) {
    const uint64_t at = (uint64_t{top} + v.align - 1) & ~uint64_t{v.align - 1};
    if (at + v.bytes > kOffsetMask >> 9) {
      error(v.line, "PTX line " + std::to_string(v.line) + ": the variables before '" +
                        std::string(v.name.substr(0, 60)) + "' take too much memory.");
      return uint64_t{0};
    }
    top = static_cast<uint32_t>(at + v.bytes);
    return at;
  };
  switch (v.space) {
    case VariableSpace::shared:
      return {Place::Kind::shared, place(draft_.static_shared_bytes)};
    case VariableSpace::local:
    case VariableSpace::parameter:
      return {Place::Kind::local, place(frame_->bytes)};
    default:
      return {Place::Kind::device, uint64_t{kModuleRegions + module_index} << kRegionShift};
  }
}

Lowerer::Place Lowerer::place_of(Instance& instance, uint32_t variable) {
  if (variable & kModuleVariable) {
    const uint32_t index = variable & ~kModuleVariable;
    Place& place = module_places_[variable];
    if (module_.variables[index].space == VariableSpace::shared) {
      return shared_place(*instance.function, variable);
    }
    if (place.kind == Place::Kind::none) place = allocate(module_.variables[index], index);
    return place;
  }
  if (instance.function->variables[variable].space == VariableSpace::shared) {
    return shared_place(*instance.function, variable);
  }
  Place& place = instance.places[variable];
  if (place.kind == Place::Kind::none) place = allocate(instance.function->variables[variable], 0);
  return place;
}

// Bits of a constant operand in a register of the letter's kind.
std::optional<uint64_t> Lowerer::value_of(Instance& instance, const Operand& o, char letter) {
  if (o.kind == Operand::Kind::variable) {
    const Place place = place_of(instance, o.index);
    if (place.kind == Place::Kind::local && frame_->base != kNone) return std::nullopt;
    uint64_t address = place.address + static_cast<uint64_t>(o.value);
    if (place.kind == Place::Kind::entry_parameter) {
      address += uint64_t{kParameterRegion} << kRegionShift;
    }
    return address;
  }
  if (o.kind == Operand::Kind::real) {
    const double value = o.single ? std::bit_cast<float>(static_cast<uint32_t>(o.value))
                                  : std::bit_cast<double>(o.value);
    if (is_wide(letter)) return std::bit_cast<uint64_t>(value);
    if (letter == 'h' || letter == 'z' || letter == 'u' || letter == 'p') return std::nullopt;
    return o.single ? static_cast<uint64_t>(o.value)
                    : std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  if (o.kind == Operand::Kind::name && is_wide(letter)) {  // a function's address
    const auto function = graph_.find(o.text);
    if (!function) return std::nullopt;
    return kFunctionWindow + 16 * (uint64_t{*function} + 1);
  }
  if (o.kind != Operand::Kind::integer) return std::nullopt;
  if (letter == 'p') return o.value ? 0xffffffffu : 0u;
  if (letter == 'f') return std::bit_cast<uint32_t>(static_cast<float>(o.value));
  if (letter == 'd') return std::bit_cast<uint64_t>(static_cast<double>(o.value));
  if (letter == 'h') return static_cast<uint16_t>(o.value);
  return is_wide(letter) ? static_cast<uint64_t>(o.value) : static_cast<uint32_t>(o.value);
}

uint32_t Lowerer::negate(Instance& instance, uint32_t reg, int line) {
  (void)instance;
  const uint32_t result = fresh_register(RegisterClass::predicate);
  DraftInst inst;
  inst.row = rows("not.pred").front();
  inst.line = line;
  inst.opcode = kSynthetic;
  inst.first_slot = static_cast<uint32_t>(draft_.slots.size());
  inst.slots = 2;
  draft_.slots.push_back({result, false, true});
  draft_.slots.push_back({reg, false, false});
  draft_.instructions.push_back(inst);
  return result;
}

bool Lowerer::fit_register(Instance& instance, const OperandPattern& pattern, const Operand& o) {
  const char letter = lower(pattern.letter);
  const bool written = is_upper(pattern.letter);
  const RegisterClass natural = letter == 'p' || letter == 'b' ? RegisterClass::predicate
                                : is_wide(letter)              ? RegisterClass::b64
                                                               : RegisterClass::b32;
  if (o.has_second && letter != 'q' && letter != 'b') return false;
  if (letter == 'w' && o.kind != Operand::Kind::reg && o.kind != Operand::Kind::sink) return false;
  if (o.kind == Operand::Kind::sink) {
    if (!written) return false;
    add_slot(fresh_register(natural), false, true, width_mark(natural, letter));
    if (letter == 'w') add_slot(fresh_register(natural), false, true);
  } else if (o.kind == Operand::Kind::reg) {
    const RegisterClass actual = instance.function->registers[o.index];
    if (!class_fits(actual, letter)) return false;
    if (o.negated && (written || letter != 'p')) return false;
    uint32_t reg = instance.first_register + o.index;
    add_slot(reg, false, written, width_mark(actual, letter));
    slots_.back().also_read = pattern.also_read;
    if (letter == 'w') add_slot(reg + 1, false, written);
  } else if (o.kind == Operand::Kind::special) {
    const auto special = find_special(o.text);
    const bool is_predicate = special == Special::is_explicit_cluster;
    if (written || is_predicate != (letter == 'p') || !special || *special == Special::clock) {
      return false;
    }
    add_slot(constant({.kind = Constant::Kind::special,
                       .wide = is_wide(letter),
                       .is_predicate = is_predicate,
                       .value = static_cast<uint64_t>(*special)}),
             true, false, width_mark(natural, letter));
  } else if (o.kind == Operand::Kind::variable && instance.addresses.contains(o.index) &&
             o.value == 0) {
    if (written || !is_wide(letter)) return false;
    add_slot(instance.addresses[o.index], false, false);
  } else {
    if (written) return false;
    const auto value = value_of(instance, o, letter);
    if (!value) return false;
    const bool wide = is_wide(letter);
    add_slot(constant({.bytes = static_cast<uint8_t>(wide ? 8 : 4),
                       .wide = wide,
                       .is_predicate = letter == 'p',
                       .value = wide ? *value : static_cast<uint32_t>(*value)}),
             true, false, width_mark(natural, letter));
  }
  if (letter == 'q' || letter == 'b') {
    uint32_t p = 0;
    if (o.second == kNone) {
      p = fresh_register(RegisterClass::predicate);
    } else if (instance.function->registers[o.second] == RegisterClass::predicate) {
      p = instance.first_register + o.second;
    } else {
      return false;
    }
    add_slot(p, false, true);
  }
  return true;
}

// Operands that are not written down: the carry flag, the stack pointer.
bool Lowerer::fit_implicit(char letter) {
  if (letter == 'K' || letter == 'k') {
    if (carry_ == kNone) carry_ = fresh_register(RegisterClass::predicate);
    add_slot(carry_, false, letter == 'K');
    return true;
  }
  if (letter != 'S' && letter != 's') return false;
  add_slot(stack_pointer_, false, letter == 'S');
  return true;
}

bool Lowerer::fit_one(Instance& instance, const Statement& s, const OperandPattern& pattern,
                      const Operand& o) {
  switch (pattern.letter) {
    case '_':
      return true;
    case 'A':
      return fit_address(instance, o);
    case 'M':
      return fit_tensor(instance, pattern, o);
    case 'C': {
      const auto special = o.kind == Operand::Kind::special ? find_special(o.text) : std::nullopt;
      return special == Special::clock;
    }
    case 'T': {
      if (o.kind != Operand::Kind::name) return false;
      const auto label = find_label(instance, s, o.text);
      if (!label) return false;
      pending_.target = *label;
      return true;
    }
    case 'N':
      return fit_labels(instance, s, o);
    case '=':
      return o.kind == Operand::Kind::integer && o.value == pattern.value;
    case 'i':
      if (o.kind != Operand::Kind::integer || o.value < INT32_MIN || o.value > UINT32_MAX)
        return false;
      immediates_.push_back(static_cast<int32_t>(o.value));
      return true;
    default:
      break;
  }
  if (pattern.count == 0) return fit_register(instance, pattern, o);
  if (pattern.count == 1 && o.kind != Operand::Kind::vector) {
    return fit_register(instance, pattern, o);
  }
  if (o.kind != Operand::Kind::vector || o.elements.size() != pattern.count) return false;
  OperandPattern element = pattern;
  element.count = 0;
  for (const Operand& e : o.elements) {
    if (!fit_register(instance, element, e)) return false;
  }
  return true;
}

bool Lowerer::fit(Instance& instance, const Statement& s,
                  const std::vector<OperandPattern>& patterns) {
  slots_.clear();
  immediates_.clear();
  pending_ = {};
  size_t used = fitting_ = 0;
  for (const OperandPattern& pattern : patterns) {
    if (fit_implicit(pattern.letter)) continue;
    if (used == s.operands.size() && pattern.optional) {  // missing: all ones
      add_slot(constant({.value = 0xffffffffu}), true, false);
      continue;
    }
    if (used == s.operands.size() || !fit_one(instance, s, pattern, s.operands[used])) return false;
    fitting_ = ++used;
  }
  if (used != s.operands.size()) return false;
  // Negated predicates read a complement made just before. Found by walking the operands again, now
  // that the row is known to fit: trying a row must not emit anything.
  size_t slot = 0, i = 0;
  for (const OperandPattern& pattern : patterns) {
    const char c = pattern.letter;
    const bool implicit = c == 'K' || c == 'k' || c == 'S' || c == 's';
    if (!implicit && i == s.operands.size()) break;
    if (c == 'p' && s.operands[i].negated) {
      if (slots_[slot].is_constant) return false;
      slots_[slot].id = negate(instance, slots_[slot].id, s.line);
    }
    i += implicit ? 0 : 1;
    slot += pattern.slots();
  }
  return true;
}

}  // namespace tilescope::emulator
