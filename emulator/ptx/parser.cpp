#include "emulator/ptx/parser.h"

#include <bit>
#include <charconv>
#include <cstdlib>

#include "emulator/ptx/parser_impl.h"

namespace tilescope::emulator {

std::optional<PtxType> find_type(std::string_view name) {
  static const std::unordered_map<std::string_view, PtxType> types = {
      {"pred", {RegisterClass::predicate, 1}}, {"b8", {RegisterClass::b16, 1}},
      {"u8", {RegisterClass::b16, 1}},         {"s8", {RegisterClass::b16, 1}},
      {"b16", {RegisterClass::b16, 2}},        {"u16", {RegisterClass::b16, 2}},
      {"s16", {RegisterClass::b16, 2}},        {"f16", {RegisterClass::b16, 2}},
      {"bf16", {RegisterClass::b16, 2}},       {"b32", {RegisterClass::b32, 4}},
      {"u32", {RegisterClass::b32, 4}},        {"s32", {RegisterClass::b32, 4}},
      {"f32", {RegisterClass::b32, 4}},        {"f16x2", {RegisterClass::b32, 4}},
      {"bf16x2", {RegisterClass::b32, 4}},     {"tf32", {RegisterClass::b32, 4}},
      {"b64", {RegisterClass::b64, 8}},        {"u64", {RegisterClass::b64, 8}},
      {"b128", {RegisterClass::b128, 16}},     {"s64", {RegisterClass::b64, 8}},
      {"f64", {RegisterClass::b64, 8}},
  };
  auto it = types.find(name);
  if (it == types.end()) return std::nullopt;
  return it->second;
}

std::vector<ParseError> parse_module(std::string_view text, Module& module) {
  return Parser(text, module).run();
}

std::vector<ParseError> Parser::run() {
  while (lexer_.peek().kind != TokenKind::end && errors_.size() < kMaxErrors) {
    const Token before = lexer_.peek();
    try {
      module_item();
    } catch (const Failure&) {
      function_ = nullptr;
      scopes_.clear();
      skip_statement();
      if (lexer_.peek().text.data() == before.text.data()) lexer_.take();  // always get on
    }
  }
  return std::move(errors_);
}

void Parser::fail(int line, std::string message) {
  if (errors_.size() < kMaxErrors) errors_.push_back({line, std::move(message)});
  throw Failure{};
}

void Parser::fail_here(const std::string& expected) {
  const Token& t = lexer_.peek();
  std::string found = t.kind == TokenKind::end ? "the end of the text"
                                               : "'" + std::string(t.text.substr(0, 60)) + "'";
  fail(t.line,
       "PTX line " + std::to_string(t.line) + ": expected " + expected + ", found " + found + ".");
}

void Parser::expect(char c) {
  if (!accept(c)) fail_here("'" + std::string(1, c) + "'");
}

bool Parser::accept(char c) {
  if (!lexer_.peek().is(c)) return false;
  lexer_.take();
  return true;
}

int64_t Parser::integer(bool may_be_negative) {
  const bool negative = may_be_negative && accept('-');
  if (lexer_.peek().kind != TokenKind::number) fail_here("a number");
  const Token t = lexer_.take();
  const Operand n = number(t, negative);
  if (n.kind != Operand::Kind::integer) {
    fail(t.line, "PTX line " + std::to_string(t.line) + ": '" + std::string(t.text.substr(0, 60)) +
                     "' is not a whole number.");
  }
  return n.value;
}

int Parser::small_integer() {
  const int line = lexer_.peek().line;
  const int64_t v = integer();
  if (v < 0 || v > 0x7fffffff) {
    fail(line, "PTX line " + std::to_string(line) + ": " + std::to_string(v) +
                   " is out of range (0 to 2147483647).");
  }
  return static_cast<int>(v);
}

Operand Parser::number(const Token& token, bool negative) {
  std::string_view s = token.text;
  auto bad = [&] {
    fail(token.line, "PTX line " + std::to_string(token.line) + ": '" +
                         std::string(s.substr(0, 60)) + "' is not a number.");
  };
  Operand result;
  auto parse = [&](std::string_view digits, int base) {
    uint64_t v = 0;
    if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) digits.remove_suffix(1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (error != std::errc() || end != digits.data() + digits.size()) bad();
    return v;
  };
  const char second = s.size() > 1 && s[0] == '0' ? s[1] : '\0';
  if (second == 'f' || second == 'F' || second == 'd' || second == 'D') {
    result.kind = Operand::Kind::real;
    result.single = second == 'f' || second == 'F';
    if (s.size() != (result.single ? 10u : 18u)) bad();
    result.value = static_cast<int64_t>(parse(s.substr(2), 16));
    if (negative) result.value ^= result.single ? 0x80000000ll : INT64_MIN;
    return result;
  }
  if (s.find_first_of(".eE") != s.npos && second != 'x' && second != 'X') {
    double d = 0;
    auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), d);
    if (error != std::errc() || end != s.data() + s.size()) bad();
    result.kind = Operand::Kind::real;
    result.value = std::bit_cast<int64_t>(negative ? -d : d);
    return result;
  }
  uint64_t v = 0;
  if (second == 'x' || second == 'X') {
    v = parse(s.substr(2), 16);
  } else if (second == 'b' || second == 'B') {
    v = parse(s.substr(2), 2);
  } else if (second >= '0' && second <= '9') {
    v = parse(s.substr(1), 8);
  } else {
    v = parse(s, 10);
  }
  result.value = static_cast<int64_t>(negative ? 0 - v : v);
  return result;
}

// Up to and with the next `;`, or up to a `}`: where a broken statement most likely ends.
void Parser::skip_statement() {
  while (lexer_.peek().kind != TokenKind::end && !lexer_.peek().is('}')) {
    if (lexer_.take().is(';')) return;
  }
}

void Parser::skip_braces() {
  expect('{');
  for (int depth = 1; depth > 0;) {
    if (lexer_.peek().kind == TokenKind::end) fail_here("'}'");
    const Token t = lexer_.take();
    depth += t.is('{') ? 1 : t.is('}') ? -1 : 0;
  }
}

}  // namespace tilescope::emulator
