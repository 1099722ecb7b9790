#include "app/cli/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "app/cli/cli_error.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

std::string slider_names(const Sliders& sliders) {
  std::string names;
  for (int i = 0; i < sliders.count; ++i) {
    names += (i ? ", " : "") + std::string(model::name_of(sliders.slider[i].field));
  }
  return names;
}

}  // namespace

long long parse_integer(const std::string& flag, const std::string& text) {
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    bad(fmt::format("{}: {} is too large a number", flag, text));
  }
  if (text.empty() || error != std::errc() || at != end) {
    bad(fmt::format("{}: '{}' is not a whole number", flag, text));
  }
  return value;
}

long long parse_large(const std::string& flag, const std::string& text, long long low,
                      long long high) {
  const long long value = parse_integer(flag, text);
  if (value < low || value > high) {
    bad(fmt::format("{} is {}; choose {} to {}", flag, model::grouped(value), model::grouped(low),
                    model::grouped(high)));
  }
  return value;
}

int parse_integer(const std::string& flag, const std::string& text, long long low, long long high) {
  return static_cast<int>(parse_large(flag, text, low, high));
}

double parse_number(const std::string& flag, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end || !std::isfinite(value)) {
    bad(fmt::format("{}: '{}' is not a finite number", flag, text));
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(separator, from)) != std::string::npos; from = at + 1) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

Size parse_size(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() != 1 && parts.size() != 3) {
    bad(fmt::format("--size: '{}' is neither one number nor MxNxK, like 4096 or 1024x2048x512",
                    text));
  }
  static constexpr const char* kNames[] = {"--size M", "--size N", "--size K"};
  int extent[3];
  for (size_t i = 0; i < 3; ++i) {
    const std::string& part = parts.size() == 1 ? parts[0] : parts[i];
    extent[i] = parse_integer(parts.size() == 1 ? "--size" : kNames[i], part, 1, kMaxExtent);
  }
  return {extent[0], extent[1], extent[2]};
}

Triple parse_triple(const std::string& flag, const std::string& text, uint32_t missing) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() > 3) bad(fmt::format("{}: '{}' is more than X,Y,Z", flag, text));
  uint32_t value[3] = {missing, missing, missing};
  for (size_t i = 0; i < parts.size(); ++i) {
    const long long n = parse_integer(flag, parts[i]);
    if (n < missing || n > 0x7fffffffLL) {
      bad(fmt::format("{}: {} is out of range; choose {} to 2,147,483,647", flag, model::grouped(n),
                      missing));
    }
    value[i] = static_cast<uint32_t>(n);
  }
  return {value[0], value[1], value[2]};
}

void parse_tile(const std::string& text, const Sliders& sliders, const char* kernel,
                TileConfig& tile) {
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      bad(fmt::format("--tile: '{}' is not NAME=VALUE, like block_m=128", part));
    }
    const std::string name = part.substr(0, equals);
    const TileFieldId field = model::tile_field_named(name);
    if (field == TileFieldId::none || !sliders.find(field)) {
      bad(fmt::format("--tile: kernel {} has no '{}'; it has {}", kernel, name,
                      slider_names(sliders)));
    }
    set(tile, field, parse_integer("--tile " + name, part.substr(equals + 1), 0, kMaxExtent));
  }
}

Swizzle parse_swizzle(const std::string& flag, const std::string& text) {
  const auto mode = model::swizzle_named(text);
  if (!mode) bad(fmt::format("{}: '{}' is not a mode; choose none, 32B, 64B or 128B", flag, text));
  return *mode;
}

}  // namespace tilescope::cli
