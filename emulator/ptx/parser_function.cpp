// Function bodies: scopes, registers, labels, instructions and their operands.
#include <algorithm>

#include "emulator/ptx/parser_impl.h"

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMaxRegisters = 1u << 20;
constexpr size_t kMaxStatements = 4u << 20;

}  // namespace

void Parser::body(Function& f) {
  function_ = &f;
  int depth = 1;
  expect('{');
  while (depth > 0) {
    if (lexer_.peek().kind == TokenKind::end) fail_here("'}'");
    if (errors_.size() >= kMaxErrors) throw Failure{};
    if (accept('{')) {
      if (++depth > kMaxDepth) fail_here("fewer nested scopes");
      Scope scope;
      scope.id = static_cast<uint32_t>(f.scope_parent.size());
      f.scope_parent.push_back(scopes_.back().id);
      scopes_.push_back(std::move(scope));
    } else if (accept('}')) {
      --depth;
      if (depth > 0) scopes_.pop_back();
    } else {
      const Token before = lexer_.peek();
      try {
        statement();
      } catch (const Failure&) {
        skip_statement();
        if (lexer_.peek().text.data() == before.text.data() && !before.is('}')) lexer_.take();
      }
    }
  }
}

void Parser::statement() {
  if (accept(';')) return;
  Function& f = *function_;
  if (f.statements.size() > kMaxStatements) fail_here("a shorter function");
  Statement s;
  s.scope = scopes_.back().id;
  s.line = lexer_.peek().line;
  s.location = location_;
  if (lexer_.peek().kind == TokenKind::directive) {
    const Token t = lexer_.peek();
    if (location_directive(t.text)) return;
    lexer_.take();
    const size_t point = t.text.find('.', 1);
    const std::string_view name = t.text.substr(0, point);
    const std::string_view rest =
        point == t.text.npos ? std::string_view() : t.text.substr(point + 1);
    if (name == ".reg") return registers(rest);
    if (name == ".shared") return variables(VariableSpace::shared, rest, false, &f);
    if (name == ".local") return variables(VariableSpace::local, rest, false, &f);
    if (name == ".param") return variables(VariableSpace::parameter, rest, false, &f);
    if (name == ".global") return variables(VariableSpace::global, rest, false, nullptr);
    if (name == ".const") return variables(VariableSpace::constant, rest, false, nullptr);
    if (name == ".pragma" || name == ".callprototype") return skip_statement();
    if (name == ".branchtargets" || name == ".calltargets") return target_list();
    fail(t.line, "PTX line " + std::to_string(t.line) + ": unknown directive '" +
                     std::string(t.text.substr(0, 60)) + "'.");
  }
  if (accept('@')) {
    s.guard_negated = accept('!');
    const Operand guard = operand(0);
    if (guard.kind != Operand::Kind::reg || f.registers[guard.index] != RegisterClass::predicate) {
      fail(s.line,
           "PTX line " + std::to_string(s.line) + ": a guard must be a predicate register.");
    }
    s.guard = guard.index;
  }
  if (lexer_.peek().kind != TokenKind::word) fail_here("an instruction");
  const Token name = lexer_.take();
  if (s.guard == kNone && accept(':')) {
    auto [it, is_new] = f.labels.try_emplace({s.scope, name.text}, f.label_count);
    if (!is_new) {
      fail(s.line, "PTX line " + std::to_string(s.line) + ": the label '" +
                       std::string(name.text.substr(0, 60)) + "' stands twice in this scope.");
    }
    s.label = f.label_count++;
    f.statements.push_back(std::move(s));
    return;
  }
  s.mnemonic = name.text;
  while (lexer_.peek().kind == TokenKind::directive) {
    s.mnemonic = f.made.emplace_back(std::string(s.mnemonic).append(lexer_.take().text));
  }
  instruction(std::move(s));
}

void Parser::instruction(Statement s) {
  if (s.mnemonic == "call" || s.mnemonic == "call.uni") {
    call(s);
  } else if (!lexer_.peek().is(';')) {
    s.operands.reserve(4);  // of most instructions
    do {
      s.operands.push_back(operand(0));
    } while (accept(','));
  }
  expect(';');
  function_->statements.push_back(std::move(s));
}

// call.uni (returns), name, (arguments);  all but the name may be missing
void Parser::call(Statement& s) {
  if (accept('(')) {
    s.returns = operand_list(')');
    expect(',');
  }
  s.operands.push_back(operand(0));
  if (!accept(',')) return;
  if (accept('(')) {
    s.arguments = operand_list(')');
    if (!accept(',')) return;
  }
  operand(0);  // the prototype or list of targets: the arguments say enough
}

// `ts: .branchtargets L1, L2;` after the directive; the label is the statement before.
void Parser::target_list() {
  Function& f = *function_;
  if (f.statements.empty() || f.statements.back().label == kNone) fail_here("a label before it");
  std::vector<std::string_view>& list = f.lists[f.statements.back().label];
  do {
    if (lexer_.peek().kind != TokenKind::word) fail_here("a name");
    list.push_back(lexer_.take().text);
    if (list.size() > 65536) fail_here("fewer targets");
  } while (accept(','));
  expect(';');
}

std::vector<Operand> Parser::operand_list(char close) {
  std::vector<Operand> list;
  if (accept(close)) return list;
  do {
    list.push_back(operand(1));
    if (list.size() > 4096) fail_here("fewer operands");
  } while (accept(','));
  expect(close);
  return list;
}

// `.reg .b32 %r<10>, x;` after `.reg`
void Parser::registers(std::string_view rest) {
  if (rest.empty()) {
    if (lexer_.peek().kind != TokenKind::directive) fail_here("a type");
    rest = lexer_.take().text.substr(1);
  }
  const auto type = find_type(rest);
  if (!type) {
    const int line = lexer_.peek().line;
    fail(line, "PTX line " + std::to_string(line) + ": registers of type '." +
                   std::string(rest.substr(0, 60)) + "' are not supported.");
  }
  do {
    if (lexer_.peek().kind != TokenKind::word) fail_here("a register name");
    const Token name = lexer_.take();
    RegisterName entry{type->register_class, 0};
    if (accept('<')) {
      const int64_t count = integer(false);
      if (count < 1 || static_cast<uint64_t>(count) > kMaxRegisters) {
        fail(name.line, "PTX line " + std::to_string(name.line) + ": " + std::to_string(count) +
                            " registers (1 to 1048576 are supported).");
      }
      entry.count = static_cast<uint32_t>(count);
      expect('>');
    }
    declare(scopes_.back(), name.text, entry);
  } while (accept(','));
  expect(';');
}

void Parser::declare(Scope& scope, std::string_view name, const RegisterName& entry) {
  if (entry.count == 0) {
    scope.singles[name] = entry;
    scope.used.erase(name);
    return;
  }
  const auto same = std::find_if(scope.ranges.begin(), scope.ranges.end(),
                                 [&](const Range& r) { return r.prefix == name; });
  if (same == scope.ranges.end()) {
    scope.ranges.push_back({name, entry, {}});
  } else {
    same->name = entry;
  }
}

std::optional<uint32_t> Parser::find_register(std::string_view name) {
  constexpr uint32_t kMost = 1u << 16;  // larger numbers are rare, and may be a mistake
  constexpr size_t kMostDigits = 8;
  size_t digits = name.size();
  uint32_t number = 0, power = 1;
  while (digits > 0 && is_digit(name[digits - 1]) && name.size() - digits < kMostDigits) {
    --digits;
    number += power * static_cast<uint32_t>(name[digits] - '0');
    power *= 10;
  }
  const size_t length = name.size() - digits;
  const bool numbered = length > 0 && (length == 1 || name[digits] != '0') &&
                        (digits == 0 || !is_digit(name[digits - 1]));
  const std::string_view prefix = name.substr(0, digits);
  const auto add = [&](const RegisterName& declared) {
    function_->registers.push_back(declared.register_class);
    function_->register_names.push_back(name);
    const auto index = static_cast<uint32_t>(function_->registers.size()) - 1;
    if (declared.register_class == RegisterClass::b128) {
      function_->registers.push_back(RegisterClass::b64);
      function_->register_names.push_back(
          function_->made.emplace_back(std::string(name) + " (high)"));
    }
    return index;
  };
  for (size_t i = scopes_.size(); i-- > 0;) {
    Scope& scope = scopes_[i];
    if (!scope.singles.empty()) {
      if (auto it = scope.used.find(name); it != scope.used.end()) return it->second;
      if (auto it = scope.singles.find(name); it != scope.singles.end()) {
        return scope.used.emplace(name, add(it->second)).first->second;
      }
    }
    for (Range& range : scope.ranges) {
      if (!numbered || range.prefix != prefix || number >= range.name.count) continue;
      if (number >= kMost) {
        if (auto it = scope.used.find(name); it != scope.used.end()) return it->second;
        return scope.used.emplace(name, add(range.name)).first->second;
      }
      if (number >= range.used.size()) range.used.resize(number + 1);
      if (range.used[number] == 0) range.used[number] = add(range.name) + 1;
      return range.used[number] - 1;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> Parser::find_variable(std::string_view name) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (auto it = scopes_[i].variables.find(name); it != scopes_[i].variables.end()) {
      return it->second;
    }
  }
  if (auto it = module_variables_.find(name); it != module_variables_.end()) return it->second;
  return std::nullopt;
}

Operand Parser::word_operand(const Token& token) {
  Operand o;
  o.text = token.text;
  if (token.text == "_") {
    o.kind = Operand::Kind::sink;
  } else if (auto reg = find_register(token.text)) {
    o.kind = Operand::Kind::reg;
    o.index = *reg;
  } else if (token.text == "WARP_SZ") {
    o.kind = Operand::Kind::integer;
    o.value = 32;
  } else if (token.text[0] == '%') {
    o.kind = Operand::Kind::special;
  } else if (auto variable = find_variable(token.text)) {
    o.kind = Operand::Kind::variable;
    o.index = *variable;
  } else {
    o.kind = Operand::Kind::name;
  }
  return o;
}

Operand Parser::operand(int depth) {
  if (depth > 2) fail_here("fewer nested braces");
  if (accept('{')) {
    Operand o;
    o.kind = Operand::Kind::vector;
    do {
      o.elements.push_back(operand(depth + 1));
      if (o.elements.size() > 256) fail_here("fewer elements");
    } while (accept(','));
    expect('}');
    return o;
  }
  if (accept('[')) return address();
  if (accept('!')) {
    Operand o = operand(depth + 1);
    o.negated = !o.negated;
    return o;
  }
  const bool negative = accept('-');
  const Token t = lexer_.peek();
  if (t.kind == TokenKind::number) return number(lexer_.take(), negative);
  if (negative || t.kind != TokenKind::word) fail_here("an operand");
  Operand o = word_operand(lexer_.take());
  if (accept('|')) {
    const Token second = lexer_.take();
    if (second.kind != TokenKind::word) fail_here("a predicate");
    const Operand p = word_operand(second);
    o.has_second = true;
    if (p.kind == Operand::Kind::reg) {
      o.second = p.index;
    } else if (p.kind != Operand::Kind::sink) {
      fail(second.line, "PTX line " + std::to_string(second.line) + ": '" +
                            std::string(second.text.substr(0, 60)) + "' is not a register.");
    }
  } else if (o.kind == Operand::Kind::variable && accept('+')) {
    o.value = integer();
  }
  return o;
}

// After `[`: a register, variable or number, and an offset.
Operand Parser::address() {
  Operand o;
  const Token t = lexer_.peek();
  int64_t offset = 0;
  if (t.kind == TokenKind::word) {
    o = word_operand(lexer_.take());
    if (o.kind != Operand::Kind::reg && o.kind != Operand::Kind::variable) {
      fail(t.line, "PTX line " + std::to_string(t.line) + ": unknown address '" +
                       std::string(t.text.substr(0, 60)) + "'.");
    }
    if (accept('+')) {
      offset = integer();
    } else if (accept('-')) {
      offset = -integer();
    }
  } else {
    offset = integer();
    o.kind = Operand::Kind::integer;
  }
  while (accept(',')) {  // coordinates of a texture or tensor
    o.elements.push_back(operand(1));
    if (o.elements.size() > 16) fail_here("fewer coordinates");
  }
  expect(']');
  if (offset < INT32_MIN || offset > INT32_MAX) {
    fail(t.line, "PTX line " + std::to_string(t.line) + ": the offset " + std::to_string(offset) +
                     " does not fit in 32 bits.");
  }
  o.base = o.kind;
  o.kind = Operand::Kind::address;
  o.value = offset;
  return o;
}

}  // namespace tilescope::emulator
