// What a feature answers to what somebody types into the palette.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// Typed again, an answer's title gives the same answer first: the palette remembers it by that.
struct Answer {
  std::string title;   // "stages 4"
  std::string effect;  // what it would do, "3 → 4"; where it cannot: why, and the way out
  int score = 0;       // as match_score() has them (app/state/match.h)
  std::function<void(AppState&)> run = {};  // empty: it cannot
  std::string panel = {};  // its id: brought to the front, since the effect is there
};

/// For what `run` changes beside the edit, which undo goes back over by itself: until the next
/// edit, undo calls `back` first.
void can_take_back(AppState& state, std::function<void(AppState&)> back);

/// Of all features, as they are; `typed` is not empty.
std::vector<Answer> answers_of_features(const AppState& state, std::string_view typed);

}  // namespace tilescope
