// Kernels that somebody edits beside the window: a saved file is seen, and compiled and run again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "app/live/folder_watch.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/present.h"
#include "app/state/status.h"
#include "app/state/verifying.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilescope_kernels_XXXXXX").string();
    path_ = mkdtemp(name.data());
    write("01_naive.cuh", "one");
    write("common/info.h", "two");
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::trunc) << text;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

using Names = std::vector<std::string>;

TEST(FolderWatch, SeesWhatIsWrittenRenamedAddedAndRemoved) {
  const Folder folder;
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.look());
  folder.write("01_naive.cuh", "one and more");
  EXPECT_TRUE(watch.look());
  EXPECT_FALSE(watch.look()) << "once";
  EXPECT_EQ(watch.take_changed(), Names{"01_naive.cuh"});
  EXPECT_EQ(watch.take_changed(), Names{});
  folder.write(".common_info.swp", "an editor's own");
  EXPECT_FALSE(watch.look());
  // As many editors save: beside it, then in its place.
  folder.write("common/.info.h.new", "the same length or not");
  fs::rename(folder.path() / "common/.info.h.new", folder.path() / "common/info.h");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.take_changed(), Names{"common/info.h"});
  folder.write("own.h", "x");
  fs::remove(folder.path() / "01_naive.cuh");
  EXPECT_TRUE(watch.look());
  Names changed = watch.take_changed();
  std::ranges::sort(changed);
  EXPECT_EQ(changed, (Names{"01_naive.cuh", "own.h"}));
  fs::remove_all(folder.path());
  EXPECT_TRUE(watch.look());
  EXPECT_FALSE(FolderWatch("/nowhere/at/all").look());
}

TEST(FolderWatch, TellsByItself) {
  const Folder folder;
  std::mutex mutex;
  std::condition_variable told;
  bool changed = false;
  FolderWatch watch(folder.path().string());
  watch.begin([&] {
    const std::lock_guard lock(mutex);
    changed = true;
    told.notify_all();
  });
  folder.write("01_naive.cuh", "one and more");
  std::unique_lock lock(mutex);
  told.wait(lock, [&] { return changed; });
  EXPECT_EQ(watch.take_changed(), Names{"01_naive.cuh"});
}

struct KernelFilesWindow : FakeWindow {
  Folder folder;
  KernelFilesWindow() {
    state.kernel_dir = folder.path().string();
    live->watch_kernels(state.kernel_dir);
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

}  // namespace
}  // namespace tilescope
