// The list of findings: order, one row per line, what may be gained, and that a row leads to its
// place.
#include <gtest/gtest.h>

#include "app/features/findings/findings_list.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "app/state/status.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {
namespace {

worker::CodeFinding finding(const char* kind, int line, bool remark) {
  worker::CodeFinding f;
  f.kind = kind, f.line = line, f.ptx_line = 10 * line, f.remark = remark;
  f.message = std::string(kind) + " at " + std::to_string(line);
  return f;
}

worker::CountedTraffic::Line counted(int line, uint64_t wavefronts, uint64_t ideal,
                                     uint64_t sectors) {
  worker::CountedTraffic::Line l;
  l.line = line, l.wavefronts = wavefronts, l.ideal = ideal, l.sectors = sectors;
  return l;
}

/// mma_multistage at 4096³ without a swizzle, as if it had run: line 92 has seven eighths of its
/// wavefronts too many, line 78 a few.
AppState state_with_remarks() {
  AppState s = initial_state();
  set_tile_field(s, TileFieldId::swizzle, 0);
  s.results.edit_serial = s.edit_serial;
  s.results.stage = Stage::done;
  s.results.emulated.emplace();
  worker::CountedTraffic& c = s.results.emulated->counted;
  c.shared_load = {.requests = 1000, .wavefronts = 7500, .ideal = 1500};
  c.shared_copy = {.requests = 500, .wavefronts = 500, .ideal = 500};
  c.source_lines = {counted(78, 500, 60, 0), counted(92, 7000, 875, 0)};
  for (const int line : {78, 92}) {
    worker::CodeFinding f = finding("bank_conflict", line, true);
    f.cost = line == 92 ? 80 : 50, f.ideal = line == 92 ? 10 : 6;
    s.results.findings.push_back(f);
  }
  return s;
}

TEST(Findings, ErrorsComeFirstThenWhatGainsMost) {
  AppState s = state_with_remarks();
  s.results.findings.push_back(finding("race", 101, false));
  const std::vector<FindingRow> rows = findings_list(s);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].title, "racy");
  EXPECT_TRUE(rows[0].error && rows[0].seen && !rows[0].gain_us);
  EXPECT_EQ(rows[1].place.line, 92);
  EXPECT_EQ(rows[2].place.line, 78);
  EXPECT_FALSE(rows[1].seen) << "counts are of all CTAs";
}

// Of the unit's time the part that is too much: 7/8 of 7,000 of 8,000 wavefronts.
TEST(Findings, TheGainIsTheUnitsTimeForWhatIsTooMuch) {
  const AppState s = state_with_remarks();
  const FindingRow row = findings_list(s).front();
  EXPECT_EQ(row.unit, "shared memory");
  double shared = 0, longest = 0;
  for (const model::LevelTime& level : s.derived.prediction.levels) {
    if (row.unit == level.name) shared = level.us;
    longest = std::max(longest, level.us);
  }
  ASSERT_GT(shared, 0);
  EXPECT_NEAR(*row.gain_us, shared * 7 / 8 * 7000 / 8000, 1e-6 * shared);
  EXPECT_EQ(row.hidden, longest > shared);
}

TEST(Findings, OneRowPerKindAndLine) {
  AppState s = state_with_remarks();
  s.results.findings.clear();
  for (int i = 0; i < 4; ++i) s.results.findings.push_back(finding("race", 101, false));
  s.results.findings.push_back(finding("unwritten", 101, false));
  const std::vector<FindingRow> rows = findings_list(s);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].alike, 3);
  EXPECT_EQ(rows[1].alike, 0);
}

TEST(Findings, AWrongCAndSpillsAreAmongThem) {
  AppState s = state_with_remarks();
  s.results.findings.clear();
  worker::Verification v;
  v.norm = 0.3, v.tolerance = 1e-3, v.ok = false, v.elements = v.of = 16;
  s.results.emulated->verified = v;
  s.results.compile.emplace();
  s.results.compile->registers = 255, s.results.compile->spill_bytes = 2552;
  const std::vector<FindingRow> rows = findings_list(s);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].error);
  EXPECT_EQ(rows[0].title, "wrong C");
  EXPECT_EQ(rows[1].title, "spilled registers");
  EXPECT_NE(rows[1].text.find("2,552 bytes per thread"), std::string::npos) << rows[1].text;
}

TEST(Findings, AreOfWhatStandsNow) {
  AppState s = state_with_remarks();
  ASSERT_FALSE(findings_list(s).empty());
  EXPECT_FALSE(looked_at(s).empty());
  set_tile_field(s, TileFieldId::stages, 4);
  EXPECT_TRUE(findings_list(s).empty()) << "of the tile before";
  EXPECT_TRUE(looked_at(s).empty());
}

TEST(Findings, ARowLeadsToItsPlace) {
  AppState s = state_with_remarks();
  s.results.findings.clear();
  worker::CodeFinding f = finding("race", 101, false);
  f.cta = {7, 0, 0}, f.warp = 1, f.lane = 5;
  s.results.findings.push_back(f);
  auto trace = std::make_shared<worker::TraceResult>();
  trace->warps = 4, trace->epochs = 1;
  for (int i = 0; i < 6; ++i) {
    worker::TraceEvent e;
    e.kind = worker::TraceEvent::Kind::load, e.line = i == 4 ? 101 : 50;
    e.ptx_line = 10 * e.line, e.index = static_cast<uint32_t>(i), e.warp = 1;
    trace->events.push_back(e);
  }
  s.results.trace = trace;
  s.results.timeline = std::make_shared<const Timeline>(*trace);
  go_to(s, findings_list(s).front());
  EXPECT_EQ(linked_code(s).line, 101);
  EXPECT_EQ(s.selection.warp, 1);
  EXPECT_EQ(s.selection.lane, 5);
  const WorkItem item = work_item(s.derived.plan.work, 7, 0);
  EXPECT_EQ(s.selection.cta.row, item.tile.row);
  EXPECT_EQ(s.selection.cta.col, item.tile.col);
  EXPECT_EQ(s.playhead.column, s.results.timeline->placed(4).column);
}

// A kernel may stand in a header of what was opened: a line without its file would mislead.
TEST(Findings, OfAHeaderNameIt) {
  AppState s = initial_state();
  open_own_kernel(s, {"/some/utils.cu", "{}"});
  worker::LaunchRequest launch;
  launch.source = "/some/kernel/kernel_4.cuh";
  confirm_launch(s, launch);
  EXPECT_EQ(file_shown(s), "kernel_4.cuh");
  EXPECT_EQ(place_words(s, {.line = 52, .ptx_line = 904}), "line 52 of kernel_4.cuh");
  EXPECT_EQ(place_words(s, {.line = 0, .ptx_line = 904}), "PTX line 904");
  s.results.edit_serial = s.edit_serial;
  s.results.stage = Stage::done;
  s.results.findings = {finding("race", 52, false)};
  EXPECT_NE(findings_text(s, findings_list(s)).find("racy\tline 52 of kernel_4.cuh\t"),
            std::string::npos);
  bool said = false;
  for (const StatusItem& item : status_items(s)) {
    said = said || item.text.find("racy: line 52 of kernel_4.cuh") != std::string::npos;
  }
  EXPECT_TRUE(said);
  launch.source = "/some/utils.cu";
  confirm_launch(s, launch);
  EXPECT_EQ(place_words(s, {.line = 52}), "line 52");
}

}  // namespace
}  // namespace tilescope
