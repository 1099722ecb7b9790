// The tile parameters, one per line of a table. The struct, the sliders, the command line's
// --tile, the session file and the cache key are all made from the table: a new parameter is one
// more line here.
#pragma once

// name, label, what it is (the tooltip), names of its values from 0 on ("" where they are numbers)
#define TILESCOPE_TILE_FIELDS(X)                                                                  \
  X(block_m, "block M", "Rows of C that one CTA computes", "")                                    \
  X(block_n, "block N", "Columns of C that one CTA computes", "")                                 \
  X(block_k, "block K", "Depth of the k slice that a CTA brings to shared memory at a time", "")  \
  X(warp_m, "warp M", "Rows of C that one warp computes, in tiles of the mma instruction", "")    \
  X(warp_n, "warp N", "Columns of C that one warp computes, in tiles of the mma instruction", "") \
  X(warps_k, "warps in K", "Warps that split each k slice of a warp tile between them", "")       \
  X(thread_m, "thread M", "Rows of C that one thread keeps in registers", "")                     \
  X(thread_n, "thread N", "Columns of C that one thread keeps in registers", "")                  \
  X(prefetch, "prefetch", "How the next k slice comes to shared memory", "registers|cp.async")    \
  X(stages, "stages", "k slices that have room in shared memory at once: the cp.async ring", "")  \
  X(raster, "raster", "Block tiles launched down a column before the next: 1 walks along a row",  \
    "")                                                                                           \
  X(swizzle, "swizzle", "XOR: 16-byte chunks of a row are permuted with the row; none: as is",    \
    "none|XOR")                                                                                   \
  X(splits, "split K",                                                                            \
    "CTAs that share a tile's k. 0, Stream-K: the k slices of all tiles, in equal parts for as "  \
    "many CTAs as the card holds; 1: each tile has its CTA",                                      \
    "")                                                                                           \
  X(min_ctas, "CTAs/SM",                                                                          \
    "CTAs that an SM is to hold at once: registers are kept low enough for it", "")               \
  X(cluster_m, "cluster M", "CTAs of a cluster along M, that read B for each other", "")          \
  X(cluster_n, "cluster N", "CTAs of a cluster along N, that read A for each other", "")          \
  X(epilogue, "store of C",                                                                       \
    "How sums become C: each thread stores its own, or warps lay them out in shared memory and "  \
    "send them on as boxes (TMA)",                                                                \
    "by threads|by boxes")                                                                        \
  X(promote, "promote",                                                                           \
    "k slices that the tensor core sums up by itself, in few bits, before the sum goes to "       \
    "registers. 0: all of them",                                                                  \
    "")

namespace tilescope {

/// Extents in elements; 0 = the kernel does not have this parameter.
struct TileConfig {
#define TILESCOPE_FIELD(name, label, what, names) int name = 0;
  TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
};

enum class TileFieldId : int {
#define TILESCOPE_FIELD(name, label, what, names) name,
  TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
      none
};
constexpr int kTileFieldCount = static_cast<int>(TileFieldId::none);

constexpr int get(const TileConfig& tile, TileFieldId id) {
  switch (id) {
#define TILESCOPE_FIELD(name, label, what, names) \
  case TileFieldId::name:                         \
    return tile.name;
    TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
    default:
      return 0;
  }
}
constexpr void set(TileConfig& tile, TileFieldId id, int value) {
  switch (id) {
#define TILESCOPE_FIELD(name, label, what, names) \
  case TileFieldId::name:                         \
    tile.name = value;                            \
    break;
    TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
    default:
      break;
  }
}
constexpr bool operator==(const TileConfig& a, const TileConfig& b) {
  for (int i = 0; i < kTileFieldCount; ++i) {
    if (get(a, static_cast<TileFieldId>(i)) != get(b, static_cast<TileFieldId>(i))) return false;
  }
  return true;
}
constexpr bool operator!=(const TileConfig& a, const TileConfig& b) { return !(a == b); }

#ifndef __CUDACC__  // text for people; a namespace-scope array would become device memory
struct TileField {
  TileFieldId id;
  const char* name;   // as in --tile and in files
  const char* label;  // as on the slider
  const char* what;   // as in the tooltip
  const char* names;  // of the values 0, 1, … ("none|XOR"); empty: they are numbers
};
inline constexpr TileField kTileFields[] = {
#define TILESCOPE_FIELD(name, label, what, names) {TileFieldId::name, #name, label, what, names},
    TILESCOPE_TILE_FIELDS(TILESCOPE_FIELD)
#undef TILESCOPE_FIELD
};
#endif

/// One slider of a kernel: the values it allows, ascending, and where it starts.
struct Slider {
  static constexpr int kMaxValues = 12;
  TileFieldId field = TileFieldId::none;
  int count = 0;
  int values[kMaxValues] = {};
  int start = 0;

  constexpr bool allows(int value) const {
    for (int i = 0; i < count; ++i) {
      if (values[i] == value) return true;
    }
    return false;
  }
};

struct Sliders {
  int count = 0;
  Slider slider[kTileFieldCount] = {};

  template <class... Values>
  constexpr Sliders& add(TileFieldId field, int start, Values... values) {
    Slider& s = slider[count++];
    s.field = field;
    s.start = start;
    ((s.values[s.count++] = values), ...);
    return *this;
  }
  constexpr TileConfig defaults() const {
    TileConfig tile;
    for (int i = 0; i < count; ++i) set(tile, slider[i].field, slider[i].start);
    return tile;
  }
  constexpr const Slider* find(TileFieldId field) const {
    for (int i = 0; i < count; ++i) {
      if (slider[i].field == field) return &slider[i];
    }
    return nullptr;
  }
};

}  // namespace tilescope
