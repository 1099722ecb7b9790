// Every map of the list holds each element, and as often as it says.
#include <gtest/gtest.h>

#include <vector>

#include "core/layout/matrix_move.h"
#include "core/layout/mma_list.h"

namespace tilescope {
namespace {

void expect_held(const FragmentLayout& f, const char* what) {
  std::vector<int> held(static_cast<size_t>(f.rows * f.cols));
  for (int t = 0; t < f.threads(); ++t) {
    for (int v = 0; v < f.values(); ++v) {
      const Coord at = fragment_coord(f, t, v);
      ASSERT_TRUE(at.row >= 0 && at.row < f.rows && at.col >= 0 && at.col < f.cols) << what;
      ++held[static_cast<size_t>(at.col * f.rows + at.row)];
      const Holder holder = fragment_holder(f, at);
      ASSERT_EQ(fragment_coord(f, holder.thread, holder.value), at) << what;
      if (f.copies() == 1) {
        ASSERT_TRUE(holder.thread == t && holder.value == v) << what;
      } else {  // of copies the first
        ASSERT_TRUE(holder.thread < t || (holder.thread == t && holder.value <= v)) << what;
      }
    }
  }
  for (int count : held) ASSERT_EQ(count, f.copies()) << what;
}

TEST(Bijection, EveryMmaHoldsEachElement) {
  int instructions = 0, with_copies = 0;
  for (int family = 0; family < kMmaFamilies; ++family) {
    for_each_mma(mma_family(family), [&](const MmaSpec& spec, const MmaFamily&) {
      const MmaAtom atom = make_mma(spec);
      ASSERT_EQ(atom.a.rows, spec.m);
      ASSERT_EQ(atom.a.cols, spec.k);
      ASSERT_EQ(atom.c.rows, spec.m);
      ASSERT_EQ(atom.c.cols, spec.n);
      for (const FragmentLayout* f : {&atom.a, &atom.c, &atom.d}) expect_held(*f, "A, C or D");
      if (!atom.b_in_shared) {
        ASSERT_EQ(atom.b.rows, spec.k);
        ASSERT_EQ(atom.b.cols, spec.n);
        expect_held(atom.b, "B");
      }
      ++instructions;
      const bool copies = atom.a.copies() > 1 || atom.b.copies() > 1;
      if (copies && !atom.b_in_shared) {
        ++with_copies;
        ASSERT_EQ(spec.kind, MmaKind::wmma);
      }
      ASSERT_EQ(atom.c.copies(), 1);
    });
  }
  EXPECT_EQ(instructions, 701 - 13);  // and 13 that move matrices
  EXPECT_EQ(with_copies, 48);         // all of wmma
}

TEST(Bijection, EveryMatrixMoveHoldsEachElement) {
  for (MatrixMoveKind kind :
       {MatrixMoveKind::ldmatrix, MatrixMoveKind::stmatrix, MatrixMoveKind::movmatrix}) {
    for (int matrices : {1, 2, 4}) {
      for (bool transposed : {false, true}) {
        const MatrixMove move = make_matrix_move(kind, matrices, transposed);
        expect_held(move.registers, "registers");
        expect_held(move.result, "result");
        std::vector<int> given(static_cast<size_t>(8 * matrices));
        for (int lane = 0; lane < move.address.size(); ++lane) {
          ++given.at(static_cast<size_t>(move.address(lane)));
        }
        for (int count : given) EXPECT_EQ(count, 1);
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
