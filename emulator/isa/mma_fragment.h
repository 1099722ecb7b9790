// Fragments: which element of a matrix each lane's registers hold. Written from the PTX ISA 9.0,
// "Matrix Fragments for mma.…", as functions of the lane and of the element's number i in it.
#pragma once
#include "emulator/isa/matrix_elements.h"

namespace tilescope::emulator::TILESCOPE_ISA {

struct Place {
  int row, col;
};
constexpr Place transposed(Place p) { return {p.col, p.row}; }

// groupID = lane / 4 and threadID_in_group = lane % 4 of the ISA's text. P elements that follow
// each other along k share a 32-bit register (P = 1 for 32 and 64 bits), so that one formula says
// what the ISA says type by type. Its text for .m16n8k256 has `+ i` where `+ (i & 0x1F)` is meant.
template <int P>
constexpr Place a_of_m16(int lane, int i) {
  return {lane / 4 + 8 * (i / P % 2), P * (lane % 4) + i % P + 4 * P * (i / (2 * P))};
}
template <int P>
constexpr Place b_of_n8(int lane, int i) {
  return {P * (lane % 4) + i % P + 4 * P * (i / P), lane / 4};
}
template <int P>
constexpr Place a_of_m8(int lane, int i) {
  return transposed(b_of_n8<P>(lane, i));
}
constexpr Place c_of_n8(int lane, int i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

/// A matrix of Rows × Cols elements of type T over a warp; `At` says where element i of a lane is.
/// With several products per warp (m8n8k4 of f16), their matrices lie below each other.
template <class T, int Rows, int Cols, int Elements, auto At>
struct Fragment {
  using Type = T;
  using Value = typename T::Value;
  static constexpr int rows = Rows, cols = Cols, elements = Elements;
  static constexpr int packed = T::bits < 32 ? 32 / T::bits : 1;  // in a register
  static constexpr int registers = Elements / packed;
  static constexpr Place at(int lane, int i) { return At(lane, i); }

  /// Index in the dense matrix, by register, lane, position in the register.
  struct Index {
    u16 of[registers][32][packed];
  };
  static constexpr Index make_index() {
    Index index{};
    for (int r = 0; r < registers; ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int p = 0; p < packed; ++p) {
          const Place place = At(lane, r * packed + p);
          index.of[r][lane][p] = static_cast<u16>(place.row * Cols + place.col);
        }
      }
    }
    return index;
  }
  static constexpr Index index = make_index();

  /// Registers before those that repeat them (see wmma_fragment.h).
  static constexpr int count_distinct() {
    for (int r = 1; r < registers; ++r) {
      if (index.of[r][0][0] == index.of[0][0][0]) return r;
    }
    return registers;
  }
  static constexpr int distinct = count_distinct();
};

/// Operands of mma.m{M}n8k{K}. K in elements of T (of B1x32: in words).
template <class T>
constexpr int along_k = T::bits < 32 ? 32 / T::bits : 1;
template <class T, int M, int K>
using MmaA = Fragment<T, M, K, M * K / 32, M == 8 ? &a_of_m8<along_k<T>> : &a_of_m16<along_k<T>>>;
template <class T, int K>
using MmaB = Fragment<T, K, 8, K / 4, &b_of_n8<along_k<T>>>;
template <class T, int M>
using MmaC = Fragment<T, M, 8, M / 4, &c_of_n8>;

// mma.m8n8k4 of f16: lanes 4p … 4p+3 ("low group") and 16+4p … 16+4p+3 ("high group") compute
// product p. Each lane has four elements of one row or column, in the order of the operand's
// layout; the accumulators' places depend on their type.
constexpr int quad_product(int lane) { return lane % 16 / 4; }
constexpr int quad_row(int lane) { return lane % 4 + (lane < 16 ? 0 : 4); }
template <bool ColumnMajor>
constexpr Place a_of_quad(int lane, int i) {
  const int row = ColumnMajor ? i + (lane < 16 ? 0 : 4) : quad_row(lane);
  return {8 * quad_product(lane) + row, ColumnMajor ? lane % 4 : i};
}
template <bool ColumnMajor>
constexpr Place b_of_quad(int lane, int i) {
  const int row = ColumnMajor ? i : lane % 4;
  return {4 * quad_product(lane) + row, ColumnMajor ? quad_row(lane) : i + (lane < 16 ? 0 : 4)};
}
constexpr Place half_c_of_quad(int lane, int i) {
  return {8 * quad_product(lane) + quad_row(lane), i};
}
constexpr Place float_c_of_quad(int lane, int i) {
  const int row = lane % 2 + (i & 2) + (lane < 16 ? 0 : 4);
  return {8 * quad_product(lane) + row, (i & 4) + (lane & 2) + (i & 1)};
}
template <bool ColumnMajor>
using QuadA = Fragment<F16, 32, 4, 4, &a_of_quad<ColumnMajor>>;
template <bool ColumnMajor>
using QuadB = Fragment<F16, 16, 8, 4, &b_of_quad<ColumnMajor>>;
template <class T>
using QuadC = Fragment<T, 32, 8, 8, T::bits == 16 ? &half_c_of_quad : &float_c_of_quad>;

}  // namespace tilescope::emulator::TILESCOPE_ISA
