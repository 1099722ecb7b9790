// What is under the pointer in Source, Timeline or Access, as what belongs to it in the two others.
#include "app/state/hovered.h"

#include <gtest/gtest.h>

#include "app/features/access/access_hover.h"
#include "app/features/access/access_picture.h"
#include "app/state/edit.h"

namespace tilescope {
namespace {

using worker::AccessRecord;
using worker::TraceEvent;

constexpr uint64_t kBuffer = uint64_t{1} << 40;
constexpr int kLoadLine = 7, kStoreLine = 9;

/// Two warps; each loads two elements by instructions on two lines of the PTX, which fold into one
/// event, and stores one. Warp 1 does so on the second row of a matrix of 4×4 words.
AppState two_warps() {
  AppState state = initial_state();
  state.results.edit_serial = state.edit_serial;
  state.results.compile.emplace().revision = "one";
  worker::TraceResult trace;
  trace.warps = 2;
  trace.tile = state.selection.cta;
  worker::AccessAnswer a;
  a.warps = 2, a.moments = 40;
  a.buffers.push_back({.name = "A", .address = kBuffer, .bytes = 64});
  a.buffers[0].rows = a.buffers[0].cols = a.buffers[0].line = 4;
  a.instructions = {{.ptx_line = 20, .line = kLoadLine},
                    {.ptx_line = 21, .line = kLoadLine},
                    {.ptx_line = 30, .line = kStoreLine}};
  a.patterns.emplace_back();
  a.patterns[0].lanes = 1, a.patterns[0].bytes = 4;
  const uint32_t steps[] = {10, 12, 31};
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint16_t warp = 0; warp < 2; ++warp) {
      AccessRecord& r = a.records.emplace_back();
      r.address =
          kBuffer + warp * 16u + (i == 2 ? 0 : i) * 4;  // the store goes where the first load was
      r.step = r.moment = steps[i], r.warp = warp, r.instruction = i;
      r.flags = i == 2 ? AccessRecord::kWrites : AccessRecord::kReads;
    }
  }
  for (uint16_t warp = 0; warp < 2; ++warp) {
    TraceEvent& load = trace.events.emplace_back();
    load.warp = warp, load.kind = TraceEvent::Kind::load, load.count = 2;
    load.line = kLoadLine, load.ptx_line = 20, load.first_raw = static_cast<int>(trace.raw.size());
    for (int i = 0; i < 3; ++i) {
      worker::RawAccess& raw = trace.raw.emplace_back();
      raw.step = steps[i], raw.ptx_line = a.instructions[static_cast<size_t>(i)].ptx_line;
    }
    TraceEvent& store = trace.events.emplace_back();
    store.warp = warp, store.kind = TraceEvent::Kind::store, store.index = 2;
    store.line = kStoreLine, store.ptx_line = 30;
    store.first_raw = static_cast<int>(trace.raw.size()) - 1;
  }
  state.results.trace = std::make_shared<const worker::TraceResult>(std::move(trace));
  state.results.timeline = std::make_shared<const Timeline>(*state.results.trace);
  a.cta = access_question(state)->cta;
  auto with_cta = *state.results.trace;
  with_cta.cta = a.cta;
  state.results.trace = std::make_shared<const worker::TraceResult>(std::move(with_cta));
  take_accesses(state.of<AccessView>(), *access_question(state), std::move(a));
  return state;
}

using Lines = std::vector<int>;

TEST(Hovered, NothingIsNothing) {
  const AppState state = two_warps();
  EXPECT_TRUE(hovered_events(state).empty());
  EXPECT_TRUE(hovered_lines(state, CodeText::ptx).empty());
  EXPECT_FALSE(hovered_steps(state));
  EXPECT_FALSE(hovered_light(state, *present_accesses(state)).any());
}

TEST(Hovered, ALineIsItsEventsAndItsAccesses) {
  AppState state = two_warps();
  const auto data = present_accesses(state);
  state.hover_before.code = hovered_place(state, CodeText::kernel, kLoadLine);
  EXPECT_EQ(hovered_events(state), (Lines{0, 2}));
  EXPECT_EQ(hovered_light(state, *data).instructions, (std::vector<uint32_t>{0, 1}));
  state.hover_before.code = hovered_place(state, CodeText::ptx, 21);  // the second of a fold
  EXPECT_EQ(hovered_events(state), (Lines{0, 2}));
  EXPECT_EQ(hovered_light(state, *data).instructions, std::vector<uint32_t>{1});
  state.hover_before.code = hovered_place(state, CodeText::ptx, 30);
  EXPECT_EQ(hovered_events(state), (Lines{1, 3}));
  state.hover_before.code = hovered_place(state, CodeText::ptx, 25);
  EXPECT_TRUE(hovered_events(state).empty());
  EXPECT_FALSE(hovered_light(state, *data).any());
}

TEST(Hovered, AnEventIsItsLinesAndItsAccesses) {
  AppState state = two_warps();
  const auto data = present_accesses(state);
  viz::Pick pick;
  pick.kind = viz::Pick::Kind::event, pick.event = 2;
  state.hover_before.pick = pick;
  EXPECT_EQ(hovered_lines(state, CodeText::kernel), Lines{kLoadLine});
  EXPECT_EQ(hovered_lines(state, CodeText::ptx), (Lines{20, 21}));
  const AccessLight light = hovered_light(state, *data);
  int lit = 0;
  for (const AccessRecord& r : data->answer.records) {
    EXPECT_EQ(is_lit(light, r), r.warp == 1 && r.reads());
    lit += is_lit(light, r) ? 1 : 0;
  }
  EXPECT_EQ(lit, 2);
  // Its two elements are ringed in the picture, which else stays as it is.
  const viz::AccessState picture = AccessPicture().make(state, data, {600, 300});
  ASSERT_EQ(picture.matrices.size(), 1u);
  EXPECT_EQ(picture.matrices[0].pointed_part, (viz::AccessPart{1, 0, 1, 2}));
  state.hover_before = {};
  const viz::AccessState plain = AccessPicture().make(state, data, {600, 300});
  EXPECT_EQ(plain.matrices[0].pointed, nullptr);
  EXPECT_EQ(*plain.matrices[0].cells, *picture.matrices[0].cells);
  // Of another CTA's events there is nothing here.
  auto trace = *state.results.trace;
  trace.cta.x += 1;
  state.results.trace = std::make_shared<const worker::TraceResult>(trace);
  state.hover_before.pick = pick;
  EXPECT_FALSE(hovered_light(state, *data).any());
}

TEST(Hovered, AnElementIsWhoTouchesIt) {
  AppState state = two_warps();
  const auto data = present_accesses(state);
  state.hover_before.touchers = touchers_of(state, *data, {0, 1, 0});
  EXPECT_EQ(hovered_lines(state, CodeText::kernel), (Lines{kLoadLine, kStoreLine}));
  EXPECT_EQ(hovered_lines(state, CodeText::ptx), (Lines{20, 30}));
  EXPECT_EQ(hovered_events(state), (Lines{2, 3}));
  state.hover_before.touchers = touchers_of(state, *data, {0, 0, 1});
  EXPECT_EQ(hovered_events(state), Lines{0});
  state.hover_before.touchers = touchers_of(state, *data, {0, 3, 3});  // nobody
  EXPECT_TRUE(hovered_events(state).empty());
  EXPECT_TRUE(hovered_lines(state, CodeText::ptx).empty());
  // What is not brushed does not count.
  brush(state, {{{}, {31, 32}}});
  state.hover_before.touchers = touchers_of(state, *data, {0, 1, 0});
  EXPECT_EQ(hovered_events(state), Lines{3});
  EXPECT_EQ(hovered_lines(state, CodeText::kernel), Lines{kStoreLine});
}

TEST(Hovered, OfAGridItIsTheCtaThatTimelineShows) {
  AppState state = two_warps();
  worker::AccessAnswer a = present_accesses(state)->answer;
  a.whole_grid = true, a.grid = {8, 8, 1};
  const BlockIndex cta = state.results.trace->cta;
  for (AccessRecord& r : a.records) {
    r.cta = r.warp == 0 ? static_cast<uint32_t>(cta.x + 8 * cta.y) : 63;
  }
  state.of<AccessView>().whole_grid = true;
  take_accesses(state.of<AccessView>(), *access_question(state), a);
  const auto data = present_accesses(state);
  ASSERT_TRUE(data);
  EXPECT_EQ(touchers_of(state, *data, {0, 0, 0})->steps.size(), 2u);
  EXPECT_EQ(touchers_of(state, *data, {0, 1, 0})->steps.size(), 0u) << "another CTA's";
  EXPECT_EQ(touchers_of(state, *data, {0, 1, 0})->places.size(), 2u);
  viz::Pick pick;
  pick.kind = viz::Pick::Kind::event, pick.event = 0;
  state.hover_before.pick = pick;
  EXPECT_EQ(hovered_light(state, *data).cta, cta.x + 8 * cta.y);
}

}  // namespace
}  // namespace tilescope
