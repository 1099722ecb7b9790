#include "core/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/language/language.h"
#include "core/layout/types.h"

namespace tilescope::model {

std::optional<ElementType> element_type_named(std::string_view name) {
  for (ElementType type : matrix_types()) {
    if (name == name_of(type)) return type;
  }
  return std::nullopt;
}

std::vector<ElementType> matrix_types() {
  std::vector<ElementType> types;
  for (int i = 0; i < kTypeSets; ++i) {
    const Types set = types_of_bit(1 << i);
    for (const ElementType type : {set.a, set.b, set.c}) {
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    }
  }
  return types;
}

std::optional<Swizzle> swizzle_named(std::string_view name) {
  for (Swizzle mode : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    if (name == name_of(mode)) return mode;
  }
  return std::nullopt;
}

TileFieldId tile_field_named(std::string_view name) {
  for (const TileField& field : kTileFields) {
    if (name == field.name) return field.id;
  }
  return TileFieldId::none;
}

std::string value_name(TileFieldId id, int value) {
  std::string_view names = id == TileFieldId::none ? "" : kTileFields[static_cast<int>(id)].names;
  for (int i = 0; !names.empty(); ++i) {
    const size_t end = std::min(names.find('|'), names.size());
    if (i == value) return std::string(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return std::to_string(value);
}

std::string setting_text(TileFieldId id, int value) {
  // A value's name, such as "registers", is one of ours.
  const std::string name = value_name(id, value), number(translated(name));
  if (id == TileFieldId::stages) return wording("{} stages", number);
  if (id == TileFieldId::min_ctas) return fmt::format("{} {}", number, tr(label_of(id)));
  if (id == TileFieldId::splits && value == 0) return tr(name_of(WorkKind::stream_k));
  return fmt::format("{} {}", tr(label_of(id)), number);
}

std::string layout_letters(const Problem& problem) {
  const auto letter = [](Order order) { return order == Order::row_major ? 'T' : 'N'; };
  return {letter(problem.order_a), letter(problem.order_b)};
}

std::string tile_text(const TileConfig& tile, const Sliders& sliders) {
  std::string text;
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId field = sliders.slider[i].field;
    if (i > 0) text += ",";
    text += std::string(name_of(field)) + "=" + std::to_string(get(tile, field));
  }
  return text;
}

std::vector<std::string> position_options(const char* kernel, const Sliders& sliders,
                                          const TileConfig& tile, const Problem& problem) {
  const Problem& p = problem;
  std::vector<std::string> options = {
      "--kernel", kernel,
      "--size",   fmt::format("{}x{}x{}", p.m, p.n, p.k),
      "--layout", layout_letters(p),
      "--types",  fmt::format("{},{},{}", name_of(p.type_a), name_of(p.type_b), name_of(p.type_c)),
      "--tile",   tile_text(tile, sliders)};
  const auto add = [&](const char* name, std::string value) {
    options.push_back(name);
    options.push_back(std::move(value));
  };
  if (p.order_c == Order::column_major) add("--c", "col");
  if (p.alpha != 1) add("--alpha", fmt::format("{}", p.alpha));
  if (p.beta != 0) add("--beta", fmt::format("{}", p.beta));
  if (p.bias) options.push_back("--bias");
  for (const auto& [name, leading] :
       {std::pair("--lda", p.lda), std::pair("--ldb", p.ldb), std::pair("--ldc", p.ldc)}) {
    if (leading != 0) add(name, std::to_string(leading));
  }
  return options;
}

}  // namespace tilescope::model
