// What a rung adds to the one below: lines that say something and are not there.
#include "app/state/rung_news.h"

#include <algorithm>

#include "tests/every_kernel.h"

namespace tilescope {
namespace {

TEST(NewBlocks, LinesThatOnlyThisTextHas) {
  EXPECT_EQ(new_blocks("a\nb\nnew\nc\n", "a\nb\nc\n"), (std::vector<LineBlock>{{3, 3}}));
  EXPECT_EQ(new_blocks("new\na\nnew1\nnew2\n", "a\n"), (std::vector<LineBlock>{{1, 1}, {3, 4}}));
  EXPECT_TRUE(new_blocks("a\nc\n", "a\nb\nc\n").empty());
  EXPECT_TRUE(new_blocks("", "a\n").empty());
}

TEST(NewBlocks, WordsBlanksIncludesAndBracketsAreNoDifference) {
  EXPECT_TRUE(
      new_blocks("// other words\n#include <x>\n  a  =  1 ;  // one\n}\n\n", "a = 1;").empty());
}

TEST(NewBlocks, WhatSaysNothingJoinsTheLinesAroundIt) {
  EXPECT_EQ(new_blocks("a\nnew1\n\n}\n// word\nnew2\nb\n", "a\nb\n"),
            (std::vector<LineBlock>{{2, 6}}));
}

/// A line that was moved is new in one of the two places, not in both.
TEST(NewBlocks, AMovedLineIsMarkedOnce) {
  const std::vector<LineBlock> blocks = new_blocks("b\na\nc\n", "a\nb\nc\n");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].first, blocks[0].last);
}

TEST(RungNews, EachRungButTheLowestHasLinesOfItsOwn) {
  const KernelEntry* before = nullptr;
  for (const KernelEntry& kernel : kernel_table()) {
    EXPECT_EQ(rung_below(kernel), before) << kernel.info.id;
    if (before) {
      const std::string text = kernel_text("", kernel.file), below = kernel_text("", before->file);
      ASSERT_FALSE(text.empty()) << kernel.file;
      const std::vector<LineBlock> blocks = new_blocks(text, below);
      EXPECT_FALSE(blocks.empty()) << kernel.info.id << " adds nothing to " << before->info.id;
      int last = 0;
      for (const LineBlock& block : blocks) {
        EXPECT_GT(block.first, last);
        EXPECT_GE(block.last, block.first);
        last = block.last;
      }
      EXPECT_LE(last, std::count(text.begin(), text.end(), '\n') + 1);
    }
    before = &kernel;
  }
}

}  // namespace
}  // namespace tilescope
