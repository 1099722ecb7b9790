// Which block tiles of C, and which part of k of each, a CTA works on, and in which order. The
// kernel walks its items with these functions; model, pictures and traces ask the same ones.
#pragma once
#include "core/layout/raster.h"

namespace tilescope {

enum class WorkKind : int {
  one_tile,    // a CTA a tile
  split_k,     // `splits` CTAs a tile, each a part of k; the last to come adds the parts
  persistent,  // CTAs that stay and take tile after tile
  stream_k,    // all k slices of all tiles in one row, cut in equal parts
};

struct WorkOrder {
  WorkKind kind = WorkKind::one_tile;
  Raster raster;
  int k_slices = 1;  // of a whole tile
  int splits = 1;    // CTAs a tile; of WorkKind::split_k
  int ctas = 1;      // launched; of WorkKind::persistent and stream_k

  constexpr long long slices() const { return 1LL * raster.tiles() * k_slices; }

  constexpr bool operator==(const WorkOrder&) const = default;
};

/// Some k slices of one block tile: [k_begin, k_end).
struct WorkItem {
  Coord tile;  // row, column of tiles
  int k_begin = 0, k_end = 0;
  bool partial = false;  // other CTAs compute the rest of the tile
};

constexpr long long cta_count(const WorkOrder& w) {
  switch (w.kind) {
    case WorkKind::one_tile:
      return w.raster.tiles();
    case WorkKind::split_k:
      return 1LL * w.raster.tiles() * w.splits;
    default:
      return w.ctas;
  }
}

/// Of Stream-K: the first of the slices, counted over all tiles, that a CTA takes.
constexpr long long stream_begin(const WorkOrder& w, int cta) { return w.slices() * cta / w.ctas; }

/// How many items a CTA (by its launch index) has; more CTAs than work leave some with none.
constexpr int work_items(const WorkOrder& w, int cta) {
  switch (w.kind) {
    case WorkKind::persistent:
      return cta < w.raster.tiles() ? ceil_div(w.raster.tiles() - cta, w.ctas) : 0;
    case WorkKind::stream_k: {
      const long long first = stream_begin(w, cta), end = stream_begin(w, cta + 1);
      return first < end ? static_cast<int>((end - 1) / w.k_slices - first / w.k_slices) + 1 : 0;
    }
    default:
      return 1;
  }
}

/// Item `i` of a CTA, from 0. Stream-K starts with what is left of a tile that an earlier CTA
/// began.
constexpr WorkItem work_item(const WorkOrder& w, int cta, int i) {
  const int tiles = w.raster.tiles();
  switch (w.kind) {
    case WorkKind::split_k: {
      const int part = cta / tiles;  // the tiles' first parts are launched first
      const int begin = static_cast<int>(1LL * w.k_slices * part / w.splits);
      const int end = static_cast<int>(1LL * w.k_slices * (part + 1) / w.splits);
      return {raster_tile(w.raster, cta % tiles), begin, end, w.splits > 1};
    }
    case WorkKind::persistent:
      return {raster_tile(w.raster, cta + i * w.ctas), 0, w.k_slices, false};
    case WorkKind::stream_k: {
      const long long first = stream_begin(w, cta), end = stream_begin(w, cta + 1);
      const long long tile = first / w.k_slices + i, start = tile * w.k_slices;
      const int k_begin = first > start ? static_cast<int>(first - start) : 0;
      const int k_end = end < start + w.k_slices ? static_cast<int>(end - start) : w.k_slices;
      return {raster_tile(w.raster, static_cast<int>(tile)), k_begin, k_end,
              k_end - k_begin < w.k_slices};
    }
    default:
      return {raster_tile(w.raster, cta), 0, w.k_slices, false};
  }
}

/// The CTA that works on the first k slice of a tile, and as which of its items.
struct TileWorker {
  int cta = 0, item = 0;
};
constexpr TileWorker first_worker(const WorkOrder& w, Coord tile) {
  const int index = raster_index(w.raster, tile);
  switch (w.kind) {
    case WorkKind::persistent:
      return {index % w.ctas, index / w.ctas};
    case WorkKind::stream_k: {
      // The last CTA that begins at or before the tile's first slice.
      const long long slice = 1LL * index * w.k_slices;
      int cta = static_cast<int>(slice * w.ctas / w.slices());
      while (cta + 1 < w.ctas && stream_begin(w, cta + 1) <= slice) ++cta;
      return {cta, index - static_cast<int>(stream_begin(w, cta) / w.k_slices)};
    }
    default:
      return {index, 0};
  }
}

}  // namespace tilescope
