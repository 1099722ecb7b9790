// Where wgmma looks for operands in shared memory, and the descriptors that tell it.
// Source: PTX ISA 9.0, "Asynchronous warpgroup-level matrix instructions", "Strides" and "Matrix
// descriptor format".
#pragma once
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

/// B [k, n] of one wgmma in the proofs, K-major and without swizzle: core matrices, each 128 bytes
/// in a row; first all n of the first half of k, then all n of the second.
struct WgmmaShared {
  int n = 8;

  constexpr int bytes() const { return n * kWgmmaLineBytes; }
  /// From the core matrix of the first 16 bytes of k to that of the next.
  constexpr int leading_bytes() const { return n * kCoreLineBytes; }
  /// From eight columns n to the next eight.
  constexpr int stride_bytes() const { return kCoreBytes; }
  /// Column n, byte along k → byte in shared memory.
  constexpr int offset(int column, int k_byte) const {
    const Layout lines =
        make_layout({kCoreLines, kCoreLineBytes}, {n / kCoreLines, stride_bytes()});
    const Layout along_k = make_layout({kCoreLineBytes, 1}, {2, leading_bytes()});
    return lines(column) + along_k(k_byte);
  }
  constexpr unsigned long long descriptor() const {
    return wgmma_descriptor(leading_bytes(), stride_bytes(), Swizzle::none);
  }
};

}  // namespace tilescope
