// What a stepped run has shown, as rows.
#include <gtest/gtest.h>

#include <random>

#include "app/features/output/output_rows.h"

namespace tilescope {
namespace {

TEST(OutputRows, FindingsAreThoseUpToHereWithTheirMoments) {
  worker::StepAnswer answer;
  EXPECT_TRUE(findings_so_far(answer).empty()) << "not asked for";
  EXPECT_EQ(findings_summary(answer), "");
  answer.checks.emplace();
  EXPECT_EQ(findings_summary(answer), "0 up to here");
  answer.checks->later = 1;
  worker::StepFinding& f = answer.checks->found.emplace_back();
  f.finding.kind = "race", f.finding.count = 32, f.finding.line = 7, f.finding.ptx_line = 40;
  f.finding.message = "CTA (2, 1, 0), warp 3, lane 0: a race.";
  f.finding.cta = {2, 1, 0};
  f.seen_warp = 3, f.seen_step = 88;
  EXPECT_EQ(findings_summary(answer), "1 up to here, 1 comes later");
  FindingSoFar row = findings_so_far(answer).at(0);
  EXPECT_EQ(row.head, "racy: line 7 · 32 lanes");
  EXPECT_EQ(row.place, (CodeLink{7, 40}));
  EXPECT_EQ(row.moment.cta, (BlockIndex{2, 1, 0}));
  EXPECT_EQ(row.moment.warp, 3);
  EXPECT_EQ(row.moment.step, 88u);
  // Of another file the line is told, and Source marks the PTX line alone.
  f.finding.file = "other.cuh", f.seen_warp = -1;
  row = findings_so_far(answer).at(0);
  EXPECT_EQ(row.head, "racy: line 7 of other.cuh · 32 lanes");
  EXPECT_EQ(row.place, (CodeLink{0, 40}));
  EXPECT_EQ(row.moment.warp, -1) << "nowhere to go";
}

TEST(OutputRows, CopiesAreToldByWarpTheOldestGroupFirst) {
  emulator::StepState s;
  EXPECT_TRUE(copies_in_flight(s).empty());
  s.cta = {1, 0, 0};
  s.warps.resize(3);
  s.warps[1].copies = {{true, 4, 2048, 50, {"a.cu", 9}, 70},
                       {true, 0, 0, 52, {}, 80},
                       {false, 1, 512, 55, {"a.cu", 9}, 90}};
  s.warps[2].copies = {{false, 2, 1024, 55, {}, 3}};
  const std::vector<CopiesOfWarp> rows = copies_in_flight(s);
  ASSERT_EQ(rows.size(), 2u) << "warp 0 waits for none";
  EXPECT_EQ(rows[0].warp, 1);
  EXPECT_EQ(rows[0].words, "2 groups: 2,048 B, 0 B · 512 B not committed");
  EXPECT_EQ(rows[0].tip,
            "a group: 2,048 B by 4 copies, committed at line 9, step 70\n"
            "a group: nothing, committed at PTX line 52, step 80\n"
            "not committed: 512 B by 1 copy, the last at line 9, step 90\n");
  EXPECT_EQ(rows[0].moment.step, 70u);
  EXPECT_EQ(rows[0].moment.cta, (BlockIndex{1, 0, 0}));
  EXPECT_EQ(rows[1].words, "1,024 B not committed");
  EXPECT_EQ(rows[1].place, (CodeLink{0, 55}));
}

TEST(OutputRows, OfALongTextTheEndIsShownFromALineOn) {
  EXPECT_EQ(end_of_text("short\n", 10), "short\n");
  EXPECT_EQ(end_of_text("one line\nanother\nlast\n", 10), "… 17 bytes before\nlast\n");
  EXPECT_EQ(end_of_text(std::string(30, 'x'), 10), "… 20 bytes before\n" + std::string(10, 'x'));
}

}  // namespace
}  // namespace tilescope
