// What of the edit can be set by typing it: the tile's fields that the kernel has, several of them
// at once, the problem, its types and layout.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

struct Setting {
  std::string title;                // "stages", "block M", "M", "layout"
  std::string also;                 // other names: "block_m"
  std::string group;                // of those that are set together, "block 128x256"; empty: alone
  std::string now;                  // its value, as in `values`
  std::vector<std::string> values;  // all that there are; empty: any number that `put` takes
  bool named = false;               // they have names, by which it is found too
  /// Sets it. Not empty: why it cannot be, one sentence, and nothing is set.
  std::function<std::string(Edit&, std::string_view value)> put;
};

/// Of the present kernel, tile fields first; none of a kernel of one's own.
std::vector<Setting> settings_of(const AppState& state);

/// "f16 → f32", "e5m2 × e4m3 → f32": of A and B, and of C.
std::string types_text(const Types& types);

/// "3 → 4 · ~612 → ~640 TFLOPS": what differs in `next`; or why it cannot be launched.
std::string effect_of(const AppState& state, const Edit& next, std::string_view before,
                      std::string_view after);

/// The numbers of "128x256x64", "4k"; none if it is no list of numbers.
std::vector<std::string> numbers_in(std::string_view word);

}  // namespace tilescope
