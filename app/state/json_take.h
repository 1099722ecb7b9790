// Reads what a file may hold of options, for the session and for the panels.
#pragma once
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

namespace tilescope {

/// Reads a field if it is there and of the right kind; anything else leaves `to` as it was.
template <class T>
void take(const nlohmann::json& in, const char* key, T& to) {
  const auto at = in.find(key);
  if (at == in.end()) return;
  if constexpr (std::is_same_v<T, bool>) {
    if (at->is_boolean()) to = at->get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (at->is_string()) to = at->get<std::string>();
  } else if constexpr (std::is_integral_v<T>) {
    if (at->is_number_integer()) {
      const auto value = at->get<int64_t>();
      if (value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max()) {
        to = static_cast<T>(value);
      }
    }
  } else {
    // What a float does not hold is infinite then, and would be saved as no number.
    if (const T value = at->is_number() ? at->get<T>() : to; std::isfinite(value)) to = value;
  }
}

/// The same for the number of a choice among `count`.
inline void take_choice(const nlohmann::json& in, const char* key, int count, int& to) {
  int value = to;
  take(in, key, value);
  if (value >= 0 && value < count) to = value;
}

}  // namespace tilescope
