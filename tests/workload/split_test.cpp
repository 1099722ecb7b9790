#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/workload/layers.h"

namespace tilescope::workload {
namespace {

RC_GTEST_PROP(Split, CoversEachPlaceOnceInParts, ()) {
  const int extent = *rc::gen::inRange(1, 5000),
            parts = *rc::gen::inRange(1, std::min(extent, 70) + 1);
  int next = 0, least = extent, most = 0;
  for (int i = 0; i < parts; ++i) {
    const Range part = part_of(extent, parts, i);
    RC_ASSERT(part.first == next);
    RC_ASSERT(part.count > 0);
    next = part.end(), least = std::min(least, part.count), most = std::max(most, part.count);
  }
  RC_ASSERT(next == extent);
  RC_ASSERT(most - least <= 15);  // a unit, and what the last one lacks of its own
}

// Whatever is split, each element of each matrix is with one rank, or with all; of sums each rank
// has a summand of each.
RC_GTEST_PROP(Split, EachElementOfAMatrixIsWithOneRankOrWithAll, ()) {
  const Workload w = make_workload(any_layer(40));
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    const Matrix& m = w.matrices[i];
    std::vector<int> holders(static_cast<size_t>(m.rows * m.cols));
    for (int rank = 0; rank < w.layer.ranks; ++rank) {
      const Slice s = slice_of(w, static_cast<int>(i), rank);
      for (int row = s.rows.first; row < s.rows.end(); ++row) {
        for (int col = s.cols.first; col < s.cols.end(); ++col) {
          ++holders.at(static_cast<size_t>(row * m.cols + col));
        }
      }
    }
    const bool split = m.split == Split::rows || m.split == Split::cols;
    for (const int n : holders) RC_ASSERT(n == (split ? 1 : w.layer.ranks));
  }
}

RC_GTEST_PROP(Split, ChunksCoverWhatAStepComputesOnce, ()) {
  const Workload w = make_workload(any_layer(300));
  for (const Step& step : w.steps) {
    for (int rank = 0; rank < w.layer.ranks; ++rank) {
      int next = 0;
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        const Range rows = chunk_rows(w, step, rank, chunk);
        RC_ASSERT(rows.first == next && rows.count > 0);
        next = rows.end();
      }
      RC_ASSERT(next == slice_of(w, step.c, rank).rows.count);
    }
  }
}

TEST(Layer, WhatCannotBeIsSaidWithTheWayOut) {
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({.tokens = 0}), "tokens 0 is out of range; choose 1 to 1,048,576");
  EXPECT_EQ(why_not({.kind = LayerKind::column, .out = 3, .ranks = 4}),
            "out 3 cannot be split over 4 ranks; choose at most 3 ranks");
  EXPECT_EQ(why_not({.kind = LayerKind::row, .in = 3, .ranks = 4}),
            "in 3 cannot be split over 4 ranks; choose at most 3 ranks");
  EXPECT_EQ(why_not({.kind = LayerKind::mlp, .tokens = 7, .ranks = 2, .chunks = 8}),
            "tokens 7 cannot be cut into 8 chunks; choose at most 7");
  EXPECT_NE(why_not({.kind = LayerKind::row, .gather = true}), "");
}

}  // namespace
}  // namespace tilescope::workload
