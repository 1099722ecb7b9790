// What ldmatrix leaves in the registers is what mma wants, for every pairing that kernels use; with
// stmatrix and movmatrix there and back. The registers are worked out here as the ISA describes
// them, bit by bit: types of other widths are loaded as pairs, quads, … of 16-bit elements.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/layout/matrix_move.h"
#include "core/layout/mma_list.h"

namespace tilescope {
namespace {

constexpr int kRowBits = kMatrixRowBytes * 8;

/// First line and first bit along it of each matrix that one instruction loads.
using Origins = std::vector<Coord>;

/// Line and bit along the line that bit `bit` of register `reg` of a lane holds.
Coord loaded(const MatrixMove& move, const Origins& origins, int lane, int reg, int bit) {
  const Coord at = fragment_coord(move.registers, lane, reg * 2 + bit / 16);
  const Coord origin = origins.at(static_cast<size_t>(at.row / kMatrixRows));
  return origin + Coord{at.row % kMatrixRows, at.col * 16 + bit % 16};
}

/// Plain: the lines in shared memory are the operand's own, m of A, n of B, with k along them; or
/// of C stored by rows, m with n along them. `reg0`: the operand's registers begin there.
void expect_plain(const MatrixMove& move, const Origins& origins, const FragmentLayout& f,
                  bool lines_are_rows, int reg0 = 0) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < f.values(); ++v) {
      const Coord wanted = fragment_coord(f, lane, v);
      const int line = lines_are_rows ? wanted.row : wanted.col;
      const int along = lines_are_rows ? wanted.col : wanted.row;
      const int bit = v % f.values_per_register * f.bits;
      // The first and the last bit of the element.
      for (int b : {0, f.bits - 1}) {
        const Coord found = loaded(move, origins, lane, reg0 + v / f.values_per_register, bit + b);
        ASSERT_EQ(found.row, line) << "lane " << lane << ", v " << v;
        ASSERT_EQ(found.col, along * f.bits + b) << "lane " << lane << ", v " << v;
      }
    }
  }
}

/// .trans: a line in shared memory is one k with m or n along it (or one n with m along it).
void expect_transposed(const MatrixMove& move, const Origins& origins, const FragmentLayout& f,
                       bool lines_are_rows, int reg0 = 0) {
  ASSERT_EQ(f.bits, 16);  // the only width that can be transposed
  expect_plain(move, origins, f, !lines_are_rows, reg0);
}

MatrixMove ldmatrix(int matrices, bool transposed) {
  return make_matrix_move(MatrixMoveKind::ldmatrix, matrices, transposed);
}

/// Where the matrices of an operand with k beyond one row lie: down the lines first, as A's
/// registers go, or along k first, as B's do.
Origins down_first(int lines, int across) {
  Origins origins;
  for (int x = 0; x < across; ++x) {
    for (int line = 0; line < lines; line += kMatrixRows) origins.push_back({line, x * kRowBits});
  }
  return origins;
}
Origins swapped(const Origins& origins) {  // for .trans: origins [k, bit of m] from [m, bit of k]
  Origins out;
  for (Coord at : origins) out.push_back({at.col / 16, at.row * 16});
  return out;
}

TEST(Pairing, EveryOperandThatLdmatrixCanLoad) {
  int checked = 0;
  for (int family = 0; family < kMmaFamilies; ++family) {
    for_each_mma(mma_family(family), [&](const MmaSpec& spec, const MmaFamily&) {
      if (spec.kind != MmaKind::mma_sync) return;
      const MmaAtom atom = make_mma(spec);
      if (atom.group.size() > 1 || atom.a.bits > 32) return;  // quads and f64 are not loaded so
      const int across = spec.k * atom.a.bits / kRowBits;
      const Origins a = down_first(spec.m, across), b = down_first(spec.n, across);
      ASSERT_EQ(static_cast<int>(a.size()), atom.a.registers());
      ASSERT_EQ(static_cast<int>(b.size()), atom.b.registers());
      expect_plain(ldmatrix(atom.a.registers(), false), a, atom.a, true);
      expect_plain(ldmatrix(atom.b.registers(), false), b, atom.b, false);
      if (atom.a.bits == 16) {
        expect_transposed(ldmatrix(atom.a.registers(), true), swapped(a), atom.a, true);
        expect_transposed(ldmatrix(atom.b.registers(), true), swapped(b), atom.b, false);
      }
      ++checked;
    });
  }
  EXPECT_EQ(checked, 78);
}

// Kernels save instructions: one x4 gives B of two neighbouring n8 tiles, or of two k steps.
TEST(Pairing, OneX4ForTwoBs) {
  for (const auto& [k, type] : {std::pair{16, ElementType::f16},
                                {32, ElementType::s8},
                                {8, ElementType::tf32},
                                {64, ElementType::s4},
                                {256, ElementType::b1}}) {
    MmaSpec spec{MmaKind::mma_sync, 16, 8, k};
    spec.type_a = spec.type_b = type;
    const MmaAtom atom = make_mma(spec);
    const Origins tiles = {{0, 0}, {0, kRowBits}, {8, 0}, {8, kRowBits}};
    const Origins steps = {{0, 0}, {0, kRowBits}, {0, 2 * kRowBits}, {0, 3 * kRowBits}};
    // The second tile's lines are n + 8, the second step's bits come k further.
    const auto moved = [](Origins origins, Coord by) {
      for (Coord& at : origins) at = at + by;
      return origins;
    };
    for (bool transposed : {false, true}) {
      if (transposed && atom.b.bits != 16) continue;
      const auto expect = [&](const Origins& origins, int reg0) {
        if (transposed) {
          expect_transposed(ldmatrix(4, true), swapped(origins), atom.b, false, reg0);
        } else {
          expect_plain(ldmatrix(4, false), origins, atom.b, false, reg0);
        }
      };
      expect(tiles, 0);
      expect(moved(tiles, {-8, 0}), 2);
      expect(steps, 0);
      expect(moved(steps, {0, -2 * kRowBits}), 2);
    }
  }
}

// The maps by which the ladder's kernels address their tiles: lane → [line, 16-bit unit].
TEST(Pairing, AddressesOfTheKernels) {
  const Coord a[] = {{0, 0}, {8, 0}, {0, 8}, {8, 8}}, b[] = {{0, 0}, {0, 8}, {8, 0}, {8, 8}};
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(ldmatrix_row(ldmatrix_for_a(), lane), a[lane / 8] + (Coord{lane % 8, 0}));
    EXPECT_EQ(ldmatrix_row(ldmatrix_for_b(), lane), b[lane / 8] + (Coord{lane % 8, 0}));
  }
}

// f16 accumulators leave by stmatrix: x2 an m16n8 tile, x4 two of them; .trans stores C by columns.
TEST(Pairing, StmatrixStoresAccumulators) {
  MmaSpec spec{MmaKind::mma_sync, 16, 8, 16};
  spec.type_c = spec.type_d = ElementType::f16;
  const FragmentLayout c = make_mma(spec).c;
  const auto stmatrix = [](int matrices, bool transposed) {
    return make_matrix_move(MatrixMoveKind::stmatrix, matrices, transposed);
  };
  const Origins one = {{0, 0}, {8, 0}}, two = {{0, 0}, {8, 0}, {0, kRowBits}, {8, kRowBits}};
  const Origins second = {{0, -kRowBits}, {8, -kRowBits}, {0, 0}, {8, 0}};
  expect_plain(stmatrix(2, false), one, c, true);
  expect_plain(stmatrix(4, false), two, c, true);
  expect_plain(stmatrix(4, false), second, c, true, 2);
  expect_transposed(stmatrix(2, true), swapped(one), c, true);
  expect_transposed(stmatrix(4, true), swapped(two), c, true);
  expect_transposed(stmatrix(4, true), swapped(second), c, true, 2);
}

// Matrices with a number in each element through registers and back.
using Matrices = std::vector<int>;                     // [8 · matrix + row][col]
using Registers = std::array<std::array<int, 8>, 32>;  // [lane][value]

size_t place(Coord at) { return static_cast<size_t>(at.row * 8 + at.col); }

Matrices numbered(int matrices) {
  Matrices made(static_cast<size_t>(64 * matrices));
  for (size_t i = 0; i < made.size(); ++i) made[i] = static_cast<int>(i) + 1;
  return made;
}
Registers gathered(const FragmentLayout& f, const Matrices& from) {
  Registers to = {};
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < f.values(); ++v) {
      to[static_cast<size_t>(lane)][static_cast<size_t>(v)] =
          from[place(fragment_coord(f, lane, v))];
    }
  }
  return to;
}
Matrices scattered(const FragmentLayout& f, const Registers& from) {
  Matrices to(static_cast<size_t>(f.rows * f.cols));
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < f.values(); ++v) {
      to[place(fragment_coord(f, lane, v))] =
          from[static_cast<size_t>(lane)][static_cast<size_t>(v)];
    }
  }
  return to;
}

TEST(Pairing, LdmatrixThenStmatrixIsTheIdentity) {
  for (int matrices : {1, 2, 4}) {
    const Matrices before = numbered(matrices);
    for (bool transposed : {false, true}) {
      const auto load = ldmatrix(matrices, transposed);
      const auto store = make_matrix_move(MatrixMoveKind::stmatrix, matrices, transposed);
      EXPECT_EQ(scattered(store.registers, gathered(load.registers, before)), before);
      for (int lane = 0; lane < 8 * matrices; ++lane) {
        EXPECT_EQ(load.address(lane), store.address(lane));
      }
      // One of the two transposed: each matrix by itself is.
      const auto other = make_matrix_move(MatrixMoveKind::stmatrix, matrices, !transposed);
      const Matrices turned = scattered(other.registers, gathered(load.registers, before));
      for (int row = 0; row < 8 * matrices; ++row) {
        for (int col = 0; col < 8; ++col) {
          EXPECT_EQ(turned[place({row, col})], before[place({row / 8 * 8 + col, row % 8})]);
        }
      }
    }
  }
}

/// The registers after movmatrix: each holds what `result` says of the source.
Registers moved(const Registers& from) {
  const MatrixMove move = make_matrix_move(MatrixMoveKind::movmatrix, 1, true);
  return gathered(move.result, scattered(move.registers, from));
}

TEST(Pairing, MovmatrixTransposesAndTwiceIsTheIdentity) {
  const Registers source = gathered(ldmatrix(1, false).registers, numbered(1));
  EXPECT_EQ(moved(source), gathered(ldmatrix(1, true).registers, numbered(1)));
  EXPECT_NE(moved(source), source);
  EXPECT_EQ(moved(moved(source)), source);
}

}  // namespace
}  // namespace tilescope
