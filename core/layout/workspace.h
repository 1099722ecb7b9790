// Global memory beside the operands in which CTAs that share a tile add up its sums: a counter a
// tile, of the parts that have arrived, then room for one part per CTA. Counters are zero before a
// launch and after it.
#pragma once
#include "core/layout/work_order.h"

namespace tilescope {

/// Byte offset of a tile's counter, 32 bits.
constexpr long long counter_offset(const WorkOrder& w, Coord tile) {
  return 4LL * (tile.row * w.raster.tiles_n + tile.col);
}
constexpr long long counters_bytes(const WorkOrder& w) {
  constexpr long long kAlignment = 256;
  return ceil_div(4LL * w.raster.tiles(), kAlignment) * kAlignment;
}

/// Byte offset of what a CTA, by its launch index, gives away.
constexpr long long part_offset(const WorkOrder& w, int part_bytes, int cta) {
  return counters_bytes(w) + 1LL * part_bytes * cta;
}
/// Within a part: four of a thread's sums lie side by side, then those of the next thread, so that
/// a warp's access is 512 bytes in a row.
constexpr int kSumsAnAccess = 4;
constexpr int sums_offset(int threads, int access, int thread) {
  return (access * threads + thread) * kSumsAnAccess * 4;
}

constexpr long long workspace_bytes(const WorkOrder& w, int part_bytes) {
  return part_offset(w, part_bytes, static_cast<int>(cta_count(w)));
}

}  // namespace tilescope
