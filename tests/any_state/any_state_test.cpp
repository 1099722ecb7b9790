// No state ends the program: whatever was edited, clicked or read from a file, its pictures are
// made, with numbers that a renderer can take. Built with the address and undefined-behaviour
// sanitizers; TILESCOPE_STATES says how many states each test tries,
// TILESCOPE_FIRST_STATE from which seed on.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/access/access_picture.h"
#include "app/features/fragment/executed_mma.h"
#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/output/output_rows.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/state/feature.h"
#include "app/state/hovered.h"
#include "app/state/session.h"
#include "core/instructions/instructions.h"
#include "tests/any_state/any_state.h"
#include "tests/viz/scene_checks.h"

namespace tilescope {
namespace {

using nlohmann::json;

const viz::FixedMeasure kMeasure;

/// States are tried in parts that run side by side, each with seeds of its own.
constexpr int kParts = 4;
class AnyStateTest : public testing::TestWithParam<int> {
 protected:
  template <class Try>
  void each_state(Try attempt) {
    for (int i = first_state() + GetParam(); i < first_state() + states(); i += kParts) {
      SCOPED_TRACE("state " + std::to_string(i));
      AnyState any(static_cast<unsigned>(i));
      attempt(any);
      if (HasFailure()) return;
    }
  }
};

void build_each_picture(AnyState& any, const AppState& state) {
  const viz::Palette& palette = any.one_in(2) ? viz::dark_palette() : viz::light_palette();
  // Those that ask the model of many tiles cost a hundred times what the others do.
  const bool all = any.one_in(16);
  for (const Picture* picture : all_pictures()) {
    if (!all && (picture->needs.measured || picture->needs.ask)) continue;
    if (!picture->without_plan && !why_no_plan(state, picture->name).empty()) continue;
    SCOPED_TRACE(std::string(picture->name) + " of " + to_json(state)["edit"].dump());
    viz::expect_finite(picture->build(state, palette, kMeasure, any.size()));
  }
}

TEST_P(AnyStateTest, HasPictures) {
  each_state([](AnyState& any) { build_each_picture(any, any.state()); });
}

// What a panel tells a scene without the state's own care: another plan's selection, a camera
// between two levels, stages and events that are not the plan's.
TEST_P(AnyStateTest, ScenesTakeWhatIsNotOfTheirPlan) {
  each_state([](AnyState& any) {
    const AppState state = any.state_of_a_rung();
    viz::TilingState tiling = tiling_picture(state, any.between(-1, 5));
    tiling.selection = any.selection();
    tiling.moment = {any.below(70000) - 1, any.below(300) - 1};
    tiling.hover = any.pick();
    tiling.ctas_per_wave = any.below(400) - 1;
    tiling.mma_progress.resize(static_cast<size_t>(any.below(200)));
    for (int i = any.below(9); i > 0; --i) {
      tiling.stages.push_back({any.below(12) - 1, static_cast<viz::StageState::State>(any.below(6)),
                               any.below(70000) - 1, any.between(0, 1), any.below(3000)});
      tiling.lit.push_back({static_cast<Operand>(any.below(3)), any.extent() - 2, any.extent() - 2,
                            any.extent(), any.extent()});
      tiling.origins.push_back(tiling.lit.back());
    }
    viz::expect_finite(viz::build_tiling(tiling, viz::dark_palette(), kMeasure, any.size()));

    viz::FragmentState fragment = fragment_picture(state);
    fragment.selection = any.selection();
    fragment.moment = tiling.moment, fragment.hover = any.pick();
    fragment.tab = static_cast<viz::FragmentTab>(any.below(viz::kFragmentTabs));
    fragment.operand = static_cast<Operand>(any.below(3));
    fragment.phase = any.below(9), fragment.pad = any.one_in(2);
    fragment.zoom = any.between(0, 40);
    fragment.center = {any.between(-1, 2), any.between(-1, 2)};
    viz::expect_finite(viz::build_fragment(fragment, viz::dark_palette(), kMeasure, any.size()));
  });
}

// Whatever was touched, brushed, hovered and looked at: Access and Timeline draw it, and say it in
// words.
TEST_P(AnyStateTest, AccessesAreShownHoweverTheyAreLookedAt) {
  each_state([](AnyState& any) {
    const AppState state = any.state_of_accesses();
    const auto data = present_accesses(state);
    const viz::Palette& palette = any.one_in(2) ? viz::dark_palette() : viz::light_palette();
    viz::Size size = any.size();
    // Large ones have a cell for each pixel, at a sanitizer's pace.
    if (!any.one_in(100)) size = {std::min(size.w, 200.0f), std::min(size.h, 170.0f)};
    AccessPicture maker;
    if (any.one_in(3)) maker.make(state, data, size, {});  // begun, and shown half way
    viz::expect_finite(viz::build_access(maker.make(state, data, size), palette, kMeasure, size));
    EXPECT_TRUE(maker.is_done());
    if (!data) {
      EXPECT_NE(why_no_accesses(state), "");
      return;
    }
    const AccessFilter filter = access_filter(state, *data);
    EXPECT_FALSE(brush_words(*data, filter).empty());
    EXPECT_FALSE(access_words(*data).empty());
    for (size_t i = 0; i < data->matrices.size(); ++i) {
      const worker::AccessBuffer& m = data->matrices[i];
      EXPECT_FALSE(element_words(*data, {i, m.rows - 1, m.cols - 1}, filter).empty());
      const AccessWindow touched = touched_window(*data, i, filter);
      EXPECT_LE(touched.row + touched.rows, m.rows);
      EXPECT_LE(touched.col + touched.cols, m.cols);
    }
    viz::TimelineState timeline = timeline_picture(state, moment_of(state));
    timeline.brushed = columns_of_brush(state);
    timeline.lit = hovered_events(state);
    if (any.one_in(8)) timeline.lit = {any.below(900) - 1, any.below(100000)};
    viz::expect_finite(viz::build_timeline(timeline, palette, kMeasure, any.size()));
    for (const CodeText text : {CodeText::kernel, CodeText::ptx, CodeText::sass}) {
      const std::vector<int> lines = hovered_lines(state, text);
      EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
    }
  });
}

// Each number of a saved state replaced by another: what a person's file, or a link, may hold.
TEST_P(AnyStateTest, FilesOfAnyNumbersOpenOrSayWhyNot) {
  each_state([](AnyState& any) {
    json file = json::parse(to_json(any.state()).dump());
    const json flat = file.flatten();
    for (const auto& [path, value] : flat.items()) {
      if (!value.is_number() || !any.one_in(6)) continue;
      constexpr int64_t kNumbers[] = {
          0, 1, -1, 3, 127, 70000, 2147483647, -2147483648, 4294967297, INT64_MAX, INT64_MIN};
      file[json::json_pointer(path)] = any.one_of(kNumbers);
      if (any.one_in(8)) file[json::json_pointer(path)] = 1e300;
    }
    AppState state = initial_state();
    std::string error;
    if (!open_state_text(state, file.dump(), &error)) {
      EXPECT_FALSE(error.empty());
      return;
    }
    build_each_picture(any, state);
  });
}

worker::StepAnswer any_answer(AnyState& any) {
  constexpr uint64_t kNumbers[] = {0, 1, 512, 70000, 4294967297, ~uint64_t{0}};
  constexpr const char* kTexts[] = {"", "race", "nonsense", "a.cu", "\xff\xfe", "x\ny\n"};
  worker::StepAnswer answer;
  answer.state.warps.resize(static_cast<size_t>(any.below(40)));
  for (emulator::StepWarp& w : answer.state.warps) {
    for (int i = any.below(4); i > 0; --i) {
      emulator::StepCopies& c = w.copies.emplace_back();
      c.committed = any.one_in(2);
      c.copies = static_cast<uint32_t>(any.one_of(kNumbers)), c.bytes = any.one_of(kNumbers);
      c.ptx_line = any.below(500) - 2, c.step = any.one_of(kNumbers);
      c.source = {any.one_of(kTexts), any.below(90) - 1};
    }
  }
  if (any.one_in(4)) return answer;
  worker::StepChecks& checks = answer.checks.emplace();
  checks.later = any.one_of(kNumbers), checks.cut_short = any.one_in(2);
  for (int i = any.below(5); i > 0; --i) {
    worker::StepFinding& f = checks.found.emplace_back();
    f.finding.kind = any.one_of(kTexts), f.finding.message = any.one_of(kTexts);
    f.finding.file = any.one_of(kTexts), f.finding.count = any.one_of(kNumbers);
    f.finding.line = any.below(90) - 2, f.finding.ptx_line = any.below(90) - 2;
    f.seen_warp = any.below(40) - 2, f.seen_step = any.one_of(kNumbers);
  }
  return answer;
}

// Output and Fragment of a kernel of one's own: rows of whatever a run has shown.
TEST_P(AnyStateTest, WhatARunHasShownIsAlwaysSaid) {
  each_state([](AnyState& any) {
    const worker::StepAnswer answer = any_answer(any);
    EXPECT_EQ(findings_summary(answer).empty(), !answer.checks);
    for (const FindingSoFar& row : findings_so_far(answer)) EXPECT_GE(row.moment.cta.x, 0);
    for (const CopiesOfWarp& row : copies_in_flight(answer.state)) {
      EXPECT_FALSE(row.words.empty() || row.tip.empty());
    }
    const std::string text(static_cast<size_t>(any.below(60)), any.one_in(2) ? 'x' : '\n');
    const std::string end = end_of_text(text, 20);
    EXPECT_TRUE(text.size() > 20 ? end.starts_with("… ") : end == text) << text;
    const AppState state = any.state();
    EXPECT_FALSE(executed_mma(state) && state.derived.kernel) << "of a rung its plan says it";
    EXPECT_FALSE(why_no_executed_mma(state).empty());
  });
}

TEST_P(AnyStateTest, AnyInstructionIsShownAtAnySelection) {
  each_state([](AnyState& any) {
    AppState state = any.state_of_a_rung();
    const auto& all = model::instructions();
    state.of<FragmentView>().atom.name =
        all[static_cast<size_t>(any.below(static_cast<int>(all.size())))].name;
    state.of<FragmentView>().atom.selection = any.selection();
    state.of<FragmentView>().atom.k_step = any.below(300) - 1;
    state.of<FragmentView>().atom.row_bytes = 16 << any.below(5);
    viz::FragmentState fragment = fragment_picture(state);
    fragment.hover = any.pick();
    viz::expect_finite(viz::build_fragment(fragment, viz::light_palette(), kMeasure, any.size()));
  });
}

INSTANTIATE_TEST_SUITE_P(Part, AnyStateTest, testing::Range(0, kParts));

}  // namespace
}  // namespace tilescope
