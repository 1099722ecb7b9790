// Names of the layout core's enums, as on the command line and in sentences.
#pragma once
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/mma.h"
#include "core/layout/problem.h"
#include "core/layout/swizzle.h"
#include "core/layout/tile_config.h"
#include "core/layout/work_order.h"

namespace tilescope::model {

constexpr const char* name_of(ElementType type) {
  constexpr const char* kNames[] = {"f16", "bf16", "f32", "tf32", "f64", "e4m3", "e5m2",
                                    "s8",  "u8",   "s4",  "u4",   "b1",  "s32"};
  static_assert(std::size(kNames) == static_cast<size_t>(ElementType::count));
  return kNames[static_cast<int>(type)];
}
/// What several elements of a type are called: "halves".
constexpr const char* plural_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return "halves";
    case ElementType::bf16:
      return "bf16s";
    case ElementType::e4m3:
    case ElementType::e5m2:
      return "FP8s";
    default:
      return "floats";
  }
}
constexpr const char* name_of(Operand o) {
  return o == Operand::a ? "A" : o == Operand::b ? "B" : "C";
}
constexpr const char* name_of(Order order) {
  return order == Order::row_major ? "row-major" : "column-major";
}
constexpr const char* name_of(Swizzle mode) {
  switch (mode) {
    case Swizzle::b32:
      return "32B";
    case Swizzle::b64:
      return "64B";
    case Swizzle::b128:
      return "128B";
    case Swizzle::none:
      return "none";
  }
  return "";
}
constexpr const char* name_of(TileFieldId id) {
  return id == TileFieldId::none ? "" : kTileFields[static_cast<int>(id)].name;
}
constexpr const char* label_of(TileFieldId id) {
  return id == TileFieldId::none ? "" : kTileFields[static_cast<int>(id)].label;
}

constexpr const char* name_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::one_tile:
      return "one CTA per tile";
    case WorkKind::split_k:
      return "split-K";
    case WorkKind::persistent:
      return "persistent";
    case WorkKind::stream_k:
      return "Stream-K";
  }
  return "";
}
/// The family of what a kernel computes with.
constexpr const char* name_of(MmaKind kind) {
  switch (kind) {
    case MmaKind::mma_sync:
      return "mma";
    case MmaKind::wgmma:
      return "wgmma";
    case MmaKind::wmma:
      return "wmma";
    case MmaKind::threads:
      return "SIMT";
  }
  return "";
}
/// What a value of a field is called, or its digits: "XOR", "128".
std::string value_name(TileFieldId id, int value);
/// A setting in words: "block M 128", "3 stages", "Stream-K", "swizzle XOR".
std::string setting_text(TileFieldId id, int value);

/// nullopt: no such name.
/// Of matrices that some kernel computes (core/layout/types.h), each once.
std::vector<ElementType> matrix_types();
std::optional<ElementType> element_type_named(std::string_view name);
std::optional<Swizzle> swizzle_named(std::string_view name);
/// TileFieldId::none: no such name.
TileFieldId tile_field_named(std::string_view name);

/// cuBLAS's two letters, A then B: N = column-major, T = row-major.
std::string layout_letters(const Problem& problem);
/// "block_m=128,block_n=128": the fields that the kernel has, as --tile takes them.
std::string tile_text(const TileConfig& tile, const Sliders& sliders);
/// The options of the command line that name this position: "--kernel", "naive", "--size", …
std::vector<std::string> position_options(const char* kernel, const Sliders& sliders,
                                          const TileConfig& tile, const Problem& problem);

}  // namespace tilescope::model
