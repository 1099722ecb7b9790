// Module level: linking words, variables with initialisers, functions' heads, .loc and .file.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "emulator/ptx/parser_impl.h"

namespace tilescope::emulator {
namespace {

// `.param.b32` and `.reg .b32` mean the same: the first part, and the rest without its point.
std::pair<std::string_view, std::string_view> split(std::string_view directive) {
  const size_t point = directive.find('.', 1);
  if (point == directive.npos) return {directive, {}};
  return {directive.substr(0, point), directive.substr(point + 1)};
}

}  // namespace

void Parser::module_item() {
  if (accept(';')) return;
  if (lexer_.peek().kind != TokenKind::directive) fail_here("a directive");
  bool is_extern = false;
  for (;;) {
    const Token t = lexer_.peek();
    auto [name, rest] = split(t.text);
    if (t.kind != TokenKind::directive) fail_here("a directive");
    if (location_directive(t.text)) return;
    lexer_.take();
    if (name == ".visible" || name == ".weak" || name == ".common") continue;
    if (name == ".extern") {
      is_extern = true;
      continue;
    }
    if (name == ".version" || name == ".address_size") {
      if (lexer_.peek().kind != TokenKind::number) fail_here("a number");
      const Token number = lexer_.take();
      if (name == ".address_size" && number.text != "64") {
        fail(t.line,
             "PTX line " + std::to_string(t.line) + ": only 64-bit addresses are supported.");
      }
      return;
    }
    if (name == ".target") {
      do {
        const std::string_view target = lexer_.take().text;  // "sm_90a"
        if (target.starts_with("sm_"))
          module_.target = std::atoi(std::string(target.substr(3)).c_str());
      } while (accept(','));
      return;
    }
    if (name == ".pragma") return skip_statement();
    if (name == ".section") {
      while (!lexer_.peek().is('{') && lexer_.peek().kind != TokenKind::end) lexer_.take();
      return skip_braces();
    }
    if (name == ".entry") return function(true, is_extern);
    if (name == ".func") return function(false, is_extern);
    if (name == ".global") return variables(VariableSpace::global, rest, is_extern, nullptr);
    if (name == ".const") return variables(VariableSpace::constant, rest, is_extern, nullptr);
    if (name == ".shared") return variables(VariableSpace::shared, rest, is_extern, nullptr);
    if (name == ".alias") {
      const std::string_view alias = lexer_.take().text;
      expect(',');
      module_.aliases[alias] = lexer_.take().text;
      return expect(';');
    }
    fail(t.line, "PTX line " + std::to_string(t.line) + ": unknown directive '" +
                     std::string(t.text.substr(0, 60)) + "'.");
  }
}

bool Parser::location_directive(std::string_view name) {
  if (name == ".file") {
    lexer_.take();
    const int number = small_integer();
    if (lexer_.peek().kind != TokenKind::string) fail_here("a file name");
    module_.source_lines.add_file(number, lexer_.take().text);
    while (accept(',')) integer();  // time stamp, size
    return true;
  }
  if (name != ".loc") return false;
  const int ptx_line = lexer_.take().line;
  const int file = small_integer(), line = small_integer(), column = small_integer();
  std::optional<std::tuple<int, int, int>> at;
  while (accept(',')) {
    const Token t = lexer_.take();
    if (t.text == "function_name") {
      lexer_.take();
      if (accept('+')) integer();
    } else if (t.text == "inlined_at") {
      const int f = small_integer(), l = small_integer(), c = small_integer();
      at = {f, l, c};
    } else {
      fail(t.line, "PTX line " + std::to_string(t.line) + ": unknown part of .loc '" +
                       std::string(t.text.substr(0, 60)) + "'.");
    }
  }
  location_ = module_.source_lines.add_location(file, line, column, at ? &*at : nullptr);
  module_.source_lines.set_line(ptx_line, location_);
  return true;
}

void Parser::function(bool is_entry, bool is_extern) {
  Function f;
  f.is_entry = is_entry;
  f.scope_parent.push_back(kNone);
  scopes_.assign(1, Scope{});
  if (!is_entry && accept('(')) {
    parameter_list(f, f.returns);
  }
  if (lexer_.peek().kind != TokenKind::word) fail_here("a function name");
  f.line = lexer_.peek().line;
  f.name = lexer_.take().text;
  if (accept('(')) parameter_list(f, f.parameters);
  function_directives(f);
  const bool has_body = !is_extern && lexer_.peek().is('{');
  if (has_body) {
    body(f);
  } else {
    accept(';');
  }
  f.has_body = has_body;
  scopes_.clear();
  function_ = nullptr;
  module_.functions.push_back(std::move(f));
}

void Parser::function_directives(Function& f) {
  while (lexer_.peek().kind == TokenKind::directive) {
    const Token t = lexer_.take();
    if (t.text == ".noreturn") continue;
    if (t.text == ".explicitcluster") {
      f.clusters.is_explicit = true;
      continue;
    }
    if (t.text == ".pragma") {
      skip_statement();
      continue;
    }
    f.clusters.are_blocks = f.clusters.are_blocks || t.text == ".blocksareclusters";
    if (t.text == ".attribute" || t.text == ".unified" || t.text == ".blocksareclusters") {
      if (accept('(')) {
        while (!accept(')')) {
          if (lexer_.peek().kind == TokenKind::end) fail_here("')'");
          lexer_.take();
        }
      }
      continue;
    }
    const bool threads = t.text == ".maxntid" || t.text == ".reqntid";
    if (!threads && t.text != ".minnctapersm" && t.text != ".maxnreg" &&
        t.text != ".reqnctapercluster" && t.text != ".maxclusterrank" &&
        t.text != ".maxnctapersm" && t.text != ".abi_preserve" &&
        t.text != ".abi_preserve_control") {
      fail(t.line, "PTX line " + std::to_string(t.line) + ": unknown directive '" +
                       std::string(t.text.substr(0, 60)) + "'.");
    }
    uint64_t product = 1;
    std::array<uint32_t, 3> sizes = {1, 1, 1};
    size_t given = 0;
    do {
      const auto size = static_cast<uint32_t>(small_integer());
      if (given < sizes.size()) sizes[given++] = size;
      product = std::min<uint64_t>(product * size, 0xffffffffu);
    } while (accept(','));
    if (threads) {
      f.max_threads = static_cast<uint32_t>(product);
      f.most_block = {sizes[0], sizes[1], sizes[2]};
    }
    if (t.text == ".reqntid") f.required_block = {sizes[0], sizes[1], sizes[2]};
    if (t.text == ".reqnctapercluster") f.clusters.required = {sizes[0], sizes[1], sizes[2]};
    if (t.text == ".maxclusterrank") f.clusters.max_rank = sizes[0];
  }
}

void Parser::parameter_list(Function& f, std::vector<uint32_t>& list) {
  if (accept(')')) return;
  do {
    const Token t = lexer_.take();
    auto [name, rest] = split(t.text);
    if (name != ".param") {
      fail(t.line,
           "PTX line " + std::to_string(t.line) + ": only .param parameters are supported.");
    }
    const uint32_t before = static_cast<uint32_t>(f.variables.size());
    variables(VariableSpace::parameter, rest, false, &f);
    for (uint32_t i = before; i < f.variables.size(); ++i) list.push_back(i);
  } while (accept(','));
  expect(')');
}

uint32_t Parser::declare(Variable v, Function* f) {
  if (f) {
    f->variables.push_back(std::move(v));
    const uint32_t index = static_cast<uint32_t>(f->variables.size()) - 1;
    scopes_.back().variables[f->variables.back().name] = index;
    return index;
  }
  module_.variables.push_back(std::move(v));
  const uint32_t index = static_cast<uint32_t>(module_.variables.size() - 1) | kModuleVariable;
  module_variables_[module_.variables.back().name] = index;
  return index;
}

// After the space: `.align 16 .v2 .f32 name[4][8] = {…}, …;`. Of a parameter, without the end.
void Parser::variables(VariableSpace space, std::string_view rest, bool is_extern, Function* f) {
  Variable v;
  v.space = space;
  v.is_extern = is_extern;
  std::optional<PtxType> type;
  uint32_t elements = 1, align = 0;
  bool is_pointer = false;  // after .ptr, words speak of what the parameter points to
  auto modifier = [&](std::string_view word, int line) {
    if (word == "align") {
      const int64_t a = small_integer();
      if (a < 1 || a > 65536 || !std::has_single_bit(static_cast<uint64_t>(a))) {
        fail(line, "PTX line " + std::to_string(line) + ": alignment " + std::to_string(a) +
                       " is not a power of two up to 65536.");
      }
      if (!is_pointer) align = static_cast<uint32_t>(a);
    } else if (word == "ptr") {
      is_pointer = true;
    } else if (word == "v2" || word == "v4") {
      elements = static_cast<uint32_t>(word[1] - '0');
    } else if (auto found = find_type(word)) {
      type = found;
      v.type = word;
    } else if (word != "global" && word != "shared" && word != "const" && word != "local" &&
               word != "unified" && word != "managed") {
      fail(line, "PTX line " + std::to_string(line) + ": unknown type '." +
                     std::string(word.substr(0, 60)) + "'.");
    }
  };
  auto words = [&](std::string_view text, int line) {
    while (!text.empty()) {
      const size_t point = text.find('.');
      modifier(text.substr(0, point), line);
      text = point == text.npos ? std::string_view() : text.substr(point + 1);
    }
  };
  words(rest, lexer_.peek().line);
  while (lexer_.peek().kind == TokenKind::directive) {
    const Token t = lexer_.take();
    if (t.text == ".attribute") {
      expect('(');
      while (!accept(')')) {
        if (lexer_.peek().kind == TokenKind::end) fail_here("')'");
        lexer_.take();
      }
      continue;
    }
    words(t.text.substr(1), t.line);
  }
  if (!type) fail_here("a type");
  const bool one_only = f && f != function_;  // in a function's head
  do {
    if (lexer_.peek().kind != TokenKind::word) fail_here("a name");
    const Token name = lexer_.take();
    v.name = name.text;
    v.line = name.line;
    const uint32_t element = type->bytes * elements;
    v.align = align ? align : element;
    v.bytes = element;
    v.initial.clear();
    bool open_ended = false;
    while (accept('[')) {
      if (accept(']')) {
        open_ended = true;
        continue;
      }
      const int64_t count = integer();
      expect(']');
      if (count < 0 || static_cast<uint64_t>(count) > kMaxVariableBytes ||
          v.bytes * static_cast<uint64_t>(count) > kMaxVariableBytes) {
        fail(name.line, "PTX line " + std::to_string(name.line) + ": the variable '" +
                            std::string(name.text.substr(0, 60)) + "' is larger than 256 MiB.");
      }
      v.bytes *= static_cast<uint64_t>(count);
    }
    if (accept('=')) {
      initialiser(v, type->bytes);
      if (open_ended) v.bytes = v.initial.size();
    } else if (open_ended) {
      v.bytes = 0;
    }
    declare(v, f);
  } while (!one_only && accept(','));
  if (!one_only) expect(';');
}

void Parser::initialiser(Variable& v, uint32_t element_bytes) {
  int depth = 0;
  v.addresses.clear();
  do {
    while (accept('{')) {
      if (++depth > kMaxDepth) fail_here("fewer nested braces");
    }
    if (depth == 0 || !lexer_.peek().is('}')) initial_value(v, element_bytes);
    if (v.initial.size() > kMaxVariableBytes) fail_here("a shorter initialiser");
    while (depth > 0 && accept('}')) --depth;
  } while (depth > 0 && accept(','));
  while (depth-- > 0) expect('}');
  if (v.bytes != 0 && v.initial.size() > v.bytes) v.initial.resize(v.bytes);
}

// A number, or an address: `name`, `name+8`, `generic(name)+8`, `0xFF00(name)`.
void Parser::initial_value(Variable& v, uint32_t bytes) {
  const bool negative = accept('-');
  AddressInitialiser address{v.initial.size(), bytes, {}, 0, ~uint64_t{0}};
  Token t = lexer_.take();
  Operand n;
  if (t.kind == TokenKind::number) {
    n = number(t, negative);
    if (n.kind == Operand::Kind::real && !n.single && bytes == 4) {
      n.value = std::bit_cast<int32_t>(static_cast<float>(std::bit_cast<double>(n.value)));
    }
    if (accept('(')) {
      address.mask = static_cast<uint64_t>(n.value);
      t = lexer_.take();
    }
  } else if (t.text == "generic" && accept('(')) {
    t = lexer_.take();
  }
  if (t.kind == TokenKind::word) {
    address.symbol = t.text;
    while (accept(')')) {
    }
    if (accept('+')) {
      address.add = integer();
    } else if (accept('-')) {
      address.add = -integer();
    }
    while (accept(')')) {
    }
    v.addresses.push_back(address);
    n.value = 0;
  } else if (t.kind != TokenKind::number) {
    fail(t.line, "PTX line " + std::to_string(t.line) + ": the initialiser '" +
                     std::string(t.text.substr(0, 60)) + "' of '" + std::string(v.name) +
                     "' is neither a number nor an address.");
  }
  for (uint32_t i = 0; i < bytes; ++i) {
    v.initial.push_back(i < 8 ? static_cast<uint8_t>(static_cast<uint64_t>(n.value) >> (8 * i))
                              : 0);
  }
}

}  // namespace tilescope::emulator
