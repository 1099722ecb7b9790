// Which thread holds which element: a thread layout plus a value layout into one tile.
#pragma once
#include "core/layout/layout.h"

namespace tilescope {

/// A tile of rows × cols elements held by `threads` threads (a warp's 32 lanes, a warpgroup's or a
/// CTA's threads), `values` each. Offsets of both layouts are column-major in the tile and add up
/// without carry, so the place of (thread, value) is the place of the thread plus the place of the
/// value. A mode of stride 0 holds copies.
struct FragmentLayout {
  int rows = 0;
  int cols = 0;
  int bits = 32;                // of one value
  int values_per_register = 1;  // value v lies in register v / values_per_register, low bits first
  Layout thread;
  Layout value;
  constexpr bool operator==(const FragmentLayout&) const = default;

  constexpr int threads() const { return thread.size(); }
  constexpr int values() const { return value.size(); }
  constexpr int registers() const { return values() / values_per_register; }
  /// How many times each element is held; 1: the map is a bijection.
  constexpr int copies() const { return threads() * values() / (rows * cols); }
};

constexpr Coord thread_coord(const FragmentLayout& f, int thread) {
  return coord_of(f.thread(thread), f.rows);
}
constexpr Coord value_coord(const FragmentLayout& f, int value) {
  return coord_of(f.value(value), f.rows);
}
constexpr Coord fragment_coord(const FragmentLayout& f, int thread, int value) {
  return thread_coord(f, thread) + value_coord(f, value);
}

/// Who holds an element, and in which value; -1 if nobody does. Of copies the first.
struct Holder {
  int thread = -1;
  int value = -1;
};
constexpr Holder fragment_holder(const FragmentLayout& f, Coord at) {
  if (at.row < 0 || at.row >= f.rows || at.col < 0 || at.col >= f.cols) return {};
  const int offset = at.col * f.rows + at.row;
  const Holder h{index_of(f.thread, offset), index_of(f.value, offset)};
  return fragment_coord(f, h.thread, h.value) == at ? h : Holder{};
}

/// One mode of a fragment's registers: they go on by `count` steps of `step` elements along an
/// axis: from line to line, along the run within a line, or nowhere (copies of the same elements).
enum class Along : int { line, run, copy };
struct Steps {
  int count = 1;
  Along axis = Along::copy;
  int step = 0;
};

/// The mechanism behind every fragment of tensor-core instructions since sm_75. A warp's lanes hold
/// a core matrix of eight lines: lane / 4 is the line, lane % 4 the place along it, `per_lane`
/// values each; the registers step through further core matrices. `lines_are_rows`: true for A and
/// C (a line is a row m), false for B (a line is a column n, the run goes along k). With several
/// warps, each holds `warp_lines` lines more.
constexpr FragmentLayout core_matrices(int rows, int cols, int bits, bool lines_are_rows,
                                       int per_lane, Steps a = {}, Steps b = {}, Steps c = {},
                                       int warps = 1, int warp_lines = 0) {
  FragmentLayout f;
  f.rows = rows, f.cols = cols, f.bits = bits;
  f.values_per_register = bits >= 32 ? 1 : 32 / bits;
  const int line = lines_are_rows ? 1 : rows, run = lines_are_rows ? rows : 1;
  f.thread = make_layout({4, per_lane * run}, {8, line});
  if (warps > 1) f.thread = append(f.thread, {warps, warp_lines * line});
  if (per_lane > 1) f.value = make_layout({per_lane, run});
  const Steps steps[3] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    const Steps& s = steps[i];
    if (s.count == 1) continue;
    const int stride = s.axis == Along::copy ? 0 : s.axis == Along::line ? line : run;
    f.value = append(f.value, {s.count, s.step * stride});
  }
  return f;
}

}  // namespace tilescope
