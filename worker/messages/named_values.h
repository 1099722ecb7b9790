// Enumerators as words of a message: a table each, in which both are looked up.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

namespace tilescope::worker {

template <class Enum>
struct NamedValue {
  Enum value;
  const char* name;
};

template <class Enum, size_t N>
const char* find_name(const NamedValue<Enum> (&table)[N], Enum value) {
  for (const auto& row : table) {
    if (row.value == value) return row.name;
  }
  return "?";
}

/// `what`: "an element type". Throws std::invalid_argument with the names that there are.
template <class Enum, size_t N>
Enum find_value(const NamedValue<Enum> (&table)[N], const std::string& name, const char* what) {
  std::string known;
  for (const auto& row : table) {
    if (name == row.name) return row.value;
    known += known.empty() ? row.name : std::string(", ") + row.name;
  }
  throw std::invalid_argument("\"" + name + "\" is not " + what + "; known are " + known + ".");
}

}  // namespace tilescope::worker
