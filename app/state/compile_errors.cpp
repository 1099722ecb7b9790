#include "app/state/compile_errors.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tilescope {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

struct Place {
  std::string_view file, message;
  int line = 0;
  bool error = false;
};

/// "kernels/11_mma_multistage.cuh(93): error: identifier "x" is undefined"
std::optional<Place> place_of(std::string_view text) {
  const size_t close = text.find("): ");
  const size_t open = close == text.npos ? text.npos : text.rfind('(', close);
  if (open == text.npos) return std::nullopt;
  Place place;
  const std::string_view number = text.substr(open + 1, close - open - 1);
  const auto [end, wrong] =
      std::from_chars(number.data(), number.data() + number.size(), place.line);
  if (wrong != std::errc() || end != number.data() + number.size()) return std::nullopt;
  place.file = text.substr(0, open), place.message = text.substr(close + 3);
  place.error = place.message.starts_with("error") || place.message.starts_with("catastrophic");
  if (!place.error && !place.message.starts_with("warning")) return std::nullopt;
  if (const size_t colon = place.message.find(": "); colon != text.npos) {
    place.message.remove_prefix(colon + 2);
  }
  return place;
}

}  // namespace

std::vector<worker::CodeFinding> compile_errors(std::string_view log, std::string_view file) {
  std::vector<worker::CodeFinding> all;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    const auto place = place_of(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!place || last_part(place->file) != last_part(file) || place->line <= 0) continue;
    worker::CodeFinding found;
    found.kind = place->error ? "error" : "warning";
    found.remark = !place->error;
    found.line = place->line;
    found.message = place->message;
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace tilescope
