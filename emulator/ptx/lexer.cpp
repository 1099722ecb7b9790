#include "emulator/ptx/lexer.h"

namespace tilescope::emulator {
namespace {

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool continues_word(char c) { return starts_word(c) || is_digit(c); }

}  // namespace

void Lexer::skip_blanks() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == '\n') {
      ++line_;
      ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '/') {
      while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '*') {
      pos_ += 2;
      while (pos_ < text_.size() && !(text_[pos_] == '*' && at(pos_ + 1) == '/')) {
        if (text_[pos_] == '\n') ++line_;
        ++pos_;
      }
      pos_ = pos_ + 2 < text_.size() ? pos_ + 2 : text_.size();
    } else {
      return;
    }
  }
}

/// A quote that something may follow behind a string. NVRTC writes those of a file's name as they
/// are: `.file 1 "a "b" c.cu"`.
bool Lexer::ends_string(size_t i) const {
  if (at(i) != '"') return false;
  while (at(i + 1) == ' ' || at(i + 1) == '\t' || at(i + 1) == '\r') ++i;
  return i + 1 >= text_.size() ||
         std::string_view(",;\n}/").find(at(i + 1)) != std::string_view::npos;
}

void Lexer::advance() {
  skip_blanks();
  token_ = Token{TokenKind::end, {}, line_};
  if (pos_ >= text_.size()) return;
  const size_t begin = pos_;
  const char c = text_[pos_];
  auto dotted = [&] {  // word characters, with `.part` and `::part` behind
    while (pos_ < text_.size()) {
      if (continues_word(text_[pos_]) || (text_[pos_] == '.' && continues_word(at(pos_ + 1)))) {
        ++pos_;
      } else if (text_[pos_] == ':' && at(pos_ + 1) == ':' && continues_word(at(pos_ + 2))) {
        pos_ += 2;
      } else {
        break;
      }
    }
  };
  if (starts_word(c)) {
    token_.kind = TokenKind::word;
    dotted();
  } else if (c == '.' && continues_word(at(pos_ + 1))) {
    token_.kind = TokenKind::directive;
    dotted();
  } else if (is_digit(c)) {
    token_.kind = TokenKind::number;
    while (pos_ < text_.size()) {
      char d = text_[pos_];
      bool exponent_sign = (d == '+' || d == '-') && pos_ > begin &&
                           (text_[pos_ - 1] == 'e' || text_[pos_ - 1] == 'E') &&
                           !(at(begin) == '0' && starts_word(at(begin + 1)));
      if (!continues_word(d) && d != '.' && !exponent_sign) break;
      ++pos_;
    }
  } else if (c == '"') {
    ++pos_;
    while (pos_ < text_.size() && text_[pos_] != '\n' && !ends_string(pos_)) ++pos_;
    token_.kind = at(pos_) == '"' ? TokenKind::string : TokenKind::bad;
    token_.text = text_.substr(begin + 1, pos_ - begin - 1);
    if (pos_ < text_.size()) ++pos_;
    return;
  } else {
    token_.kind = TokenKind::punctuation;
    ++pos_;
  }
  token_.text = text_.substr(begin, pos_ - begin);
}

}  // namespace tilescope::emulator
