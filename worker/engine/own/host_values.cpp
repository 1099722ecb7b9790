#include "worker/engine/own/host_values.h"

#include <algorithm>
#include <iterator>

#include "worker/engine/own/declaration.h"
#include "worker/engine/own/host_code.h"

namespace tilescope::worker {
namespace {

constexpr int kDeepestMacro = 16;             // of macros in macros
constexpr size_t kLongestValue = 4096;        // bytes of an expression: more is left as it stands
constexpr size_t kLongestInitialiser = 1000;  // tokens
constexpr size_t kLongestMacro = 64;          // tokens of a macro that is put in
constexpr std::string_view kIntegers[] = {"int",      "unsigned", "uint",    "long",     "short",
                                          "size_t",   "auto",     "int32_t", "uint32_t", "int64_t",
                                          "uint64_t", "uint16_t", "int16_t", "uint8_t",  "float",
                                          "double",   "signed",   "char",    "bool"};
constexpr std::string_view kQualifiers[] = {"const", "constexpr", "static", "inline", "volatile"};
constexpr std::string_view kStatements[] = {"if",    "for",    "while", "switch",
                                            "catch", "return", "sizeof"};

// Around a name and what it stands for.
constexpr char kName = '\x01', kStandsFor = '\x02', kEndOfName = '\x03';
std::string marked(std::string_view name, const std::string& text) {
  return kName + std::string(name) + kStandsFor + "(" + text + ")" + kEndOfName;
}

bool starts_statement(const std::vector<CuToken>& tokens, size_t i) {
  if (i == 0) return true;
  const CuToken& t = tokens[i - 1];
  return t.is(";") || t.is("{") || t.is("}") || t.is_directive() || t.is("(") || t.is(")");
}

}  // namespace

HostValues::HostValues(const std::vector<CuToken>& tokens) : tokens_(tokens), scopes_(1) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CuToken& t = tokens[i];
    if (t.is_directive()) {
      if (directive_name(t) == "define") define(t);
      continue;
    }
    if (!t.is_word()) continue;
    const CuToken &next = at(i + 1), &after = at(i + 2);
    const bool step =
        (next.is("+") && after.is("+")) || (next.is("-") && after.is("-")) ||
        (i > 1 && at(i - 1).text == at(i - 2).text && (at(i - 1).is("+") || at(i - 1).is("-")));
    const std::string_view op = next.text;
    const bool with_sign = op.size() == 1 &&
                           std::string_view("+-*/%&|^").find(op[0]) != std::string_view::npos &&
                           after.is("=") && !at(i + 3).is("=");
    const bool assigned = next.is("=") && !after.is("=") && starts_statement(tokens, i) &&
                          !(i > 0 && at(i - 1).is("("));
    const bool component = next.is(".") && at(i + 3).is("=") && starts_statement(tokens, i);
    if (step || with_sign || assigned || component) changed_.insert(std::string(t.text));
  }
}

const CuToken& HostValues::at(size_t i) const {
  static constexpr CuToken kNone{CuToken::Kind::punctuation, "", 0};
  return i < tokens_.size() ? tokens_[i] : kNone;
}

const HostValues::Value* HostValues::find(std::string_view name) const {
  if (changed_.contains(name)) return nullptr;
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (const auto found = scopes_[i].find(name); found != scopes_[i].end()) return &found->second;
  }
  return nullptr;
}

// `#define N 128`, `#define CEIL_DIV(a, b) (…)`.
void HostValues::define(const CuToken& directive) {
  const std::string_view rest = directive_rest(directive);
  const std::vector<CuToken> inside = tokens_of(rest);
  if (inside.size() < 2 || !inside[0].is_word() || inside.size() > kLongestMacro) return;
  Macro macro;
  size_t body = 1;
  // Its parameters follow without a blank.
  const bool takes =
      inside[1].is("(") && inside[1].text.data() == inside[0].text.data() + inside[0].text.size();
  if (takes) {
    const size_t end = behind_group(inside, 1);
    for (const auto& [from, to] : split_tokens(inside, 2, end - 1)) {
      if (to != from + 1) return;
      macro.parameters.emplace_back(inside[from].text);
    }
    body = end;
  }
  macro.body.assign(inside.begin() + static_cast<std::ptrdiff_t>(body), inside.end());
  const std::string name = std::string(inside[0].text) + (takes ? "(" : "");
  macros_[name] = std::move(macro);
}

void HostValues::pass(size_t i) {
  const CuToken& t = at(i);
  if (t.is("{")) return enter(i);
  if (t.is("}") && scopes_.size() > 1) {
    scopes_.pop_back();
    return;
  }
  // Not in brackets: those of a function are its parameters.
  const bool begins = i == 0 || at(i - 1).is(";") || at(i - 1).is("{") || at(i - 1).is("}") ||
                      at(i - 1).is_directive();
  if (t.is_word() && begins) read_variables(i);
}

// Parameters of the function that begins here have values that nobody knows.
void HostValues::enter(size_t brace) {
  scopes_.emplace_back();
  size_t i = brace;
  while (i > 0 && (at(i - 1).is("const") || at(i - 1).is("noexcept"))) --i;
  if (i == 0 || !at(i - 1).is(")")) return;
  size_t open = i - 1;
  int depth = 0;
  for (;; --open) {
    if (at(open).is(")")) ++depth;
    if (at(open).is("(") && --depth == 0) break;
    if (open == 0 || brace - open > 4000) return;
  }
  if (open == 0 || !at(open - 1).is_word() || is_one_of(kStatements, at(open - 1).text)) return;
  for (const auto& [from, to] : split_tokens(tokens_, open + 1, i - 1)) {
    size_t end = from;
    while (end < to && !at(end).is("=") && !at(end).is("[")) ++end;
    if (end > from && at(end - 1).is_word()) scopes_.back()[std::string(at(end - 1).text)] = {};
  }
  if (scopes_.size() == 2) read_function(open);
}

// `int ceil_div(int a, int b) { return (a + b - 1) / b; }` is as good as a macro.
void HostValues::read_function(size_t open) {
  const size_t close = behind_group(tokens_, open), brace = close;
  if (!at(brace).is("{") || !at(brace + 1).is("return")) return;
  size_t end = brace + 2;
  while (end < tokens_.size() && !at(end).is(";") && end - brace < kLongestMacro) ++end;
  if (!at(end).is(";") || !at(end + 1).is("}")) return;
  Macro macro;
  for (const auto& [from, to] : split_tokens(tokens_, open + 1, close - 1)) {
    macro.parameters.emplace_back(at(to - 1).text);
  }
  macro.body.assign(tokens_.begin() + static_cast<std::ptrdiff_t>(brace + 2),
                    tokens_.begin() + static_cast<std::ptrdiff_t>(end));
  macros_[std::string(at(open - 1).text) + "("] = std::move(macro);
}

// `const int BM = 64, BN = 64;`, `dim3 grid(…);`
void HostValues::read_variables(size_t i) {
  while (is_one_of(kQualifiers, at(i).text)) ++i;
  const bool is_dim3 = at(i).is("dim3");
  size_t name = i;
  while (at(name).is_word() && is_one_of(kIntegers, at(name).text)) ++name;
  if (at(name).is("std") && at(name + 1).is("::")) name += 3;
  if (is_dim3) ++name;
  if (name == i || !at(name).is_word()) return;
  while (at(name).is_word()) {
    const CuToken& opens = at(name + 1);
    size_t begin = name + 2, end = begin;
    const size_t farthest = begin + kLongestInitialiser;
    if (opens.is("(") || opens.is("{")) {
      end = behind_group(tokens_, name + 1, farthest) - 1;
    } else if (opens.is("=")) {
      while (end < std::min(tokens_.size(), farthest) && !at(end).is(";") && !at(end).is(",")) {
        end = at(end).is("(") || at(end).is("{") || at(end).is("[")
                  ? behind_group(tokens_, end, farthest)
                  : end + 1;
      }
    } else {
      scopes_.back()[std::string(at(name).text)] = {};
      return;
    }
    if (end < begin || end > tokens_.size()) return;
    Value value;
    if (is_dim3) {
      value.sizes = opens.is("=") ? sizes(begin, end) : Sizes{};
      if (!opens.is("=")) {
        size_t part = 0;
        for (const auto& [from, to] : split_tokens(tokens_, begin, end)) {
          if (part < 3) (*value.sizes)[part++] = expression(from, to);
        }
      }
    } else {
      value.text = expression(begin, end);
    }
    scopes_.back()[std::string(at(name).text)] = std::move(value);
    if (!opens.is("=")) ++end;
    if (!at(end).is(",")) return;
    name = end + 1;
  }
}

std::string HostValues::expression(size_t begin, size_t end) const {
  Expansion expansion;
  std::string text = expanded(tokens_, begin, end, {}, expansion);
  return expansion.tokens > 0 ? text : "";
}

std::string HostValues::expanded(const std::vector<CuToken>& tokens, size_t begin, size_t end,
                                 const Arguments& arguments, Expansion& expansion) const {
  std::string text;
  ++expansion.depth;
  end = std::min(end, tokens.size());
  const auto add = [&](std::string_view part) {
    const bool apart = !text.empty() && !part.empty() && text.back() != '(' && part[0] != ')';
    text += (apart ? " " : "") + std::string(part);
  };
  for (size_t i = begin; i < end && text.size() < kLongestValue && expansion.tokens-- > 0; ++i) {
    const CuToken& t = tokens[i];
    const bool member = i > begin && (tokens[i - 1].is(".") || tokens[i - 1].is("::"));
    if (t.is("::") || (t.is("std") && i + 1 < end && tokens[i + 1].is("::"))) continue;
    if (!t.is_word() || (member && tokens[i - 1].is("."))) {
      if (t.is(".")) {
        text += ".";
      } else if (member) {
        text += std::string(t.text);
      } else {
        add(t.text);
      }
      continue;
    }
    if (const auto given = arguments.find(t.text); given != arguments.end()) {
      add("(" + given->second + ")");
      continue;
    }
    if (expansion.depth < kDeepestMacro) {
      const bool call = i + 1 < end && tokens[i + 1].is("(");
      const auto macro = macros_.find(std::string(t.text) + (call ? "(" : ""));
      if (macro != macros_.end() &&
          std::ranges::find(expansion.open, &macro->second) == expansion.open.end()) {
        Arguments inner;
        size_t next = i + 1;
        if (call) {
          next = behind_group(tokens, i + 1, end);
          size_t part = 0;
          for (const auto& [from, to] : split_tokens(tokens, i + 2, next - 1)) {
            if (part >= macro->second.parameters.size()) break;
            inner[macro->second.parameters[part++]] =
                expanded(tokens, from, to, arguments, expansion);
          }
        }
        expansion.open.push_back(&macro->second);
        const std::string text =
            expanded(macro->second.body, 0, macro->second.body.size(), inner, expansion);
        expansion.open.pop_back();
        add(call ? "(" + text + ")" : marked(t.text, text));
        i = next - 1;
        continue;
      }
    }
    const Value* value = find(t.text);
    const bool component = i + 2 < end && tokens[i + 1].is(".") && value && value->sizes;
    if (component) {
      const std::string_view axis = tokens[i + 2].text;
      const size_t which = axis == "x" ? 0 : axis == "y" ? 1 : 2;
      const std::string& size = (*value->sizes)[which];
      add("(" + (size.empty() ? "1" : size) + ")");
      i += 2;
    } else if (value && value->text) {
      add(marked(t.text, *value->text));
    } else {
      add(t.text);
    }
  }
  --expansion.depth;
  if (text.size() > kLongestValue) text.clear();
  return text;
}

HostValues::Sizes HostValues::sizes(size_t begin, size_t end) const {
  Sizes all;
  if (begin >= end) return all;
  if (end == begin + 1) {
    if (const Value* value = find(at(begin).text); value && value->sizes) return *value->sizes;
  }
  size_t open = begin;
  if (at(open).is("dim3")) ++open;
  const bool list = (at(open).is("{") || (open > begin && at(open).is("("))) &&
                    behind_group(tokens_, open) == end;
  if (!list) {
    all[0] = expression(begin, end);
    return all;
  }
  size_t part = 0;
  for (const auto& [from, to] : split_tokens(tokens_, open + 1, end - 1)) {
    if (part < 3) all[part++] = expression(from, to);
  }
  return all;
}

std::string put_in(const std::string& expression,
                   const std::set<std::string, std::less<>>& staying) {
  std::string out;
  int hidden = 0;           // marks within the meaning of a name that stays
  std::vector<bool> hides;  // of the marks that are open
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == kName) {
      const size_t end = expression.find(kStandsFor, i);
      if (end == expression.npos) return {};
      const std::string name = expression.substr(i + 1, end - i - 1);
      const bool stays = staying.contains(name);
      if (hidden == 0 && stays) out += name;
      hides.push_back(stays);
      hidden += stays;
      i = end;
    } else if (c == kEndOfName) {
      if (hides.empty()) return {};
      hidden -= hides.back();
      hides.pop_back();
    } else if (hidden == 0) {
      out += c;
    }
  }
  return out;
}

}  // namespace tilescope::worker
