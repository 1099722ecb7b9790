// Where wgmma looks for operands in shared memory, and the descriptors that tell it.
// Source: PTX ISA 9.0, "Asynchronous warpgroup-level matrix instructions", "Strides" and "Matrix
// descriptor format".
#pragma once
#include "core/layout/element_type.h"
#include "core/layout/mapping.h"

namespace tilescope {

constexpr int kCoreLines = 8;       // of a core matrix: columns n of B
constexpr int kCoreLineBytes = 16;  // along k
constexpr int kCoreBytes = kCoreLines * kCoreLineBytes;
/// Every wgmma goes 32 bytes along k: two core matrices.
constexpr int kWgmmaLineBytes = 32;

/// The 64-bit descriptor without the start address, whose bits 4 to 17 go to bits 0 to 13. The
/// strides lie in units of 16 bytes from bits 16 and 32 on; the base offset is 0, the swizzle's
/// mode stands in the last two bits.
constexpr unsigned long long wgmma_descriptor(int leading_bytes, int stride_bytes, Swizzle mode) {
  const auto number = [mode]() -> unsigned long long {
    switch (mode) {
      case Swizzle::none:
        return 0;
      case Swizzle::b128:
        return 1;
      case Swizzle::b64:
        return 2;
      case Swizzle::b32:
        return 3;
    }
    return 0;
  };
  return static_cast<unsigned long long>(leading_bytes >> 4) << 16 |
         static_cast<unsigned long long>(stride_bytes >> 4) << 32 | number() << 62;
}
constexpr int wgmma_leading_bytes(unsigned long long descriptor) {
  return static_cast<int>(descriptor >> 16 & 0x3fffu) << 4;
}
constexpr int wgmma_stride_bytes(unsigned long long descriptor) {
  return static_cast<int>(descriptor >> 32 & 0x3fffu) << 4;
}
constexpr unsigned long long wgmma_start(unsigned shared_address) {
  return (shared_address & 0x3ffffu) >> 4;
}

/// Bytes of a line of a tile in the ring that wgmma reads: what the swizzle's rows hold, and
/// without one a line of a core matrix.
constexpr int wgmma_line_bytes(Swizzle mode) {
  return mode == Swizzle::none ? kCoreLineBytes : swizzle_row_bytes(mode);
}
/// The same of an operand's tile whose panels are as wide. Eight lines of a panel make a core
/// matrix, or a swizzle's period. An instruction goes from eight lines to the next by one stride,
/// from panel to panel by the other: which is which depends on whether the lines run along k, and
/// without swizzle the two have changed places where they run across.
constexpr unsigned long long wgmma_descriptor(const SharedTile& tile) {
  const int lines = kCoreLines * tile.pitch, panel = tile.panel_bytes();
  const bool turned = tile.swizzle == Swizzle::none && !tile.k_contiguous;
  return turned ? wgmma_descriptor(lines, panel, tile.swizzle)
                : wgmma_descriptor(panel, lines, tile.swizzle);
}

/// How an operand of one wgmma lies in shared memory: its lines along k (K-major) or across
/// (MN-major, of elements of 16 bits alone), and its swizzle.
struct WgmmaLayout {
  Swizzle swizzle = Swizzle::none;
  bool k_major = true;
  constexpr bool operator==(const WgmmaLayout&) const = default;

  /// Instructions that one after the other read along a line: a line of a wider swizzle holds more
  /// of k than one of them takes.
  constexpr int steps() const {
    const int line = wgmma_line_bytes(swizzle);
    return k_major && line > kWgmmaLineBytes ? line / kWgmmaLineBytes : 1;
  }
};
/// All that there are.
inline constexpr WgmmaLayout kWgmmaLayouts[] = {
    {Swizzle::none, true},  {Swizzle::b32, true},  {Swizzle::b64, true},  {Swizzle::b128, true},
    {Swizzle::none, false}, {Swizzle::b32, false}, {Swizzle::b64, false}, {Swizzle::b128, false}};
inline constexpr int kWgmmaLayoutCount = sizeof kWgmmaLayouts / sizeof kWgmmaLayouts[0];
constexpr int wgmma_layout_index(WgmmaLayout layout) {
  int i = 0;
  while (i < kWgmmaLayoutCount - 1 && !(kWgmmaLayouts[i] == layout)) ++i;
  return i;
}
constexpr bool wgmma_takes(WgmmaLayout layout, ElementType type) {
  return layout.k_major || element_bits(type) == 16;
}

/// The tile [outer, k] that the operand of `steps()` instructions is. Elements of less than a byte
/// are told of as bytes.
constexpr SharedTile wgmma_tile(WgmmaLayout layout, int outer, ElementType type) {
  const int bytes = element_bits(type) < 8 ? 1 : element_bytes(type);
  const int line = wgmma_line_bytes(layout.swizzle), panel = line / bytes;
  return {.present = true,
          .outer = layout.k_major ? outer : ceil_div(outer, panel) * panel,
          .depth = kWgmmaLineBytes * layout.steps() / bytes,
          .bytes_per_element = bytes,
          .k_contiguous = layout.k_major,
          .panel = panel,
          .pitch = line,
          .swizzle = layout.swizzle};
}
/// Bytes from the tile's start to what a step of it reads, which go into the descriptor's start.
constexpr int wgmma_step_bytes(int step) { return step * kWgmmaLineBytes; }

}  // namespace tilescope
