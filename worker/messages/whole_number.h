// Numbers of JSON that somebody else may have written. The library casts whatever number stands
// there, and a cast of what the type does not hold is undefined. For those .cpp files alone that
// have all of the JSON library anyway.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/format.h"

namespace tilescope::worker {

template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

/// "tokens is 0; choose 1 to 1,048,576."
[[noreturn]] inline void fail_number(std::string_view name, const nlohmann::json& value,
                                     const std::string& least, const std::string& most) {
  constexpr size_t kMostShown = 24;  // characters of the value
  std::string shown = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (shown.size() > kMostShown) shown = shown.substr(0, kMostShown) + "…";
  throw std::invalid_argument(std::string(name) + " is " + shown + "; choose " + least + " to " +
                              most + ".");
}

/// Throws std::invalid_argument, a sentence that calls the number `name`, unless it is a whole one
/// from `least` to `most`. 8.0 is 8, and true is 1, as the library has it.
template <Whole T>
T whole_number(const nlohmann::json& from, std::string_view name,
               T least = std::numeric_limits<T>::lowest(), T most = std::numeric_limits<T>::max()) {
  const auto fits = [&](auto value) {
    return std::cmp_greater_equal(value, least) && std::cmp_less_equal(value, most);
  };
  constexpr double kExact = 9007199254740992.0;  // 2^53: every whole number up to it is a double
  if (from.is_number_unsigned()) {
    if (const auto value = from.get<uint64_t>(); fits(value)) return static_cast<T>(value);
  } else if (from.is_number_integer() || from.is_boolean()) {
    if (const auto value = from.get<int64_t>(); fits(value)) return static_cast<T>(value);
  } else if (from.is_number_float()) {
    const auto real = from.get<double>();
    if (std::abs(real) <= kExact && real == std::floor(real)) {
      if (const auto value = static_cast<int64_t>(real); fits(value)) return static_cast<T>(value);
    }
  }
  const auto words = [](T limit) {
    constexpr auto kMost = std::numeric_limits<long long>::max();
    return std::cmp_greater(limit, kMost) ? std::to_string(limit)
                                          : model::grouped(static_cast<long long>(limit));
  };
  fail_number(name, from, words(least), words(most));
}

/// A figure that was measured: 0 to `most`. Throws std::invalid_argument as whole_number() does.
inline double measured_number(const nlohmann::json& from, std::string_view name, double most) {
  const double value = from.is_number() ? from.get<double>() : -1;
  if (value >= 0 && value <= most) return value;
  fail_number(name, from, "0", model::four_digits(most));
}

}  // namespace tilescope::worker
