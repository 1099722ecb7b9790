#include <charconv>
#include <utility>
#include <vector>

#include "page/pack/pack.h"

namespace tilescope::web {
namespace {

/// Takes a line off the front, without its end; nothing if there is no whole one.
std::optional<std::string_view> take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

/// Takes a number and what follows it, a blank or the end.
std::optional<size_t> take_number(std::string_view& line) {
  size_t value = 0;
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(stop - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return value;
}

}  // namespace

std::string pack_text(const Files& files) {
  std::string text(kPackMagic);
  text += std::to_string(files.size()) + "\n";
  for (const auto& [name, bytes] : files) text += std::to_string(bytes.size()) + " " + name + "\n";
  for (const auto& [name, bytes] : files) text += bytes;
  return text;
}

std::optional<Files> files_of_text(std::string_view text) {
  if (!text.starts_with(kPackMagic)) return std::nullopt;
  text.remove_prefix(kPackMagic.size());
  auto line = take_line(text);
  const auto count = line ? take_number(*line) : std::nullopt;
  if (!count || !line->empty()) return std::nullopt;
  std::vector<std::pair<std::string, size_t>> listed;
  for (size_t i = 0; i < *count; ++i) {
    line = take_line(text);
    const auto size = line ? take_number(*line) : std::nullopt;
    if (!size || line->empty()) return std::nullopt;
    listed.emplace_back(*line, *size);
  }
  Files files;
  for (const auto& [name, size] : listed) {
    if (size > text.size()) return std::nullopt;
    files[name] = text.substr(0, size);
    text.remove_prefix(size);
  }
  if (!text.empty()) return std::nullopt;
  return files;
}

}  // namespace tilescope::web
