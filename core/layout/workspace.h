// The workspace: global memory beside the operands, in which CTAs that share a tile add up its
// sums. First the counters of each tile, of the parts that have arrived, then room for the part of
// each CTA. Counters are zero before a launch and after it.
#pragma once
#include "core/layout/work_order.h"

namespace tilescope {

/// Byte offset of a tile's counter, 32 bits, or of one of them.
constexpr long long counter_offset(const WorkOrder& w, Coord tile, int counter = 0) {
  return 4LL * ((tile.row * w.raster.tiles_n + tile.col) * w.counters + counter);
}
constexpr long long counters_bytes(const WorkOrder& w) {
  constexpr long long kAlignment = 256;
  return ceil_div(4LL * w.raster.tiles() * w.counters, kAlignment) * kAlignment;
}

/// Byte offset of the part of the CTA with this launch index.
constexpr long long part_offset(const WorkOrder& w, int part_bytes, int cta) {
  return counters_bytes(w) + 1LL * part_bytes * cta;
}
/// Byte offset within a part: four of a thread's sums lie side by side, then four of the next
/// thread, so that one access of a warp covers 512 bytes in a row.
constexpr int kSumsPerAccess = 4;
constexpr int sums_offset(int threads, int access, int thread) {
  return (access * threads + thread) * kSumsPerAccess * 4;
}

constexpr long long workspace_bytes(const WorkOrder& w, int part_bytes) {
  return part_offset(w, part_bytes, static_cast<int>(cta_count(w)));
}

}  // namespace tilescope
