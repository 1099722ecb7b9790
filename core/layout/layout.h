// Shape:stride layouts: the one mechanism behind every map of this project, from mma fragments to
// the thread tiles of SIMT kernels.
//
// Everything in core/layout is constexpr, takes its sizes as arguments, and is the same text for
// g++, nvcc and NVRTC: no std headers, no CUDA words, no tables indexed by lane (NVRTC would turn
// those into global memory; a shape:stride loop folds away).
#pragma once

namespace tilescope {

constexpr int min_of(int a, int b) { return a < b ? a : b; }
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
constexpr long long ceil_div(long long a, long long b) { return (a + b - 1) / b; }

/// A place in a matrix or tile: row, column. For A [m, k], for B [k, n], for C [m, n].
struct Coord {
  int row = 0;
  int col = 0;
};
constexpr bool operator==(Coord a, Coord b) { return a.row == b.row && a.col == b.col; }
constexpr Coord operator+(Coord a, Coord b) { return {a.row + b.row, a.col + b.col}; }

/// One mode of a layout: `shape` steps of `stride`.
struct Mode {
  int shape = 1;
  int stride = 0;
  constexpr bool operator==(const Mode&) const = default;
};

/// index → offset. The index is split over the modes, the first mode fastest (as in CuTe):
/// (4, 8):(32, 1) sends index i to (i % 4) * 32 + (i / 4) * 1.
struct Layout {
  static constexpr int kMaxRank = 6;
  int rank = 0;
  Mode mode[kMaxRank] = {};
  constexpr bool operator==(const Layout&) const = default;

  constexpr int size() const {
    int n = 1;
    for (int i = 0; i < kMaxRank; ++i) {
      if (i < rank) n *= mode[i].shape;
    }
    return n;
  }
  constexpr int operator()(int index) const {
    int offset = 0;
    for (int i = 0; i < kMaxRank; ++i) {
      if (i < rank) {
        offset += (index % mode[i].shape) * mode[i].stride;
        index /= mode[i].shape;
      }
    }
    return offset;
  }
};

constexpr Layout make_layout(Mode a) { return {1, {a}}; }
constexpr Layout make_layout(Mode a, Mode b) { return {2, {a, b}}; }
constexpr Layout make_layout(Mode a, Mode b, Mode c) { return {3, {a, b, c}}; }
constexpr Layout make_layout(Mode a, Mode b, Mode c, Mode d) { return {4, {a, b, c, d}}; }

constexpr Layout append(Layout layout, Mode mode) {
  layout.mode[layout.rank++] = mode;
  return layout;
}

/// The index whose part an offset holds: for each mode the digit at its stride, 0 for copies. The
/// inverse of a layout whose modes' digits do not overlap, whatever else is in the offset.
constexpr int index_of(const Layout& layout, int offset) {
  int index = 0, before = 1;
  for (int i = 0; i < Layout::kMaxRank; ++i) {
    if (i < layout.rank) {
      const Mode& m = layout.mode[i];
      if (m.stride > 0) index += offset / m.stride % m.shape * before;
      before *= m.shape;
    }
  }
  return index;
}

/// The place that a column-major offset names in a tile of `rows` rows.
constexpr Coord coord_of(int offset, int rows) { return {offset % rows, offset / rows}; }

}  // namespace tilescope
