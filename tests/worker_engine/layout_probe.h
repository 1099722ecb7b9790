// Every layout function of a plan, for one thread, as numbers. The same text is compiled by g++
// (the test), by NVRTC and by nvcc; the test appends it to a kernel's source.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

constexpr int kProbeValues = 1024;  // room for one thread

struct Probe {
  int* to;
  int count;
  constexpr void put(int value) {
    if (count < kProbeValues) to[count] = value;
    ++count;
  }
  constexpr void put(Coord at) { put(at.row), put(at.col); }
};

constexpr void probe_operand(Probe& probe, const CopyMap& map, const SharedTile& tile, int thread) {
  probe.put(map.iterations());
  probe.put(map.even());
  probe.put(map.chunks());
  for (int i = 0; i < map.iterations() && i < 16; ++i) {
    const Coord at = copy_coord(map, thread, i);
    probe.put(at);
    if (!tile.present || at.row >= tile.outer || at.col >= tile.depth) continue;
    const int offset = shared_offset(tile, at.row, at.col);
    probe.put(offset);
    probe.put(shared_element(tile, offset));
  }
  if (!tile.present) return;
  probe.put(tile.size_bytes());
  probe.put(shared_line_step(tile, 8));
}

/// Returns how many numbers there are.
constexpr int probe_layout(const KernelPlan& p, int thread, int* to) {
  Probe probe{to, 0};
  probe.put(p.threads), probe.put(p.shared_bytes()), probe.put(p.warps());
  probe_operand(probe, p.copy_a, p.shared_a(), thread);
  probe_operand(probe, p.copy_b, p.shared_b(), thread);
  if (p.math() == Math::mma) {
    const int warp = thread / 32, lane = thread % 32;
    probe.put(warp_origin(p, warp));
    probe.put(mma_origin(p, 1, 1));
    probe.put(ldmatrix_row(p.load_a.map, lane));
    probe.put(ldmatrix_row(p.load_b.map, lane));
    for (int v = 0; v < p.atom.a.values(); ++v) probe.put(fragment_coord(p.atom.a, lane, v));
    for (int v = 0; v < p.atom.b.values(); ++v) probe.put(fragment_coord(p.atom.b, lane, v));
    for (int v = 0; v < p.atom.c.values(); ++v)
      probe.put(accumulator_coord(p, warp, 0, 1, lane, v));
  } else {
    probe.put(thread_coord(p.atom.c, thread));
    for (int v = 0; v < p.atom.c.values() && v < 64; ++v) {
      probe.put(value_coord(p.atom.c, v));
    }
  }
  for (int group = 1; group <= 8; group *= 2) {
    Raster raster{.group = group, .cluster_m = group > 2 ? 2 : 1, .cluster_n = group > 4 ? 3 : 1};
    set_tiles(raster, 11, 5);
    const Coord tile = raster_tile(raster, thread % raster.tiles());
    probe.put(tile);
    probe.put(raster_index(raster, tile));
  }
  probe.put(swizzle_bytes(Swizzle::b128, thread * 16));
  probe.put(swizzle_bytes(Swizzle::b64, thread * 16));
  probe.put(swizzle_bytes(Swizzle::b32, thread * 16));
  return probe.count;
}

}  // namespace tilescope
