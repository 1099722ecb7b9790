// The sums of a matrix's columns, as a layer needs them for the gradient of its bias. Each lane
// sums `width` neighbouring columns, so a CTA has 32 · width of them; its eight warps take every
// eighth row each and add up in shared memory. Where there are many rows, several CTAs (`parts`)
// take some rows each: every part writes one line of sums, and the same kernel then sums those
// lines.
#pragma once
#include "core/layout/element_type.h"
#include "core/layout/launch.h"
#include "core/layout/layout.h"

namespace tilescope {

inline constexpr int kColumnSumThreads = 256;
inline constexpr int kColumnSumWarps = kColumnSumThreads / 32;
inline constexpr int kColumnSumBytes = 16;  // that a lane reads at once, where lines allow it

/// What is summed: `rows` lines of `cols` elements. `width`: neighbouring columns per lane; each
/// line begins at a multiple of them and has a multiple of them.
struct ColumnSum {
  int rows = 0, cols = 0;
  long long leading = 0;  // elements from line to line
  int width = 1;
  int parts = 1;  // CTAs that share a column: each gives a line of sums

  constexpr int cta_cols() const { return 32 * width; }
  constexpr int rows_per_part() const { return ceil_div(rows, parts); }
};

/// The largest `width`, in elements of at most 16 bytes, for which that is so.
constexpr int column_sum_width(ElementType type, int cols, long long leading) {
  int width = kColumnSumBytes / element_bytes(type);
  while (width > 1 && (cols % width != 0 || leading % width != 0)) width /= 2;
  return width;
}
/// As many parts as give a card of `sms` SMs several CTAs each, but none of few rows.
constexpr ColumnSum column_sum_of(ElementType type, int rows, int cols, long long leading,
                                  int sms) {
  constexpr int kCtasPerSm = 8, kFewestRows = 64;
  ColumnSum s{rows, cols, leading, column_sum_width(type, cols, leading), 1};
  const int across = ceil_div(cols, s.cta_cols());
  const int wanted = ceil_div(sms * kCtasPerSm, across), most = ceil_div(rows, kFewestRows);
  s.parts = min_of(wanted, most);
  s.parts = ceil_div(rows, s.rows_per_part());  // none is empty
  return s;
}
constexpr Launch column_sum_launch(const ColumnSum& s) {
  Launch launch;
  launch.grid_x = ceil_div(s.cols, s.cta_cols()), launch.grid_y = s.parts;
  launch.threads = kColumnSumThreads;
  launch.shared_bytes = kColumnSumWarps * s.cta_cols() * 4;
  return launch;
}
/// The first row and column of a thread; it goes on kColumnSumWarps rows at a time until its part
/// ends.
constexpr Coord column_sum_first(const ColumnSum& s, int cta, int part, int thread) {
  return {part * s.rows_per_part() + thread / 32, cta * s.cta_cols() + thread % 32 * s.width};
}
constexpr int column_sum_end(const ColumnSum& s, int part) {
  return min_of((part + 1) * s.rows_per_part(), s.rows);
}
constexpr long long column_sum_index(const ColumnSum& s, Coord at) {
  return at.row * s.leading + at.col;
}
/// Where a sum is kept, as the index of a float: in shared memory [warp, column of the CTA], in
/// global memory [part, column].
constexpr int column_sum_shared(const ColumnSum& s, int warp, int col_in_cta) {
  return warp * s.cta_cols() + col_in_cta;
}
constexpr long long column_sum_out(const ColumnSum& s, int part, int col) {
  return 1LL * part * s.cols + col;
}

}  // namespace tilescope
