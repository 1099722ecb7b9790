// ldmatrix, stmatrix and movmatrix: 8×8 matrices of 16-bit elements between shared memory and the
// registers of a warp.
// Source: PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", "… stmatrix" and "Warp-level
// matrix transpose instruction: movmatrix".
#pragma once
#include "core/layout/fragment.h"

namespace tilescope {

constexpr int kMatrixRows = 8;       // of an ldmatrix matrix
constexpr int kMatrixRowBytes = 16;  // eight 16-bit elements

/// Who holds element [8 · matrix + row, col] of `matrices` stacked 8×8 matrices: register i of each
/// lane belongs to matrix i. Transposed: a lane holds two rows of a column instead.
constexpr FragmentLayout matrix_registers(int matrices, bool transposed) {
  FragmentLayout f;
  f.rows = kMatrixRows * matrices, f.cols = 8, f.bits = 16, f.values_per_register = 2;
  const int row = 1, col = f.rows;
  f.thread = transposed ? make_layout({4, 2 * row}, {8, col}) : make_layout({4, 2 * col}, {8, row});
  f.value = make_layout({2, transposed ? row : col});
  if (matrices > 1) f.value = append(f.value, {matrices, kMatrixRows * row});
  return f;
}
/// Lane → row of the stacked matrices whose address it gives.
constexpr Layout matrix_address(int matrices) {
  return make_layout({kMatrixRows, 1}, {matrices, kMatrixRows});
}

enum class MatrixMoveKind : int { ldmatrix, stmatrix, movmatrix };

/// One of the instructions. movmatrix goes from `registers` to `result`.
struct MatrixMove {
  MatrixMoveKind kind = MatrixMoveKind::ldmatrix;
  int matrices = 1;
  bool transposed = false;
  FragmentLayout registers;  // in the coordinates of the matrices as they lie in shared memory
  FragmentLayout result;     // movmatrix: in the coordinates of the source matrix
  Layout address;            // ldmatrix, stmatrix: lane → row
};
constexpr MatrixMove make_matrix_move(MatrixMoveKind kind, int matrices, bool transposed) {
  const bool move = kind == MatrixMoveKind::movmatrix;
  return {kind,
          matrices,
          transposed,
          matrix_registers(matrices, transposed && !move),
          matrix_registers(matrices, transposed),
          matrix_address(matrices)};
}

/// One ldmatrix over a stored tile of `lines` lines: lane l gives the address of one 16-byte row.
/// The place is [outer, unit]: outer is m for A and n for B, a unit is 16 bits along k (an element
/// of a 16-bit type), so that every type is loaded by the same map. Rows run along k; where the
/// outer dimension is the contiguous one they run along it, and .trans turns them.
struct LdmatrixMap {
  Layout address;  // lane → column-major offset in the tile
  int matrices = 4;
  int lines = 16;
  constexpr bool operator==(const LdmatrixMap&) const = default;
};
constexpr int kMatrixUnits = kMatrixRowBytes / 2;  // of a row
constexpr Coord ldmatrix_row(const LdmatrixMap& map, int lane) {
  return coord_of(map.address(lane), map.lines);
}
/// Matrices `down` along the outer dimension × `across` along k, those of one k first if
/// `down_first`.
constexpr LdmatrixMap ldmatrix_map(int down, int across, bool down_first, bool transposed) {
  const int lines = down * kMatrixRows;
  const Mode below{down, kMatrixRows}, beside{across, kMatrixUnits * lines};
  return {make_layout({kMatrixRows, transposed ? lines : 1}, down_first ? below : beside,
                      down_first ? beside : below),
          down * across, lines};
}
/// The registers come out as a0..a3 of one m16n8k16 A fragment. Transposed: A is stored [k, m].
constexpr LdmatrixMap ldmatrix_for_a(bool transposed = false) {
  return ldmatrix_map(2, 2, true, transposed);
}
/// The registers come out as b0, b1 of two neighbouring n8 tiles, B stored [n, k] (transposed: [k,
/// n]).
constexpr LdmatrixMap ldmatrix_for_b(bool transposed = false) {
  return ldmatrix_map(2, 2, false, transposed);
}

}  // namespace tilescope
