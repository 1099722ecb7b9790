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

/// ldmatrix.x4 over a tile of 16 lines of 32 bytes (16 halves): lane l gives the address of one
/// 16-byte row. The place is [outer, k] in the stored tile: outer is m for A and n for B.
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
