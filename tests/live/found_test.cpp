// A step back shows at once what was found before, and asks the worker for nothing of it again.
#include "app/state/found.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/present.h"
#include "tests/live/fake_window.h"

namespace tilescope {
namespace {

TEST(Found, AStepBackShowsAtOnceWhatWasFound) {
  FakeWindow w;
  w.run();
  ASSERT_EQ(w.state.results.stage, Stage::done);
  const auto first = w.state.results.trace;
  const Edit before = w.state.edit;
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.frame();
  EXPECT_EQ(trust_of(w.state), Trust::none);
  w.run();
  ASSERT_NE(w.state.results.trace, first);
  ASSERT_NE(find_results(w.state, before), nullptr) << "beside the present one";
  EXPECT_EQ(find_results(w.state, before)->trace, first);
  EXPECT_EQ(find_results(w.state, w.state.edit), &w.state.results);
  const int traces = w.client->asked("trace"), counts = w.client->asked("emulate");
  undo(w.state);
  w.frame();
  EXPECT_EQ(trust_of(w.state), Trust::whole);
  EXPECT_EQ(w.state.results.stage, Stage::done);
  EXPECT_EQ(w.state.results.trace, first);
  w.run();
  EXPECT_EQ(w.client->asked("trace"), traces);
  EXPECT_EQ(w.client->asked("emulate"), counts);
  w.live->run_again(w.state);  // by hand it is asked for all the same
  w.run();
  EXPECT_EQ(w.client->asked("emulate"), counts + 1);
}

TEST(Found, OfAnotherCtaTheTraceAloneIsAskedFor) {
  FakeWindow w;
  w.run();
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.run();
  const int traces = w.client->asked("trace"), counts = w.client->asked("emulate");
  select_cta(w.state, {0, 0});
  w.run();
  EXPECT_EQ(w.client->asked("trace"), traces + 1);
  undo(w.state);
  w.run();
  EXPECT_EQ(w.client->asked("trace"), traces + 2);
  EXPECT_EQ(w.client->asked("emulate"), counts);
  EXPECT_EQ(trust_of(w.state), Trust::whole);
}

TEST(Found, WhatFailedOrIsOfOtherFilesIsNot) {
  FakeWindow w;
  w.run();
  const Edit before = w.state.edit;
  set_tile_field(w.state, TileFieldId::stages, 4);
  w.run("emulate");
  ASSERT_NE(w.client->find("emulate"), nullptr);
  w.client->fail(w.client->find("emulate")->id, {-32000, 4, "It failed.", {}});
  w.run("emulate");
  ASSERT_TRUE(has_failed(w.state));
  const Edit failed = w.state.edit;
  undo(w.state);
  w.run();
  EXPECT_EQ(find_results(w.state, failed), nullptr);
  ASSERT_NE(find_results(w.state, before), nullptr);
  ++w.state.kernel_files_serial;
  EXPECT_EQ(find_results(w.state, before), nullptr) << "its file has changed";
}

TEST(Found, OnlySoManyAreKept) {
  AppState s = initial_state();
  const auto find = [&](int m) {
    Edit edit = s.edit;
    edit.problem.m = m;
    return find_results(s, edit);
  };
  const auto add = [&](int m, size_t events) {
    Edit edit = s.edit;
    edit.problem.m = m;
    worker::TraceResult trace;
    trace.events.resize(events);
    s.results = {};
    s.results.of = found_for(s, edit);
    s.results.trace = std::make_shared<const worker::TraceResult>(std::move(trace));
    put_by(s);
  };
  for (int m = 1; m <= 100; ++m) add(m, 1);
  EXPECT_EQ(s.found.size(), kMostFound);
  EXPECT_NE(find(100), nullptr);
  EXPECT_EQ(find(100 - static_cast<int>(kMostFound)), nullptr) << "looked at longest ago";
  add(70, 1);
  EXPECT_EQ(s.found.size(), kMostFound) << "one of each";
  add(1, kMostFoundRecords);
  EXPECT_EQ(s.found.size(), 1u) << "the last one stays, however large";
}

}  // namespace
}  // namespace tilescope
