// Whole-number expressions of C++, as they stand in a launch: "(M + 127) / 128".
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::sheet {

using Names = std::map<std::string, int64_t, std::less<>>;

/// Numbers, operators, brackets, casts, sizeof of the types of value_type.h, min, max, ceil and
/// floor (also of real numbers on the way), and the names. Nothing: there is something else in it,
/// or it overflows, divides by zero or is nested deeper than 60 brackets.
std::optional<int64_t> evaluate(std::string_view text, const Names& names = {});

}  // namespace tilescope::sheet
