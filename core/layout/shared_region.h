// What each byte of shared memory is, and when.
#pragma once
#include "core/layout/mapping.h"

namespace tilescope {

/// rest_a, rest_b: what tensor cores do not see of A and B (float_split.h).
enum class RegionKind : int { none, a, b, c, mbarriers, rest_a, rest_b };
inline constexpr int kMbarrierBytes = 8;

/// When a region holds what it says: while slices are multiplied, or in the epilogue, which uses
/// the bytes of the slices again.
enum class Phase : int { slices, epilogue };

/// `tile.offset` is the region's start in shared memory; stage s lies `stride` bytes · s behind it.
/// A tile of C or of partial sums is addressed [row, column].
struct SharedRegion {
  RegionKind what = RegionKind::none;
  Phase phase = Phase::slices;
  SharedTile tile;
  int stages = 1;
  int stride = 0;

  constexpr bool present() const { return what != RegionKind::none; }
  constexpr int bytes() const { return present() ? end() - tile.offset : 0; }
  constexpr int end() const {
    return present() ? tile.offset + (stages - 1) * stride + tile.size_bytes() : 0;
  }

  constexpr bool operator==(const SharedRegion&) const = default;
};

}  // namespace tilescope
