// The tokens of a CUDA C++ text, as far as telling host code from device code needs them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope::worker {

struct CuToken {
  enum class Kind : unsigned char {
    word,  // identifiers and keywords
    number,
    text,         // strings and characters, with their quotes
    punctuation,  // one character; "::" is one
    directive  // a whole line of the preprocessor with its continuations, without comments behind
  } kind{};
  std::string_view text;  // of the source
  int line = 0;           // 1-based, of its first character
  bool is(std::string_view t) const { return text == t && kind != Kind::text; }
  bool is_directive() const { return kind == Kind::directive; }
  bool is_word() const { return kind == Kind::word; }
};

/// Comments are none. Any bytes are taken: what is no token is punctuation, what is not closed ends
/// with the text.
std::vector<CuToken> tokens_of(std::string_view source);

/// Of a directive: "define", "if"; empty of `#` alone.
std::string_view directive_name(const CuToken& directive);
/// What stands behind that name.
std::string_view directive_rest(const CuToken& directive);

/// True if the word stands in a list.
template <size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view word) {
  for (const std::string_view one : list) {
    if (one == word) return true;
  }
  return false;
}

/// True if the tokens from `i` on are `<<<` (or `>>>`) without blanks.
bool is_triple(const std::vector<CuToken>& tokens, size_t i, char c);

/// Behind the group that opens with tokens[open], one of ( [ {. Where #if and #else both close a
/// group, one of them counts. `end` (at most the number of tokens) if nothing before it closes it.
size_t behind_group(const std::vector<CuToken>& tokens, size_t open, size_t end = SIZE_MAX);
/// Behind the `>` of the `<` at tokens[open]; `open` itself if that is an operator.
size_t behind_angles(const std::vector<CuToken>& tokens, size_t open);

}  // namespace tilescope::worker
