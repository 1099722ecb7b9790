// Decides whether a mnemonic fits a row's pattern. ptxas takes the modifiers of an instruction in
// nearly any order; the orders that it insists on stand here as data, and were found by trying
// ptxas (tests/emulator/modifier_order_test.cpp).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilescope::emulator {

/// The parts of a text between separators, at most 32 (none if there are more); views into it.
struct Words {
  explicit Words(std::string_view text, char separator);
  std::span<const std::string_view> all() const { return {word.data(), count}; }
  std::array<std::string_view, 32> word;
  uint32_t count = 0;
};

/// True if `alternatives`, as `a|b|c`, has the word.
bool is_one_of(std::string_view word, std::string_view alternatives);

/// True for the words that `$cache` in a pattern stands for: hints, which change no result. Not for
/// `L2::cache_hint`, since that has an operand.
bool is_cache_hint(std::string_view word);
/// True for the words that `$order` in a pattern stands for: memory orders and scopes.
bool is_memory_order(std::string_view word);

/// The words of a mnemonic, and which of them must stay in their order.
class Mnemonic {
 public:
  explicit Mnemonic(std::string_view text);
  const Words& words() const { return words_; }
  /// The last type among them, empty if there is none.
  std::string_view last_type() const;
  /// Whether it fits a Row::pattern. If it does and `canonical` is not null, that becomes the
  /// mnemonic with its words in the pattern's order.
  bool fits(const Words& pattern, std::string* canonical = nullptr) const;
  static bool is_type(std::string_view word);

  /// Whether a word may be the next of a pattern, by its order; `left`: one bit per word not taken
  /// yet.
  bool may_be_taken(uint32_t word, uint32_t left) const;

 private:
  struct Match;
  bool place(Match& match, uint32_t slot, uint32_t left) const;

  Words words_;
  std::array<uint8_t, 32> order_{};  // by word: 0 = free; else words of one number keep their order
};

}  // namespace tilescope::emulator
