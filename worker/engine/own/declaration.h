// One declaration at the level of a namespace: where it ends, and what kind of thing it is.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/engine/own/cu_tokens.h"

namespace tilescope::worker {

class DeviceWords;

struct Declaration {
  enum class Kind {
    function,
    variable,
    type,           // class, struct, union, enum
    alias,          // using, typedef, static_assert, concept
    instantiation,  // template f<1>(…);
    macro,          // NAME(…) alone
    empty
  } kind = Kind::empty;
  size_t begin = 0, end = 0;                 // tokens
  size_t template_at = 0, template_end = 0;  // its `<`, and behind its `>`; 0: none
  size_t parameters_at = 0;                  // the `(` of a function's parameters; 0: none
  size_t name_at = 0;
  std::string name;                                       // of a function, without namespaces
  bool has_device_word = false, has_kernel_word = false;  // outside of its body, or anywhere
  bool has_host_marker = false;                           // it speaks of the host's libraries
  bool is_constexpr = false, is_const = false;
};

/// Of any tokens; `end` is always behind `begin`.
Declaration read_declaration(const std::vector<CuToken>& tokens, size_t begin,
                             const DeviceWords& words);

/// The ranges between commas that stand in no bracket.
std::vector<std::pair<size_t, size_t>> split_tokens(const std::vector<CuToken>& tokens,
                                                    size_t begin, size_t end);

/// "int", "unsigned", "const", …: a word that is a type, or part of one, and nobody's name.
bool is_type_word(std::string_view word);

}  // namespace tilescope::worker
