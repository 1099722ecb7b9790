// What names stand for at a place of host code.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/own/cu_tokens.h"

namespace tilescope::worker {

/// Walked through from the first token to the last: scopes open and close, declarations are
/// remembered.
class HostValues {
 public:
  /// Reads which names are changed after their declaration: nothing is known of these.
  explicit HostValues(const std::vector<CuToken>& tokens);

  /// Takes note of what begins at a token. Behind it nothing is to be skipped.
  void pass(size_t i);

  /// The tokens as an expression in which names that stand for something are followed by it:
  /// put_in() makes a plain one of it.
  std::string expression(size_t begin, size_t end) const;
  using Sizes = std::array<std::string, 3>;
  /// Of a dim3, or of one number for x: "dim3(a, b)", "{a, b}", the name of one, an expression.
  Sizes sizes(size_t begin, size_t end) const;

 private:
  static constexpr int kMostTokens = 4096;
  struct Value {
    std::optional<std::string> text;  // nothing: the name has a value that nobody knows here
    std::optional<Sizes> sizes;
  };
  struct Macro {
    std::vector<std::string> parameters;
    std::vector<CuToken> body;
  };
  using Arguments = std::map<std::string, std::string, std::less<>>;
  /// What one expression may still take: macros that name others twice are not to take for ever.
  struct Expansion {
    int tokens = kMostTokens, depth = 0;
    std::vector<const Macro*> open;  // their own names stay in them, as C has it
  };

  const CuToken& at(size_t i) const;
  const Value* find(std::string_view name) const;
  void define(const CuToken& directive);
  void enter(size_t brace);
  void read_function(size_t open);
  void read_variables(size_t i);
  std::string expanded(const std::vector<CuToken>& tokens, size_t begin, size_t end,
                       const Arguments& arguments, Expansion& expansion) const;

  const std::vector<CuToken>& tokens_;
  std::set<std::string, std::less<>> changed_;
  std::vector<std::map<std::string, Value, std::less<>>> scopes_;
  std::map<std::string, Macro, std::less<>> macros_;
};

/// An expression with what names stand for in their place, but for those that are to stay.
std::string put_in(const std::string& expression,
                   const std::set<std::string, std::less<>>& staying = {});

}  // namespace tilescope::worker
