// JSON that somebody else may have written: as large and as deep as it may be, and no more.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::files {

/// Values are freed recursively: what is nested without an end would end the program.
inline constexpr int kMostDepth = 64;

/// A look at the text of JSON before it is parsed: whether it is nested deeper than `depth`. What
/// is no JSON is left to the parser. It costs a tenth of what being called for each value costs.
bool is_deeper(std::string_view json, int depth);

/// Nothing: not JSON, or nested deeper than `depth` (1: a list or object of plain values).
std::optional<nlohmann::json> parse_json(std::string_view text, int depth = kMostDepth);

/// As text; what is no UTF-8 in it, a file's name say, is replaced. `indent`: negative: in one
/// line.
std::string json_text(const nlohmann::json& value, int indent = -1);

struct JsonLimits {
  uint64_t bytes = 0;
  int depth = kMostDepth;
};
/// A file that is one JSON value. Nothing if there is none; then `why_not` gets a sentence.
std::optional<nlohmann::json> read_json(const std::string& path, const JsonLimits& limits,
                                        std::string* why_not = nullptr);

}  // namespace tilescope::files
