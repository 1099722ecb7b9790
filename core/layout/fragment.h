// Which thread holds which element: a thread layout plus a value layout into one tile.
// Source of the m16n8k16 and ldmatrix maps: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16" and
// "Warp-level matrix load instruction: ldmatrix".
#pragma once
#include "core/layout/layout.h"
#include "core/layout/problem.h"

namespace tilescope {

/// A tile of rows × cols elements held by `threads` threads (a warp's 32 lanes, or a CTA's
/// threads), `values` each. Offsets of both layouts are column-major in the tile and add up without
/// carry, so the place of (thread, value) is the place of the thread plus the place of the value.
struct FragmentLayout {
  int rows = 0;
  int cols = 0;
  int bits = 32;                // of one value
  int values_per_register = 1;  // value v lies in register v / values_per_register, low bits first
  Layout thread;
  Layout value;

  constexpr int threads() const { return thread.size(); }
  constexpr int values() const { return value.size(); }
  constexpr int registers() const { return values() / values_per_register; }
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

/// Who holds an element, and in which value; -1 if nobody does.
struct Holder {
  int thread = -1;
  int value = -1;
};
constexpr Holder fragment_holder(const FragmentLayout& f, Coord at) {
  for (int t = 0; t < f.threads(); ++t) {
    for (int v = 0; v < f.values(); ++v) {
      if (fragment_coord(f, t, v) == at) return {t, v};
    }
  }
  return {};
}

/// A matrix instruction: D = A·B + C on tiles [m, k], [k, n], [m, n].
struct MmaAtom {
  int m = 0, n = 0, k = 0;
  ElementType type_a = ElementType::f16, type_b = ElementType::f16, type_c = ElementType::f32;
  FragmentLayout a, b, c;
};

/// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
constexpr MmaAtom mma_m16n8k16_f16_f32() {
  MmaAtom atom;
  atom.m = 16, atom.n = 8, atom.k = 16;
  atom.a = {16, 16, 16, 2, make_layout({4, 32}, {8, 1}), make_layout({2, 16}, {2, 8}, {2, 128})};
  atom.b = {16, 8, 16, 2, make_layout({4, 2}, {8, 16}), make_layout({2, 1}, {2, 8})};
  atom.c = {16, 8, 32, 1, make_layout({4, 32}, {8, 1}), make_layout({2, 16}, {2, 8})};
  return atom;
}

/// ldmatrix.x4: lane l gives the address of one 16-byte row (eight halves) of a 16×16 tile.
/// The place is [outer, k] in the stored tile: outer is m for A and n for B.
struct LdmatrixMap {
  Layout address;  // lane → column-major offset in the 16×16 tile
  int matrices = 4;
};
constexpr Coord ldmatrix_row(const LdmatrixMap& map, int lane) {
  return coord_of(map.address(lane), 16);
}
/// The registers come out as a0..a3 of one m16n8k16 A fragment.
constexpr LdmatrixMap ldmatrix_for_a() { return {make_layout({8, 1}, {2, 8}, {2, 8 * 16})}; }
/// The registers come out as b0, b1 of two neighbouring n8 tiles, B stored [n, k].
constexpr LdmatrixMap ldmatrix_for_b() { return {make_layout({8, 1}, {2, 8 * 16}, {2, 8})}; }

}  // namespace tilescope
