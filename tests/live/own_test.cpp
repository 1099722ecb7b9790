// A kernel of one's own in the window: what is under way when its file is read again.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "app/features/own/own_view.h"
#include "app/live/live.h"
#include "app/state/edit.h"
#include "tests/live/fake_window.h"
#include "tests/live/kernel_folder.h"
#include "worker/messages/calls.h"

namespace tilescope {
namespace {

namespace calls = worker::calls;

TEST(OwnInTheWindow, AFileThatIsReadAgainForgetsWhatWasAskedOfItsLaunch) {
  FakeWindow w;
  open_own_kernel(w.state,
                  {"/no/such/folder/empty.ptx",
                   R"({"entry": "empty", "grid": [1,1,1], "block": [32,1,1], "args": []})"});
  w.run(calls::Open::name);
  const FakeClient::Call* open = w.client->find(calls::Open::name);
  ASSERT_NE(open, nullptr);
  worker::OpenAnswer opened;
  opened.kind = "ptx";
  opened.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry empty() { ret; }\n";
  opened.kernels.emplace_back().signature.entry = "empty";
  w.client->answer_as<calls::Open>(*open, opened);
  w.run(calls::Trace::name);
  ASSERT_NE(w.client->find(calls::Trace::name), nullptr);
  const FakeClient::Call late = *w.client->find(calls::Trace::name);
  ASSERT_TRUE(w.state.own_launch);
  w.state.of<OwnView>().reopen = true;  // as after a save
  w.frame();
  EXPECT_FALSE(w.state.own_launch);
  w.client->answer_as<calls::Trace>(late, {});
  w.frame();  // its run was to come next, of a launch that is no more
  EXPECT_FALSE(w.state.results.trace);
}

// What it includes is watched wherever it lies, and nothing else.
TEST(OwnInTheWindow, IsOpenedAgainWhenAHeaderIsSaved) {
  std::mutex mutex;
  std::condition_variable woken;  // outlives the watch, which wakes
  FakeWindow w;
  w.live->on_activity([&] { woken.notify_all(); });
  const KernelFolder elsewhere;
  open_own_kernel(w.state, {"/no/such/folder/empty.ptx", ""});
  w.run(calls::Open::name);
  const FakeClient::Call* open = w.client->find(calls::Open::name);
  ASSERT_NE(open, nullptr);
  worker::OpenAnswer opened;
  opened.kind = "ptx";
  opened.kernels.emplace_back().signature.entry = "empty";
  opened.files = {(elsewhere.path() / "common/info.h").string()};
  w.client->answer_as<calls::Open>(*open, opened);
  w.run();
  ASSERT_EQ(w.client->find(calls::Open::name), nullptr);
  // The first look of the watch may come after a save: each is another one.
  std::string text = "x";
  std::unique_lock lock(mutex);
  do {
    elsewhere.write("common/info.h", text += "x");
    woken.wait_for(lock, std::chrono::milliseconds(100));
    w.frame();
  } while (!w.client->find(calls::Open::name));
  EXPECT_TRUE(w.state.of<OwnView>().opening);
}

}  // namespace
}  // namespace tilescope
