#include "worker/engine/own/cu_tokens.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tilescope::worker {
namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_number_start(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class CuScanner {
 public:
  explicit CuScanner(std::string_view source) : source_(source) {}

  std::vector<CuToken> all() {
    std::vector<CuToken> tokens;
    while (skip_blanks()) {
      const size_t begin = at_;
      const int line = line_;
      const CuToken::Kind kind = one();
      first_of_line_ = false;
      tokens.push_back({kind, source_.substr(begin, at_ - begin), line});
      for (size_t i = begin; i < at_; ++i) line_ += source_[i] == '\n';
    }
    return tokens;
  }

 private:
  char look(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  /// Moves on within blanks and comments alone.
  void step() {
    if (look() == '\n') ++line_, first_of_line_ = true;
    ++at_;
  }
  /// False at the end.
  bool skip_blanks() {
    while (at_ < source_.size()) {
      const char c = look();
      if (c == '/' && look(1) == '/') {
        while (at_ < source_.size() && !(look() == '\n' && source_[at_ - 1] != '\\')) step();
      } else if (c == '/' && look(1) == '*') {
        step(), step();
        while (at_ < source_.size() && !(look() == '*' && look(1) == '/')) step();
        for (int i = 0; i < 2 && at_ < source_.size(); ++i) step();
      } else if (std::isspace(static_cast<unsigned char>(c)) || c == '\0' ||
                 (c == '\\' && (look(1) == '\n' || look(1) == '\r'))) {
        // A line that goes on is no new one for the preprocessor.
        const bool goes_on = c == '\\', first = first_of_line_;
        step();
        if (goes_on) {
          while (look() == '\r') step();
          if (look() == '\n') step();
          first_of_line_ = first;
        }
      } else {
        return true;
      }
    }
    return false;
  }

  /// Moves behind one token.
  CuToken::Kind one() {
    const char c = look();
    if (c == '#' && first_of_line_) {
      directive();
      return CuToken::Kind::directive;
    }
    if (is_number_start(c) || (c == '.' && is_number_start(look(1)))) {
      number();
      return CuToken::Kind::number;
    }
    if (is_letter(c)) {
      const size_t begin = at_;
      while (at_ < source_.size() && is_letter(look())) ++at_;
      const std::string_view word = source_.substr(begin, at_ - begin);
      if (look() != '"') return CuToken::Kind::word;
      if (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R") {
        raw_string();
        return CuToken::Kind::text;
      }
      return CuToken::Kind::word;
    }
    if (c == '"' || c == '\'') {
      quoted(c);
      return CuToken::Kind::text;
    }
    at_ += c == ':' && look(1) == ':' ? 2 : 1;
    return CuToken::Kind::punctuation;
  }

  void number() {
    while (at_ < source_.size()) {
      const char c = look(), before = at_ > 0 ? source_[at_ - 1] : '\0';
      const bool sign = (c == '+' || c == '-') &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && is_letter(look(1));
      if (!is_letter(c) && c != '.' && !sign && !separator) return;
      ++at_;
    }
  }
  void quoted(char quote) {
    ++at_;
    while (at_ < source_.size() && look() != quote && look() != '\n') at_ += look() == '\\' ? 2 : 1;
    at_ = std::min(at_ + (look() == quote ? 1 : 0), source_.size());
  }
  void raw_string() {
    const size_t open = source_.find('(', at_);
    if (open == source_.npos || open - at_ > 17) return quoted('"');
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t end = source_.find(close, open);
    at_ = end == source_.npos ? source_.size() : end + close.size();
  }
  void directive() {
    while (at_ < source_.size() && look() != '\n') {
      if (look() == '/' && look(1) == '/') return;
      if (look() == '/' && look(1) == '*') {
        const size_t end = source_.find("*/", at_ + 2);
        at_ = end == source_.npos ? source_.size() : end + 2;
        continue;
      }
      if (look() == '"' || look() == '\'') {
        const size_t before = at_;
        quoted(look());
        if (at_ == before) ++at_;
        continue;
      }
      const bool goes_on =
          look() == '\\' && (look(1) == '\n' || (look(1) == '\r' && look(2) == '\n'));
      at_ += goes_on ? (look(1) == '\r' ? 3 : 2) : 1;
    }
  }

  std::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_ = true;
};

}  // namespace

std::vector<CuToken> tokens_of(std::string_view source) { return CuScanner(source).all(); }

std::string_view directive_name(const CuToken& directive) {
  std::string_view text = directive.text.substr(1);
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
  size_t end = 0;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view directive_rest(const CuToken& directive) {
  const std::string_view name = directive_name(directive);
  std::string_view rest =
      directive.text.substr(static_cast<size_t>(name.data() - directive.text.data()) + name.size());
  while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0]))) rest.remove_prefix(1);
  return rest;
}

bool is_triple(const std::vector<CuToken>& tokens, size_t i, char c) {
  if (i + 2 >= tokens.size()) return false;
  for (size_t j = i; j < i + 3; ++j) {
    if (tokens[j].kind != CuToken::Kind::punctuation || tokens[j].text[0] != c) return false;
    if (tokens[j].text.data() != tokens[i].text.data() + (j - i)) return false;
  }
  return true;
}

size_t behind_group(const std::vector<CuToken>& tokens, size_t open, size_t end) {
  end = std::min(end, tokens.size());
  const std::string_view opens = tokens[open].text;
  const std::string_view closes = opens == "(" ? ")" : opens == "[" ? "]" : "}";
  int depth = 0;
  std::vector<int> depths;  // at each #if that is open
  for (size_t i = open; i < end; ++i) {
    const CuToken& t = tokens[i];
    if (t.is_directive()) {
      const std::string_view name = directive_name(t);
      if (name.starts_with("if")) depths.push_back(depth);
      // Where the #if stands before the group, the other branch opens it again.
      if (name == "else" || name.starts_with("elif")) depth = depths.empty() ? 0 : depths.back();
      if (name == "endif" && !depths.empty()) depths.pop_back();
    } else if (t.is(opens)) {
      ++depth;
    } else if (t.is(closes) && --depth <= 0) {
      return i + 1;
    }
  }
  return end;
}

size_t behind_angles(const std::vector<CuToken>& tokens, size_t open) {
  constexpr size_t kFarthest = 1000;  // tokens: more is no list of a template that people write
  const size_t end = std::min(tokens.size(), open + kFarthest);
  int depth = 0;
  for (size_t i = open; i < end;) {
    const CuToken& t = tokens[i];
    if (t.is("(") || t.is("[") || t.is("{")) {
      i = behind_group(tokens, i, end);
      continue;
    }
    if (t.is(";") || t.is("}") || t.is(")") || t.is("]")) return open;
    if (t.is("<")) ++depth;
    // The arrow of a trailing type is none, nor is `>=`, which C++ never splits.
    const bool arrow = i > 0 && tokens[i - 1].is("-");
    const bool at_least =
        i + 1 < end && tokens[i + 1].is("=") && tokens[i + 1].text.data() == t.text.data() + 1;
    if (t.is(">") && !arrow && !at_least && --depth == 0) return i + 1;
    ++i;
  }
  return open;
}

}  // namespace tilescope::worker
