// The pass that packs operands: every kernel that asks for it, on ragged problems of all layouts.
#include "core/layout/packing.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/registry.h"

namespace tilescope {
namespace {

struct Packed {
  std::string name;
  KernelPlan plan;
  Problem problem;
  Operand operand = Operand::a;
};

/// Every operand that some kernel packs on some problem.
std::vector<Packed> all_packed() {
  std::vector<Packed> all;
  for (const KernelEntry& kernel : kernel_table()) {
    for (int layout : {kNN, kNT, kTN, kTT}) {
      for (int k : {1, 7, 66, 201, 1030}) {
        Problem p = default_problem(kernel.info);
        if ((kernel.info.layouts & layout) == 0) continue;
        set_layout(p, layout);
        p.m = 301, p.n = 290, p.k = k;
        p.lda = least_leading_dimension(p, Operand::a) + 1, p.offset_b = 3;
        const KernelPlan plan = kernel.plan(kernel.sliders.defaults(), p);
        for (const Operand o : {Operand::a, Operand::b}) {
          if (!packs(plan.spec, o)) continue;
          all.push_back({std::string(kernel.info.id) + " layout " + std::to_string(layout) + " k " +
                             std::to_string(k) + (o == Operand::a ? " A" : " B"),
                         plan, p, o});
        }
      }
    }
  }
  return all;
}

TEST(Packing, SomeKernelsPack) { EXPECT_GE(all_packed().size(), 20u); }

TEST(Packing, EachPieceIsWrittenOnceByItsCta) {
  for (const Packed& packed : all_packed()) {
    const Packing p = packing_of(packed.plan, packed.problem, packed.operand);
    std::set<long long> written;
    for (int cta = 0; cta < p.ctas(); ++cta) {
      for (int thread = 0; thread < kPackThreads; ++thread) {
        for (int round = 0; round < kPackRounds; ++round) {
          const Coord at = packed_piece(p, cta, thread, round);
          if (at.row >= p.room_lines || at.col >= p.pitch) continue;
          EXPECT_TRUE(written.insert(packed_to(p, at)).second) << packed.name;
          EXPECT_EQ(packing_cta(p, at), cta) << packed.name;
          EXPECT_EQ(packed_to(p, at) % kPackBytes, 0);
        }
      }
    }
    EXPECT_EQ(static_cast<long long>(written.size()) * kPackBytes, p.bytes()) << packed.name;
  }
}

TEST(Packing, WordsAreOfOneLineAndHoldThePiece) {
  for (const Packed& packed : all_packed()) {
    const Packing p = packing_of(packed.plan, packed.problem, packed.operand);
    const auto first = static_cast<unsigned long long>(
        256 + global_offset(packed.problem, packed.operand, {0, 0}));
    for (int line = 0; line < p.lines; ++line) {
      const unsigned long long begin =
          first + static_cast<unsigned long long>(packed_from(p, {line, 0}));
      const unsigned long long end =
          begin + static_cast<unsigned long long>(p.elements) * p.element_bytes;
      for (int at = 0; at < p.elements; at += p.piece()) {
        const unsigned long long piece =
            first + static_cast<unsigned long long>(packed_from(p, {line, at}));
        if (!reads_words(p, begin, piece)) continue;
        const unsigned long long word = piece / kPackBytes * kPackBytes;
        EXPECT_GE(word, begin) << packed.name;
        EXPECT_LE(word + 2 * kPackBytes, end) << packed.name;
        EXPECT_LE(piece + kPackBytes, word + 2 * kPackBytes) << packed.name;
      }
    }
  }
}

// What the kernel reads is the same matrix, in whole tiles and lines of whole cache lines.
TEST(Packing, TheKernelReadsWholeTiles) {
  for (const Packed& packed : all_packed()) {
    const bool is_a = packed.operand == Operand::a;
    const Problem read = problem_read(packed.plan, packed.problem);
    const Packing p = packing_of(packed.plan, packed.problem, packed.operand);
    const Coord room = extents_read(packed.plan, packed.problem, packed.operand);
    EXPECT_EQ((is_a ? room.row : room.col) % (is_a ? packed.plan.block_m : packed.plan.block_n), 0);
    EXPECT_EQ((is_a ? room.col : room.row) % packed.plan.block_k, 0);
    EXPECT_EQ(leading_dimension(read, packed.operand) * p.element_bytes % 128, 0);
    EXPECT_EQ(operand_offset(read, packed.operand), 0);
    const Coord last{operand_rows(read, packed.operand) - 1,
                     operand_cols(read, packed.operand) - 1};
    const bool by_rows = operand_order(read, packed.operand) == Order::row_major;
    const Coord in_lines = by_rows ? last : Coord{last.col, last.row};
    EXPECT_EQ(global_offset(read, packed.operand, last), packed_to(p, in_lines)) << packed.name;
    const CopyMap& map = copy_of(packed.plan, packed.operand);
    if (!by_boxes(map.kind)) {
      EXPECT_EQ(map.access_bytes(), kPackBytes) << packed.name;
    }
  }
}

TEST(Packing, IsNotAskedForWhereLinesAreAligned) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Problem p = default_problem(kernel.info);
    EXPECT_FALSE(packs_any(kernel.plan(kernel.sliders.defaults(), p).spec)) << kernel.info.id;
  }
}

/// Each element of two tiles of m16n8 side by side is one lane's one value, whatever the width.
TEST(RowAccumulators, HoldEachElementOnceAndNeighboursInAStore) {
  for (int width : {1, 2, 4}) {
    const FragmentLayout f = row_accumulators(32, width);
    std::set<int> seen;
    for (int lane = 0; lane < 32; ++lane) {
      for (int v = 0; v < f.values(); ++v) {
        const Coord at = fragment_coord(f, lane, v);
        ASSERT_TRUE(at.row >= 0 && at.row < 16 && at.col >= 0 && at.col < 16);
        EXPECT_TRUE(seen.insert(at.row * 16 + at.col).second) << width;
        const Coord first = fragment_coord(f, lane, v / width * width);
        EXPECT_EQ(at.row, first.row) << width;
        EXPECT_EQ(at.col, first.col + v % width) << width;
      }
    }
    EXPECT_EQ(seen.size(), 256u);
  }
}

}  // namespace
}  // namespace tilescope
