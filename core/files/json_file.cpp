#include "core/files/json_file.h"

#include <nlohmann/json.hpp>

#include "core/files/whole_file.h"

namespace tilescope::files {

using nlohmann::json;

bool is_deeper(std::string_view text, int depth) {
  bool in_string = false;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++open > depth) return true;
    } else if (c == ']' || c == '}') {
      --open;
    }
  }
  return false;
}

std::optional<json> parse_json(std::string_view text, int depth) {
  if (is_deeper(text, depth)) return std::nullopt;
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string json_text(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::optional<json> read_json(const std::string& path, const JsonLimits& limits,
                              std::string* why_not) {
  const auto text = read_file(path, limits.bytes, why_not);
  if (!text) return std::nullopt;
  std::optional<json> value = parse_json(*text, limits.depth);
  if (!value && why_not) {
    *why_not = path + " is no valid JSON, or is nested deeper than " +
               std::to_string(limits.depth) + " levels.";
  }
  return value;
}

}  // namespace tilescope::files
