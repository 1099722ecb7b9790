#include "app/state/timeline.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"
#include "app/state/playback.h"

namespace tilescope {
namespace {

using worker::TraceEvent;
using TracedKind = TraceEvent::Kind;

TraceEvent event(uint32_t epoch, uint16_t warp, uint32_t index, TracedKind kind, uint32_t count,
                 int k) {
  TraceEvent e;
  e.epoch = epoch, e.warp = warp, e.index = index, e.kind = kind, e.count = count, e.k_step = k;
  return e;
}

/// Two warps, epochs 0, 1 and 7 recorded; warp 1 does less.
worker::TraceResult small_trace() {
  worker::TraceResult t;
  t.warps = 2;
  t.events = {event(0, 0, 0, TracedKind::copy, 4, 0), event(0, 1, 0, TracedKind::copy, 4, 0),
              event(1, 0, 0, TracedKind::load, 2, 0), event(1, 0, 2, TracedKind::mma, 8, 0),
              event(1, 1, 0, TracedKind::mma, 5, 0),  event(7, 0, 0, TracedKind::mma, 8, 6),
              event(7, 1, 0, TracedKind::mma, 8, 6),  event(7, 0, 8, TracedKind::store, 1, -1)};
  return t;
}

constexpr int kFrom7 = 28;  // epoch 7 begins here: 14 columns, and as wide a gap

TEST(Timeline, EpochsAreAlignedOverWarps) {
  const worker::TraceResult trace = small_trace();
  const Timeline line(trace);
  EXPECT_EQ(line.columns(), kFrom7 + 9);
  EXPECT_EQ(line.placed(4).column, 4);
  EXPECT_EQ(line.placed(5).column, kFrom7);
  EXPECT_EQ(line.placed(6).column, kFrom7);
}

TEST(Timeline, SlicesAreWhereTheMathIs) {
  const worker::TraceResult trace = small_trace();
  const Timeline line(trace);
  ASSERT_EQ(line.slices().size(), 2u);
  EXPECT_EQ(line.slices()[0].begin, 4);
  EXPECT_EQ(line.slices()[0].end, 14);
  EXPECT_EQ(line.k_step_at(kFrom7 + 1), 6);
  EXPECT_EQ(line.k_step_at(0), -1);
}

TEST(Timeline, EventAtAColumn) {
  const worker::TraceResult trace = small_trace();
  const Timeline line(trace);
  EXPECT_EQ(line.placed_at(0, 5)->event, 2);
  EXPECT_EQ(line.placed_at(0, 6)->event, 3);
  EXPECT_EQ(line.placed_at(0, 13)->event, 3);
  EXPECT_FALSE(line.placed_at(5, 0));
}

TEST(Timeline, GapsAreSteppedOver) {
  const worker::TraceResult trace = small_trace();
  const Timeline line(trace);
  EXPECT_EQ(line.outside_gaps(14, 1), kFrom7);
  EXPECT_EQ(line.outside_gaps(kFrom7 - 1, -1), 13);
  EXPECT_EQ(line.outside_gaps(5, 1), 5);
}

TEST(Timeline, PartsOfAnEpochThatWereNotRecordedAreLeftOut) {
  worker::TraceResult t;
  t.warps = 1;
  t.events = {event(0, 0, 0, TracedKind::load, 3, 0), event(0, 0, 1000, TracedKind::load, 3, 99)};
  EXPECT_EQ(Timeline(t).columns(), 6);
}

TEST(Playback, StepsScrubsAndLoops) {
  AppState state = initial_state();
  state.results.trace = std::make_shared<worker::TraceResult>(small_trace());
  state.results.timeline = std::make_shared<Timeline>(*state.results.trace);
  scrub(state, 5);
  step_events(state, 1);
  EXPECT_EQ(state.playhead.column, 6);
  step_events(state, -100);
  EXPECT_EQ(state.playhead.column, 0);
  step_k(state, 1);
  EXPECT_EQ(state.playhead.column, 4);
  step_k(state, 1);
  EXPECT_EQ(state.playhead.column, kFrom7);
  EXPECT_EQ(state.playhead.k_step, 6);
  step_k(state, -1);
  EXPECT_EQ(state.playhead.column, 4);
  state.playhead.loop_k_step = true;
  state.playhead.events_per_second = 100;
  play_or_pause(state);
  for (int i = 0; i < 50; ++i) advance(state, 0.05);
  EXPECT_GE(state.playhead.column, 4);
  EXPECT_LT(state.playhead.column, 14);
  state.playhead.loop_k_step = false;
  for (int i = 0; i < 50; ++i) advance(state, 0.05);
  EXPECT_EQ(state.playhead.column, kFrom7 + 8);
  EXPECT_FALSE(state.playhead.playing);
}

/// One warp of a ring of three stages, two slices ahead of 64: slices 0 and 1, then the last one.
/// Each slice is one copy, a wait that leaves one group pending, a load and an mma.
worker::TraceResult ring_trace() {
  worker::TraceResult t;
  t.warps = 1, t.k_slices = 64, t.k_end = 64;
  t.recorded_k_steps = {0, 1, 63};
  uint32_t epoch = 0, index = 0;
  int done = 0;
  const auto add = [&](std::vector<TraceEvent>& to, TracedKind kind, int k, int group = -1) {
    TraceEvent e = event(epoch, 0, index++, kind, 1, k);
    e.shared = kind == TracedKind::load || kind == TracedKind::copy;
    e.stage = k < 0 ? -1 : k % 3;
    e.group = group, e.groups_done = done;
    to.push_back(e);
  };
  add(t.events, TracedKind::copy, 0, 0);
  add(t.events, TracedKind::copy, 1, 1);
  for (int k = 0; k < 2; ++k) {
    done = k + 1;
    add(t.events, TracedKind::wait, -1);
    ++epoch, index = 0;
    add(t.events, TracedKind::copy, k + 2, k + 2);
    add(t.events, TracedKind::load, k);
    add(t.events, TracedKind::mma, k);
  }
  epoch = 61, index = 0, done = 62;
  add(t.lead, TracedKind::copy, 62, 62);
  ++epoch, ++done;
  add(t.lead, TracedKind::copy, 63, 63);
  ++epoch, ++done;
  add(t.events, TracedKind::wait, -1);
  ++epoch, index = 0;
  add(t.events, TracedKind::load, 63);
  add(t.events, TracedKind::mma, 63);
  add(t.events, TracedKind::store, -1);
  return t;
}

TEST(Stages, AreReadyOnceTheirGroupsHaveBeenWaitedFor) {
  using State = viz::StageState::State;
  KernelPlan plan;
  plan.shared[0].what = RegionKind::a, plan.shared[0].stages = 3;
  plan.work.k_slices = 64;
  plan.copy_a = {.kind = CopyKind::cp_async,
                 .outer = 8,
                 .depth = 4,
                 .width = 1,
                 .bytes = 2,
                 .threads = 32};  // one copy of a warp fills a stage
  const Timeline line(ring_trace());
  const auto states = [&](int column) {
    std::vector<std::pair<int, State>> out;
    for (const viz::StageState& s : stages_at(line, plan, column)) {
      out.emplace_back(s.k_slice, s.state);
    }
    return out;
  };
  using Row = std::vector<std::pair<int, State>>;
  // Copies of slices 0 and 1 are on their way: nobody has waited.
  EXPECT_EQ(states(1), (Row{{0, State::issued}, {1, State::issued}, {-1, State::empty}}));
  EXPECT_EQ(states(2), (Row{{0, State::ready}, {1, State::issued}, {-1, State::empty}}));
  EXPECT_EQ(states(5), (Row{{0, State::in_use}, {1, State::issued}, {2, State::issued}}));
  // After the wait of the first iteration slice 1 is there, slice 2 is not.
  EXPECT_EQ(states(6), (Row{{0, State::in_use}, {1, State::ready}, {2, State::issued}}));
  EXPECT_EQ(states(9), (Row{{3, State::issued}, {1, State::in_use}, {2, State::issued}}));
}

// Warps that take elements apart read a stage, too, and it still waits for its turn.
TEST(Stages, AreNotInUseByWhoDoesNotMultiply) {
  using State = viz::StageState::State;
  KernelPlan plan;
  plan.shared[0].what = RegionKind::a, plan.shared[0].stages = 2;
  plan.work.k_slices = 2;
  plan.copy_a = {.kind = CopyKind::tensor, .outer = 8, .depth = 4, .width = 4, .box_lines = 8};
  worker::TraceResult t;
  t.warps = 2, t.k_slices = t.k_end = 2;
  t.recorded_k_steps = {0, 1};
  const auto add = [&](uint32_t epoch, int warp, TracedKind kind, int k) {
    TraceEvent e = event(epoch, warp, static_cast<uint32_t>(t.events.size()), kind, 1, k);
    e.shared = kind != TracedKind::mma, e.stage = k;
    t.events.push_back(e);
  };
  for (const int k : {0, 1}) add(0, 1, TracedKind::copy, k);
  for (const int k : {0, 1}) add(1, 1, TracedKind::load, k);
  add(2, 0, TracedKind::mma, 0);
  const std::vector<viz::StageState> stages = stages_at(Timeline(t), plan, 4);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].state, State::in_use);
  EXPECT_EQ(stages[1].state, State::ready);
}

TEST(Stages, FollowTheEventOverAGapAndToTheEnd) {
  using State = viz::StageState::State;
  AppState state = initial_state();
  state.derived.plan.shared[0].what = RegionKind::a, state.derived.plan.shared[0].stages = 3;
  state.derived.plan.work.k_slices = 64;
  state.results.trace = std::make_shared<worker::TraceResult>(ring_trace());
  state.results.timeline = std::make_shared<Timeline>(*state.results.trace);
  const int last = state.results.timeline->columns() - 1;
  scrub(state, last - 1);
  Moment m = moment_of(state);
  ASSERT_EQ(m.stages.size(), 3u);
  EXPECT_EQ(m.stages[0].k_slice, 63);
  EXPECT_EQ(m.stages[0].state, State::in_use);
  EXPECT_EQ(m.stages[2].k_slice, 62);
  EXPECT_EQ(m.stages[2].state, State::done);
  scrub(state, 0);
  scrub(state, last);  // End: the epilogue's store belongs to no slice
  m = moment_of(state);
  EXPECT_EQ(m.k_slice, 63);
  EXPECT_EQ(state.playhead.k_step, 63);
  EXPECT_EQ(m.stages[0].state, State::done);
}

TEST(Playback, AMomentNamesTheEventOfTheChosenWarp) {
  AppState state = initial_state();
  state.selection.warp = 1;
  state.results.trace = std::make_shared<worker::TraceResult>(small_trace());
  state.results.timeline = std::make_shared<Timeline>(*state.results.trace);
  scrub(state, 6);
  const Moment m = moment_of(state);
  EXPECT_EQ(m.event, 4);
  EXPECT_EQ(m.event_offset, 2);
  EXPECT_EQ(m.k_slice, 0);
}

}  // namespace
}  // namespace tilescope
