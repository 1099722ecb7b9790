#include "core/sheet/sheet_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/format.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet::members {

using nlohmann::json;

namespace {

constexpr size_t kLongestText = 64 << 10;

}  // namespace

std::string said(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "…" : text;
}

uint64_t whole(const json& value, const std::string& field, uint64_t low, uint64_t high) {
  const bool fits = value.is_number_integer() && (value.is_number_unsigned() || value >= 0) &&
                    value.get<uint64_t>() >= low && value.get<uint64_t>() <= high;
  if (!fits) {
    throw SheetError(fmt::format("{}: {} is not a whole number from {} to {}.", field, said(value),
                                 model::grouped(static_cast<long long>(low)),
                                 model::grouped(static_cast<long long>(high))));
  }
  return value.get<uint64_t>();
}

std::string text_field(const json& value, const std::string& field) {
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kLongestText) {
    throw SheetError(fmt::format("{}: {} is not a text of at most {} bytes.", field, said(value),
                                 model::grouped(kLongestText)));
  }
  return value.get<std::string>();
}

Extent extent_of(const json& value, const std::string& field, const Extent& most) {
  if (!value.is_array() || value.empty() || value.size() > 3) {
    throw SheetError(fmt::format("{}: {} is not a list of one to three whole numbers, [x, y, z].",
                                 field, said(value)));
  }
  const uint32_t limits[] = {most.x, most.y, most.z};
  uint32_t sizes[] = {1, 1, 1};
  for (size_t i = 0; i < value.size(); ++i) {
    sizes[i] =
        static_cast<uint32_t>(whole(value[i], fmt::format("{}[{}]", field, i), 1, limits[i]));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

void only(const json& object, const std::string& field, std::initializer_list<const char*> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string names;
    for (const char* k : known) names += (names.empty() ? "" : ", ") + std::string(k);
    throw SheetError(
        fmt::format("{} has no member {}; it has {}.", field, said(json(name)), names));
  }
}

int argument_number(const json& value, const std::string& field, size_t arguments) {
  if (arguments == 0) throw SheetError(field + ": the sheet has no args that it could be one of.");
  return static_cast<int>(whole(value, field, 0, arguments - 1));
}

}  // namespace tilescope::sheet::members
