// Options of a feature in the object "view" of a session file, by their names.
#pragma once
#include <nlohmann/json.hpp>

#include "app/state/feature.h"
#include "app/state/json_take.h"

namespace tilescope {

/// `Options::each(view, visit)` calls visit(name, value) for each option of a View, which is the
/// feature's part of the state. What a file lacks, or has of another type, stays;
/// `Options::settle(view)` then puts right what is no option.
template <class View, class Options>
constexpr SessionPart session_of_options() {
  return {[](const AppState& state, nlohmann::json& session) {
            Options::each(state.of<View>(), [&](const char* name, const auto& value) {
              session["view"][name] = value;
            });
          },
          [](AppState& state, const nlohmann::json& session) {
            const auto at = session.find("view");
            if (at == session.end() || !at->is_object()) return;
            View& view = state.of<View>();
            Options::each(view, [&](const char* name, auto& value) { take(*at, name, value); });
            if constexpr (requires { Options::settle(view); }) Options::settle(view);
          }};
}

}  // namespace tilescope
