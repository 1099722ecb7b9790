// A second position beside the first: compiled and run in its own state, never in A's way.
#include "app/state/second.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/features/compare/measured_turns.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/present.h"
#include "app/state/private_copy.h"
#include "tests/live/fake_window.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

Edit with_stages(const AppState& state, int stages) {
  Edit edit = state.edit;
  set(edit.change_rung().tile, TileFieldId::stages, stages);
  return edit;
}

TEST(Second, IsCompiledAndRunBesideAndTheFirstStaysAsItIs) {
  FakeWindow w;
  w.run();
  const auto trace = w.state.results.trace;
  const uint64_t serial = w.state.edit_serial;
  const int traces = w.client->asked("trace");
  compare_with(w.state, with_stages(w.state, 4), "four");
  const AppState& b = *second_of(w.state);
  EXPECT_EQ(trust_of(b), Trust::none);
  w.run();
  EXPECT_EQ(b.results.stage, Stage::done);
  EXPECT_EQ(trust_of(b), Trust::whole);
  ASSERT_NE(b.results.trace, nullptr);
  EXPECT_EQ(w.client->asked("trace"), traces + 1);
  EXPECT_EQ(w.state.results.trace, trace);
  EXPECT_EQ(w.state.edit_serial, serial);
  EXPECT_EQ(get(b.edit.rung().tile, TileFieldId::stages), 4);
}

TEST(Second, ASecondOneIsRunThoughItsSerialIsThatOfTheFirst) {
  FakeWindow w;
  w.run();
  compare_with(w.state, with_stages(w.state, 4), "four");
  const uint64_t serial = second_of(w.state)->edit_serial;
  w.run();
  compare_with(w.state, with_stages(w.state, 2), "two");
  second_of(w.state)->edit_serial = serial;  // as that of the next lesson has
  w.run();
  EXPECT_EQ(second_of(w.state)->results.stage, Stage::done);
  EXPECT_EQ(trust_of(*second_of(w.state)), Trust::whole);
}

TEST(Second, APinnedOneHasAllThatWasKnownAndAsksForNothing) {
  FakeWindow w;
  w.run();
  const int compiles = w.client->asked("compile"), traces = w.client->asked("trace");
  pin_as_second(w.state);
  w.run();
  EXPECT_EQ(w.client->asked("trace"), traces);
  EXPECT_EQ(second_of(w.state)->results.trace, w.state.results.trace);
  EXPECT_EQ(trust_of(*second_of(w.state)), Trust::whole);
  // Neighbours are compiled ahead; of itself nothing is.
  EXPECT_GE(w.client->asked("compile"), compiles);
  // A goes on, B stays.
  const auto pinned = second_of(w.state)->results.trace;
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.run();
  EXPECT_EQ(second_of(w.state)->results.trace, pinned);
  EXPECT_NE(w.state.results.trace, pinned);
}

TEST(Second, OneWhoseSourceIsChangedSinceStaysWhatItWas) {
  FakeWindow w;
  w.run();
  pin_as_second(w.state);
  const auto pinned = second_of(w.state)->results.trace;
  const int compiles = w.client->asked("compile");
  ++w.state.private_copies.saved, ++w.state.kernel_files_serial;  // as the editor does
  w.run();
  EXPECT_GT(w.client->asked("compile"), compiles) << "A is compiled again";
  EXPECT_EQ(second_of(w.state)->results.trace, pinned);
  EXPECT_EQ(trust_of(*second_of(w.state)), Trust::whole);
}

TEST(Second, TheFirstsWorkComesFirst) {
  FakeWindow w;
  compare_with(w.state, with_stages(w.state, 4), "four");
  for (int i = 0; i < 5; ++i) w.frame();
  // A waits for its own compile: B has asked for none of its own.
  EXPECT_EQ(second_of(w.state)->results.stage, Stage::debouncing);
  w.run();
  EXPECT_EQ(second_of(w.state)->results.stage, Stage::done);
}

TEST(Second, AnswersToOneThatIsNoMoreAreNobodys) {
  FakeWindow w;
  w.run();
  compare_with(w.state, with_stages(w.state, 4), "four");
  for (int i = 0; i < 3; ++i) w.frame();
  const auto open = w.client->open();
  EXPECT_FALSE(open.empty());
  const auto trace = w.state.results.trace;
  compare_with_nothing(w.state);
  for (const FakeClient::Call& call : open) w.client->answer_well(call.id);
  w.run();
  EXPECT_EQ(second_of(w.state), nullptr);
  EXPECT_EQ(w.state.results.trace, trace);
  compare_with(w.state, with_stages(w.state, 2), "two");
  compare_with(w.state, with_stages(w.state, 4), "four");
  w.run();
  EXPECT_EQ(second_of(w.state)->results.stage, Stage::done);
}

TEST(Second, SwappedTheyChangePlacesAndUndoTakesItBack) {
  FakeWindow w;
  w.run();
  const Edit first = w.state.edit, other = with_stages(w.state, 4);
  compare_with(w.state, other, "four");
  w.run();
  const auto trace_of_b = second_of(w.state)->results.trace;
  const int traces = w.client->asked("trace");
  swap_with_second(w.state);
  w.frame();
  EXPECT_TRUE(same_request(w.state.edit, other));
  EXPECT_TRUE(same_request(second_of(w.state)->edit, first));
  EXPECT_EQ(w.state.results.trace, trace_of_b) << "known at once";
  w.run();
  EXPECT_EQ(w.client->asked("trace"), traces);
  undo(w.state);
  EXPECT_TRUE(same_request(w.state.edit, first));
}

TEST(Second, InLockStepItIsWhereTheFirstIs) {
  FakeWindow w;
  w.state.of<Second>().lock_step = true;
  Edit wide = w.state.edit;
  set(wide.change_rung().tile, TileFieldId::block_n, 256);
  w.run();
  compare_with(w.state, wide, "wide");
  w.run();
  for (const Coord tile : {Coord{0, 0}, Coord{3, 5}, Coord{7, 6}, Coord{31, 31}}) {
    select_cta(w.state, tile);
    follow_first(w.state);
    const AppState& b = *second_of(w.state);
    const Coord a_origin = block_origin(w.state.derived.plan, w.state.selection.cta);
    EXPECT_EQ(block_of(b.derived.plan, a_origin), b.selection.cta);
  }
  // A click in B's picture: A goes there, and what was clicked stays chosen.
  AppState& b = *second_of(w.state);
  select_cta(b, {2, 9});
  follow_second(w.state);
  follow_first(w.state);
  EXPECT_EQ(b.selection.cta, (Coord{2, 9}));
  EXPECT_EQ(block_of(b.derived.plan, block_origin(w.state.derived.plan, w.state.selection.cta)),
            b.selection.cta);
  w.state.of<Second>().lock_step = false;
  const Selection before = b.selection;
  select_cta(w.state, {0, 0});
  follow_first(w.state);
  EXPECT_EQ(b.selection.cta, before.cta);
}

/// Of one warp: so many slices of k, so many steps of something else and multiplications in each.
void trace_slices(AppState& state, int slices, uint32_t other, uint32_t multiplied) {
  auto trace = std::make_shared<worker::TraceResult>();
  trace->warps = 1, trace->k_end = slices;
  for (int k = 0; k < slices; ++k) {
    worker::TraceEvent copies, multiplies;
    copies.kind = worker::TraceEvent::Kind::copy, multiplies.kind = worker::TraceEvent::Kind::fma;
    copies.count = other, multiplies.count = multiplied, multiplies.index = other;
    for (worker::TraceEvent* e : {&copies, &multiplies}) {
      e->epoch = static_cast<uint32_t>(k), e->k_step = k;
      trace->events.push_back(*e);
    }
  }
  state.results.trace = trace;
  state.results.timeline = std::make_shared<Timeline>(*trace);
}

TEST(Second, InLockStepTheSameKHasItsPlaceAndWidthOnBothAxes) {
  FakeWindow w;
  w.run();
  Edit deep = w.state.edit;
  const int k = get(deep.rung().tile, TileFieldId::block_k);
  set(deep.change_rung().tile, TileFieldId::block_k, 2 * k);
  compare_with(w.state, deep, "twice as deep");
  w.run();
  AppState &a = w.state, &b = *second_of(w.state);
  const int slices = slices_in_all(a);
  ASSERT_EQ(slices, 2 * slices_in_all(b)) << "a slice of B's has two of A's";
  trace_slices(a, slices, 3, 20), trace_slices(b, slices / 2, 9, 50);
  for (const int slice : {0, 1, 2, 7, slices - 2, slices - 1}) {
    const Timeline::Slice& in_a = a.results.timeline->slices()[static_cast<size_t>(slice)];
    const Timeline::Slice& in_b = b.results.timeline->slices()[static_cast<size_t>(slice / 2)];
    a.playhead.k_step = slice;
    a.playhead.column = (in_a.begin + in_a.end) / 2;
    follow_first(a);
    const double half = (in_b.end - in_b.begin) / 2.0, begin = in_b.begin + slice % 2 * half;
    for (const float width : {300.0f, 900.0f, 4000.0f}) {
      const auto view = [&](const AppState& side) {
        return viz::timeline_view(timeline_picture(side, moment_of(side)), {width, 150});
      };
      const viz::TimelineView of_a = view(a), of_b = view(b);
      EXPECT_NEAR(of_a.x(in_a.begin), of_b.x(begin), 0.5) << slice;
      EXPECT_NEAR(of_a.x(in_a.end), of_b.x(begin + half), 0.5) << slice;
    }
  }
  a.of<Second>().lock_step = false;
  follow_first(a);
  EXPECT_FALSE(timeline_picture(b, moment_of(b)).beside) << "each has its own axis";
}

TEST(Second, InTurnsAnAnswerAfterBIsGoneEndsThem) {
  FakeWindow w(nlohmann::json::array({card("cuda:0", "NVIDIA H200")}));
  w.run();
  compare_with(w.state, with_stages(w.state, 4), "four");
  w.run();
  ASSERT_EQ(why_no_turns(w.state), "");
  w.state.of<Turns>().wanted = true;
  // The L2 of both is simulated in threads: they are waited for first.
  for (int i = 0; i < 100000 && !w.state.of<Turns>().running; ++i) w.frame();
  ASSERT_TRUE(w.state.of<Turns>().running);
  const auto open = w.client->open();
  ASSERT_FALSE(open.empty());
  compare_with_nothing(w.state);
  for (const FakeClient::Call& call : open) w.client->answer_well(call.id);
  w.run();
  EXPECT_FALSE(w.state.of<Turns>().running);
  EXPECT_TRUE(w.state.of<Turns>().samples.empty());
}

/// What the card is asked to time of A and of B, once they are measured in turns.
std::pair<worker::calls::Measure::Request, worker::calls::Measure::Request> turns_asked(
    FakeWindow& w) {
  w.state.of<Turns>().wanted = true;
  std::vector<worker::calls::Measure::Request> asked;
  for (int i = 0; i < 100000 && asked.size() < 2; ++i) {
    w.frame();
    const auto open = w.client->open();
    for (const FakeClient::Call& call : open) {
      if (w.state.of<Turns>().running && call.is<worker::calls::Measure>()) {
        asked.push_back(call.request<worker::calls::Measure>());
      }
      w.client->answer_well(call.id);
    }
  }
  if (asked.size() < 2) return {};
  return {asked[0], asked[1]};
}

TEST(Second, InTurnsAnOlderSourceIsLaunchedFromThePtxOfThen) {
  FakeWindow w(nlohmann::json::array({card("cuda:0", "NVIDIA H200")}));
  w.run();
  pin_as_second(w.state);
  ASSERT_TRUE(second_of(w.state)->results.compile);
  const std::string then = second_of(w.state)->results.compile->ptx;
  ASSERT_FALSE(then.empty());
  ++w.state.private_copies.saved, ++w.state.kernel_files_serial;  // as the editor does
  w.run();
  ASSERT_EQ(why_no_turns(w.state), "");
  const auto [a, b] = turns_asked(w);
  ASSERT_TRUE(a.of && b.of);
  EXPECT_FALSE(a.code.ptx) << "A is compiled as it is now";
  EXPECT_EQ(b.code.ptx, then);
  w.run();
  EXPECT_TRUE(turns_median(w.state));
  // Saved once more: what was timed is of neither text.
  ++w.state.private_copies.saved, ++w.state.kernel_files_serial;
  w.frame();
  EXPECT_FALSE(turns_median(w.state));
}

TEST(Second, InTurnsKernelsOfOnesOwnAreLaunchedAsTheirSheetsSay) {
  FakeWindow w(nlohmann::json::array({card("cuda:0", "NVIDIA H200")}));
  w.run();
  const auto launch_of = [](const std::string& ptx) {
    worker::LaunchRequest launch;
    launch.ptx = ptx;
    launch.sheet.emplace().expect.emplace();
    return std::make_shared<const worker::LaunchRequest>(launch);
  };
  const auto now = launch_of("now"), then = launch_of("then");
  pin_as_second(w.state);
  Turns& turns = w.state.of<Turns>();
  turns.error.clear();
  AppState& b = *second_of(w.state);
  b.edit.subject = OwnKernel{"/tmp/sgemm.cu", "{}"};
  EXPECT_NE(why_no_turns(w.state).find("B has not been run yet"), std::string::npos);
  b.own_launch = then;
  EXPECT_EQ(why_no_turns(w.state), "");
  worker::CodeFinding fault;
  fault.kind = "misaligned";
  ASSERT_TRUE(worker::ends_a_launch(fault.kind));
  b.results.findings = {fault};
  EXPECT_NE(why_no_turns(w.state).find("B would end with a fault"), std::string::npos);
  b.results.findings.clear();
  const auto [of_a, of_b] = turns_asked(w);
  EXPECT_TRUE(of_a.of);  // a rung beside it
  EXPECT_FALSE(of_b.of);
  ASSERT_TRUE(of_b.launch);
  EXPECT_EQ(of_b.launch->ptx, "then");
  EXPECT_FALSE(of_b.launch->sheet->expect) << "timed alone";
  w.run();
  ASSERT_TRUE(turns_median(w.state));
  b.own_launch = now;
  EXPECT_FALSE(turns_median(w.state)) << "of another build of the file";
}

TEST(Second, StoppedByHandItDoesNotGoOnByItself) {
  FakeWindow w;
  w.run();
  compare_with(w.state, with_stages(w.state, 4), "four");
  for (int i = 0; i < 3; ++i) w.frame();
  w.live->stop(w.state);
  const int asked = w.client->asked("trace");
  w.run();
  EXPECT_EQ(w.client->asked("trace"), asked);
  EXPECT_EQ(second_of(w.state)->results.stage, Stage::idle);
}

}  // namespace
}  // namespace tilescope
