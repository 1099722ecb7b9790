// Which block tiles of C, and which part of k of each, a CTA works on, and in which order. The
// kernel walks its items with these functions; model, pictures and traces ask the same ones.
#pragma once
#include "core/layout/raster.h"

namespace tilescope {

enum class WorkKind : int {
  one_tile,    // one CTA per tile
  split_k,     // `splits` CTAs per tile, each a part of k; the last to come adds the parts
  persistent,  // CTAs that stay and take tile after tile
  stream_k,    // some tiles are left over when the others are dealt out in whole waves. Their k
               // slices stand in one row that is cut in equal parts, one per CTA; where a tile is
               // cut, the CTA with its first slices adds up the sums of all. Then come the other
               // tiles, each with one CTA, wave after wave
};

struct WorkOrder {
  WorkKind kind = WorkKind::one_tile;
  Raster raster;
  int k_slices = 1;  // of a whole tile
  int splits = 1;    // CTAs per tile; of WorkKind::split_k
  int ctas = 1;      // launched; of WorkKind::persistent and stream_k
  int counters = 1;  // of a tile that CTAs share: one, or one for each warp, which goes on alone

  constexpr long long slices() const { return 1LL * raster.tiles() * k_slices; }

  constexpr bool operator==(const WorkOrder&) const = default;
};

/// True if there are as many CTAs as the card holds at once, each of which goes from work item to
/// work item; else each CTA has one item.
constexpr bool stays(const WorkOrder& w) {
  switch (w.kind) {
    case WorkKind::persistent:
    case WorkKind::stream_k:
      return true;
    case WorkKind::one_tile:
    case WorkKind::split_k:
      return false;
  }
  return false;
}
/// The grid has CTAs for each of some parts of k.
constexpr bool splits_k(const WorkOrder& w) {
  switch (w.kind) {
    case WorkKind::split_k:
      return true;
    case WorkKind::one_tile:
    case WorkKind::persistent:
    case WorkKind::stream_k:
      return false;
  }
  return false;
}
/// Tiles are cut anywhere in k: a CTA begins where the one before it ends.
constexpr bool cuts_slices(const WorkOrder& w) {
  switch (w.kind) {
    case WorkKind::stream_k:
      return true;
    case WorkKind::one_tile:
    case WorkKind::split_k:
    case WorkKind::persistent:
      return false;
  }
  return false;
}
/// True if several CTAs compute parts of one tile along k and add them up in the workspace.
constexpr bool shares_tiles(const WorkOrder& w) {
  return cuts_slices(w) || (splits_k(w) && w.splits > 1);
}

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
    case WorkKind::persistent:
    case WorkKind::stream_k:
      return w.ctas;
  }
  return 0;
}

/// Of Stream-K: how many tiles are cut, the first ones in raster order. They are as many as the
/// last wave would have, and they are cut only if that wave would leave half of the CTAs idle or
/// more, and if they have a slice for every CTA. CTAs that begin at different k share little of
/// what they read in the L2, so that cutting more tiles costs more than it gains.
constexpr int stream_tiles(const WorkOrder& w) {
  const int rest = w.raster.tiles() % w.ctas;
  const bool worth_it = 2LL * rest <= w.ctas && 1LL * rest * w.k_slices >= w.ctas;
  return worth_it ? rest : 0;
}
constexpr long long stream_slices(const WorkOrder& w) { return 1LL * stream_tiles(w) * w.k_slices; }
/// The first slice that a CTA takes of the tiles that are cut; slices are counted over all of them.
constexpr long long stream_begin(const WorkOrder& w, int cta) {
  return stream_slices(w) * cta / w.ctas;
}
/// How many work items a CTA has in the tiles that are cut: it does them before its whole tiles.
constexpr int stream_items(const WorkOrder& w, int cta) {
  const long long first = stream_begin(w, cta), end = stream_begin(w, cta + 1);
  return first < end ? static_cast<int>((end - 1) / w.k_slices - first / w.k_slices) + 1 : 0;
}

/// How many of `tiles` whole tiles a CTA gets when they are dealt out in turn: CTA i takes i,
/// i + ctas, i + 2 ctas, …
constexpr int whole_tiles(const WorkOrder& w, int tiles, int cta) {
  return cta < tiles ? ceil_div(tiles - cta, w.ctas) : 0;
}

/// How many items the CTA with this launch index has; 0 for some if there are more CTAs than work.
constexpr int work_items(const WorkOrder& w, int cta) {
  switch (w.kind) {
    case WorkKind::persistent:
      return whole_tiles(w, w.raster.tiles(), cta);
    case WorkKind::stream_k:
      return stream_items(w, cta) + whole_tiles(w, w.raster.tiles() - stream_tiles(w), cta);
    case WorkKind::one_tile:
    case WorkKind::split_k:
      return 1;
  }
  return 0;
}

/// Item `i` of a CTA, from 0. A CTA of Stream-K starts with what is left of a tile whose first
/// slices an earlier CTA has.
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
      const int streamed = stream_items(w, cta);
      if (i >= streamed) {
        const int whole = stream_tiles(w) + (i - streamed) * w.ctas + cta;
        return {raster_tile(w.raster, whole), 0, w.k_slices, false};
      }
      const long long first = stream_begin(w, cta), end = stream_begin(w, cta + 1);
      const long long tile = first / w.k_slices + i, start = tile * w.k_slices;
      const int k_begin = first > start ? static_cast<int>(first - start) : 0;
      const int k_end = end < start + w.k_slices ? static_cast<int>(end - start) : w.k_slices;
      return {raster_tile(w.raster, static_cast<int>(tile)), k_begin, k_end,
              k_end - k_begin < w.k_slices};
    }
    case WorkKind::one_tile:
      return {raster_tile(w.raster, cta), 0, w.k_slices, false};
  }
  return {};
}

/// Of Stream-K: the CTA that takes `slice`, counted over all tiles that are cut.
constexpr int stream_cta(const WorkOrder& w, long long slice) {
  return static_cast<int>(((slice + 1) * w.ctas - 1) / stream_slices(w));
}

/// Of the CTAs that share a tile in Stream-K, the one with the first part of k finishes it: it
/// keeps its own sums in registers, waits until the others have put theirs into the workspace, adds
/// them and stores C. True if `item` is that part. In split-K nobody waits, so all parts go through
/// the workspace.
constexpr bool keeps_part(const WorkOrder& w, const WorkItem& item) {
  return cuts_slices(w) && item.k_begin == 0;
}
/// The first of a shared tile's parts, in the order of k, that passes through the workspace.
constexpr int first_given_part(const WorkOrder& w) { return cuts_slices(w) ? 1 : 0; }

/// How much CTAs that share tiles pass through the workspace.
struct SharedWork {
  long long tiles = 0;  // that several CTAs compute
  long long parts = 0;  // of those tiles in the workspace; each is stored once and loaded once
};
constexpr SharedWork shared_work(const WorkOrder& w) {
  SharedWork all;
  if (splits_k(w) && w.splits > 1) return {w.raster.tiles(), cta_count(w)};
  if (!cuts_slices(w)) return all;
  for (int cta = 0; cta < w.ctas; ++cta) {
    const int items = stream_items(w, cta);
    if (items == 0) continue;
    // Only the first one begins within a tile; only the last one can leave a tile to others.
    const WorkItem first = work_item(w, cta, 0), last = work_item(w, cta, items - 1);
    if (first.partial && !keeps_part(w, first)) ++all.parts;
    if (last.partial && keeps_part(w, last)) ++all.tiles;
  }
  return all;
}
constexpr long long count_items(const WorkOrder& w) {
  if (!stays(w)) return cta_count(w);
  long long items = 0;
  for (int cta = 0; cta < w.ctas; ++cta) items += work_items(w, cta);
  return items;
}

/// The CTAs that compute parts of a tile, in the order of their parts along k: first, first + step,
/// …
struct TileParts {
  int first = 0, count = 1, step = 1;
  constexpr int cta(int part) const { return first + part * step; }
};
/// Of Stream-K there must be no more CTAs than slices.
constexpr TileParts tile_parts(const WorkOrder& w, Coord tile) {
  const int index = raster_index(w.raster, tile);
  switch (w.kind) {
    case WorkKind::split_k:
      return {index, w.splits, w.raster.tiles()};
    case WorkKind::persistent:
      return {index % w.ctas, 1, 1};
    case WorkKind::stream_k: {
      if (index >= stream_tiles(w)) return {(index - stream_tiles(w)) % w.ctas, 1, 1};
      const long long slice = 1LL * index * w.k_slices;
      const int first = stream_cta(w, slice);
      return {first, stream_cta(w, slice + w.k_slices - 1) - first + 1, 1};
    }
    case WorkKind::one_tile:
      return {index, 1, 1};
  }
  return {};
}

/// The CTA that works on a k slice of a tile, and as which of its items.
struct TileWorker {
  int cta = 0, item = 0;
};
constexpr TileWorker worker_of(const WorkOrder& w, Coord tile, int k_slice) {
  const int index = raster_index(w.raster, tile);
  switch (w.kind) {
    case WorkKind::split_k: {
      const int part = static_cast<int>(((k_slice + 1LL) * w.splits - 1) / w.k_slices);
      return {part * w.raster.tiles() + index, 0};
    }
    case WorkKind::persistent:
      return {index % w.ctas, index / w.ctas};
    case WorkKind::stream_k: {
      if (const int whole = index - stream_tiles(w); whole >= 0) {
        const int cta = whole % w.ctas;
        return {cta, stream_items(w, cta) + whole / w.ctas};
      }
      const int cta = stream_cta(w, 1LL * index * w.k_slices + k_slice);
      return {cta, index - static_cast<int>(stream_begin(w, cta) / w.k_slices)};
    }
    case WorkKind::one_tile:
      return {index, 0};
  }
  return {};
}
constexpr TileWorker first_worker(const WorkOrder& w, Coord tile) { return worker_of(w, tile, 0); }

}  // namespace tilescope
