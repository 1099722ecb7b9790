// Where wgmma looks for B in shared memory: K-major, without swizzle.
// Source: PTX ISA 9.0, "Asynchronous warpgroup-level matrix instructions", "Strides" and "Matrix
// descriptor format".
#pragma once
#include "core/layout/layout.h"

namespace tilescope {

constexpr int kCoreLines = 8;       // of a core matrix: columns n of B
constexpr int kCoreLineBytes = 16;  // along k
constexpr int kCoreBytes = kCoreLines * kCoreLineBytes;
/// Every wgmma goes 32 bytes along k: two core matrices.
constexpr int kWgmmaLineBytes = 32;

/// B [k, n] of one wgmma: core matrices, each 128 bytes in a row; first all n of the first half of
/// k, then all n of the second.
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
  /// The 64-bit descriptor without the start address, whose bits 4 to 17 go to bits 0 to 13. The
  /// strides lie in units of 16 bytes from bits 16 and 32 on; base offset and swizzle mode are 0.
  constexpr unsigned long long descriptor() const {
    return static_cast<unsigned long long>(leading_bytes() >> 4) << 16 |
           static_cast<unsigned long long>(stride_bytes() >> 4) << 32;
  }
};

}  // namespace tilescope
