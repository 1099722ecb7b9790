// Kernels that somebody edits beside the window: a saved file is seen, and compiled and run again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "app/live/folder_watch.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/present.h"
#include "app/state/status.h"
#include "app/state/verifying.h"
#include "tests/live/fake_window.h"
#include "tests/live/kernel_folder.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

struct KernelFilesWindow : FakeWindow {
  KernelFolder folder;
  explicit KernelFilesWindow(WatchLimits limits = {}) {
    state.kernel_dir = folder.path().string();
    live->watch_kernels(state.kernel_dir, limits);
    live->kernel_watch()->look();
    run();
    take_l2(state, l2_question(state), {});  // else its simulation may still be on its way
    frame();
  }
  void save(const std::string& text) {
    folder.write("11_mma_multistage.cuh", text);
    live->kernel_watch()->look();
    frame();
  }
};

TEST(KernelFiles, ASavedFileIsCompiledAndRunAgain) {
  KernelFilesWindow w;
  EXPECT_EQ(w.state.results.edit_serial, w.state.edit_serial);
  EXPECT_FALSE(w.live->busy(w.state));
  const uint64_t before = w.state.kernel_files_serial;
  w.save("changed");
  EXPECT_EQ(w.state.kernel_files_serial, before + 1) << "Source reads it again";
  EXPECT_NE(w.state.results.edit_serial, w.state.edit_serial) << "what is shown is of the old file";
  EXPECT_EQ(w.state.said, "11_mma_multistage.cuh changed on disk: read again");
  EXPECT_TRUE(w.live->busy(w.state));
  w.frame();
  EXPECT_NE(w.client->find("compile"), nullptr);
  w.run();
  EXPECT_EQ(w.state.results.edit_serial, w.state.edit_serial);
  EXPECT_FALSE(w.live->busy(w.state));
}

TEST(KernelFiles, ASavedFileThatDoesNotCompileIsMendedByTheNext) {
  KernelFilesWindow w;
  w.save("a mistake");
  w.frame();
  w.client->fail(w.client->find("compile")->id, {-32000, 4, "It does not compile.", {}});
  w.frame();
  EXPECT_EQ(w.state.results.error, "It does not compile.");
  w.save("and the mend of it");
  EXPECT_EQ(w.state.results.error, "");
  w.run();
  EXPECT_EQ(w.state.results.stage, Stage::done);
}

// F5 on a file that does not compile: figures and ticks of the run before are not of it.
TEST(KernelFiles, NothingOfBeforeIsSaidOfAKernelThatDoesNotCompile) {
  KernelFilesWindow w;
  EXPECT_EQ(trust_of(w.state), Trust::whole);
  EXPECT_EQ(legality(w.state).kind, StatusItem::Kind::kOk);
  w.live->run_again(w.state);
  w.frame();
  w.client->fail(w.client->find("compile")->id, {-32000, 4, "It does not compile.", {}});
  w.frame();
  EXPECT_EQ(trust_of(w.state), Trust::none);
  EXPECT_EQ(verdict_of(w.state).kind, Verdict::Kind::none);
  EXPECT_EQ(legality(w.state).kind, StatusItem::Kind::kDim);
  w.live->run_again(w.state);
  w.run();
  EXPECT_EQ(trust_of(w.state), Trust::whole);
}

// What failed beside it: the emulator has found C right, which stays true, but nothing is ticked.
TEST(KernelFiles, WhatWasFoundBeforeAFailureIsSaidWithoutATick) {
  FakeWindow w(nlohmann::json::array({card("cuda:0", "NVIDIA H200")}));
  w.run("measure");
  const FakeClient::Call* measuring = w.client->find("measure");
  ASSERT_NE(measuring, nullptr);
  w.client->fail(measuring->id, {-32000, 4, "Kernel stopped after 10 s.", {}});
  w.frame();
  EXPECT_EQ(trust_of(w.state), Trust::shaken);
  EXPECT_NE(verdict_of(w.state).kind, Verdict::Kind::none);
  for (const StatusItem& item : status_items(w.state)) {
    EXPECT_NE(item.kind, StatusItem::Kind::kOk) << item.text;
  }
}

TEST(KernelFiles, AfterStopItIsSaidAndNothingRuns) {
  KernelFilesWindow w;
  w.live->stop(w.state);
  w.save("changed");
  EXPECT_EQ(w.state.said, "11_mma_multistage.cuh changed on disk: run again (F5)");
  EXPECT_EQ(w.client->find("compile"), nullptr);
  EXPECT_NE(w.state.results.edit_serial, w.state.edit_serial) << "and nothing counts as checked";
  w.live->run_again(w.state);
  w.run();
  EXPECT_EQ(w.state.results.edit_serial, w.state.edit_serial);
}

// Of a folder that is too large no save is seen: it says so, and F5 reads all that hangs on a file.
TEST(KernelFiles, AFolderOfTooManyFilesIsSaidForAsLongAsItIsOne) {
  KernelFilesWindow w(WatchLimits{.watched = 2});
  const auto is_said = [&] {
    return std::ranges::any_of(status_items(w.state), [&](const StatusItem& item) {
      return item.text == w.live->kernel_watch()->too_many() && !item.text.empty() &&
             item.kind == StatusItem::Kind::kWarning;
    });
  };
  EXPECT_TRUE(is_said());
  const uint64_t before = w.state.kernel_files_serial;
  w.live->run_again(w.state);
  EXPECT_EQ(w.state.kernel_files_serial, before + 1);
  w.run();
  std::filesystem::remove_all(w.folder.path() / "common");
  w.live->kernel_watch()->look();
  w.frame();
  EXPECT_FALSE(is_said());
  EXPECT_EQ(w.state.kernel_dir_notice, "");
  w.run();
  w.save("changed");
  EXPECT_EQ(w.state.said, "11_mma_multistage.cuh changed on disk: read again");
}

}  // namespace
}  // namespace tilescope
