// The brush: what Timeline's columns and the steps of warps say of each other; of which run it is,
// and what a session keeps of it.
#include "app/state/brush.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "app/state/edit.h"
#include "app/state/session.h"

namespace tilescope {
namespace {

using worker::TraceEvent;

/// A few warps that go through epochs, some of which are not recorded; between events there are
/// steps of other instructions.
worker::TraceResult random_trace(std::mt19937& random) {
  worker::TraceResult t;
  t.warps = 1 + static_cast<int>(random() % 4);
  std::vector<uint64_t> step(static_cast<size_t>(t.warps), 0);
  for (uint32_t epoch = 0; epoch < 9; epoch += 1 + random() % 3) {
    for (size_t warp = 0; warp < step.size(); ++warp) {
      uint32_t index = 0;
      step[warp] += random() % 50;
      for (int i = static_cast<int>(random() % 5); i >= 0; --i) {
        TraceEvent& e = t.events.emplace_back();
        e.epoch = epoch, e.index = index, e.warp = static_cast<uint16_t>(warp);
        e.kind = static_cast<TraceEvent::Kind>(random() % 7);
        e.count = 1 + random() % 6;
        index += e.count;
        if (e.kind == TraceEvent::Kind::wait || e.kind == TraceEvent::Kind::barrier) continue;
        e.first_raw = static_cast<int32_t>(t.raw.size());
        const bool is_fma = e.kind == TraceEvent::Kind::fma;
        for (uint32_t k = 0; k < (is_fma ? 1 : e.count); ++k) {
          step[warp] += 1 + random() % 7;
          t.raw.emplace_back().step = step[warp];
        }
        if (is_fma) step[warp] += e.count;
      }
    }
  }
  return t;
}

AppState with_trace(worker::TraceResult trace) {
  AppState state = initial_state();
  trace.tile = state.selection.cta;
  state.results.edit_serial = state.edit_serial;
  state.results.compile.emplace().revision = "one";
  state.results.trace = std::make_shared<const worker::TraceResult>(std::move(trace));
  state.results.timeline = std::make_shared<const Timeline>(*state.results.trace);
  return state;
}

TEST(Brush, OfColumnsIsWhatStandsInThem) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    AppState state = with_trace(random_trace(random));
    const worker::TraceResult& trace = *state.results.trace;
    const Timeline& timeline = *state.results.timeline;
    const auto all = static_cast<unsigned>(timeline.columns());
    const int from = static_cast<int>(random() % all);
    const int to = from + 1 + static_cast<int>(random() % all);
    brush(state, steps_of_columns(state, {from, to}));
    const RunSpanPointer span = brushed(state);
    const std::vector<TimelineColumns> columns = columns_of_brush(state);
    bool any = false;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      const TraceEvent& e = trace.events[i];
      if (e.first_raw < 0) continue;
      const Timeline::Placed at = timeline.placed(static_cast<int>(i));
      const bool is_fma = e.kind == TraceEvent::Kind::fma;
      for (uint32_t k = 0; k < (is_fma ? 1 : e.count); ++k) {
        const int first = at.column + static_cast<int>(k);
        const int end = is_fma ? at.column + at.columns : first + 1;  // an fma fold is in it whole
        const bool inside = first < to && end > from;
        const uint64_t step = trace.raw[static_cast<size_t>(e.first_raw) + k].step;
        ASSERT_EQ(span && span->has(e.warp, step), inside) << "seed " << seed << ", event " << i;
        if (!inside) continue;
        any = true;
        ASSERT_LE(columns.at(e.warp).from, first);
        ASSERT_GE(columns.at(e.warp).to, end);
      }
    }
    EXPECT_EQ(span != nullptr, any) << "what has no steps is not brushed";
    for (const TimelineColumns& c : columns) {
      if (c.empty()) continue;
      // No wider than the fold at either end makes it.
      EXPECT_GT(c.to, from);
      EXPECT_LT(c.from, to);
    }
  }
}

TEST(Brush, IsOfThePresentRunAlone) {
  std::mt19937 random(1);
  AppState state = with_trace(random_trace(random));
  brush(state, {{{0, 1000}}});
  const RunSpanPointer before = brushed(state);
  ASSERT_TRUE(before);
  brush(state, {{{0, 1000}}});
  EXPECT_EQ(brushed(state), before) << "pictures of the same brush stay";
  state.results.compile->revision = "another";
  EXPECT_FALSE(brushed(state)) << "the kernel's file was saved";
  state.results.compile->revision = "one";
  select_cta(state, {1, 0});
  EXPECT_TRUE(brushed(state)) << "another CTA of the same launch";
  EXPECT_TRUE(columns_of_brush(state).empty()) << "whose events are not there yet";
  EXPECT_TRUE(steps_of_columns(state, {0, 100}).empty());
  set_tile_field(state, TileFieldId::stages, 4);
  EXPECT_FALSE(brushed(state)) << "another tile";
  EXPECT_TRUE(brush_json(state).is_null());
  brush(state, {{{5, 6}}});
  EXPECT_TRUE(brushed(state));
  brush(state, {{{5, 5}, {9, 3}}});
  EXPECT_FALSE(brushed(state)) << "nothing is in it";
}

TEST(Brush, ASessionKeepsIt) {
  std::mt19937 random(3);
  AppState state = with_trace(random_trace(random));
  brush(state, {{{3, 20}, {}, {7, 8}}});
  AppState other = initial_state();
  std::string error;
  ASSERT_TRUE(open_state_text(other, to_json(state).dump(), &error)) << error;
  EXPECT_FALSE(brushed(other)) << "it is not known yet what it is of";
  ASSERT_TRUE(open_state_text(other, to_json(other).dump(), &error)) << error;
  other.results.edit_serial = other.edit_serial;
  other.results.compile.emplace().revision = "one";
  ASSERT_TRUE(brushed(other));
  EXPECT_EQ(*brushed(other), *brushed(state));
  other.results.compile->revision = "of a file that was changed meanwhile";
  EXPECT_FALSE(brushed(other));
  // Another state has its own, or none.
  ASSERT_TRUE(change_state(state, R"({"edit": {"size": [512, 512, 512]}})", &error)) << error;
  EXPECT_TRUE(brush_json(state).is_null());
  for (const char* text : {R"({"steps": 3})", R"({"steps": [[1], 2, [-5, -1], ["a", 1e300]]})",
                           R"([])", R"({"steps": [[9, 9]], "revision": 4})"}) {
    brush_from(state, nlohmann::json::parse(text));
    EXPECT_TRUE(brush_json(state).is_null()) << text;
  }
}

}  // namespace
}  // namespace tilescope
