// Splits PTX text into tokens. A mnemonic with its modifiers (`ld.global.v4.f32`) is one token, and
// so is a special register with its axis (`%tid.x`).
#pragma once
#include <cstddef>
#include <string_view>

namespace tilescope::emulator {

enum class TokenKind : unsigned char { end, word, directive, number, string, punctuation, bad };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // into the source text; a string's without quotes
  int line = 1;           // 1-based
  bool is(char c) const { return kind == TokenKind::punctuation && text[0] == c; }
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token& peek() const { return token_; }
  Token take() {
    Token t = token_;
    advance();
    return t;
  }

 private:
  void advance();
  void skip_blanks();
  bool ends_string(size_t i) const;
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  size_t pos_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace tilescope::emulator
