// Fields of a message that may be missing: null and left out are the same.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

namespace tilescope::worker {

template <class T>
std::optional<T> optional_of(const nlohmann::json& j, const char* name) {
  const auto it = j.find(name);
  if (it == j.end() || it->is_null()) return std::nullopt;
  return it->template get<T>();
}

}  // namespace tilescope::worker
