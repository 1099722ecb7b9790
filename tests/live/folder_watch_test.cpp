// What is watched beside the window: saves of every kind are seen, and no folder, however large or
// odd, makes it slow or takes its descriptors.
#include "app/live/folder_watch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

#include "tests/live/kernel_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(FolderWatch, SeesWhatIsWrittenRenamedAddedAndRemoved) {
  const KernelFolder folder;
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.look()) << "finds how things are";
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
  EXPECT_EQ(watch.take_changed(), (Names{"01_naive.cuh", "own.h"}));
  fs::remove_all(folder.path());
  EXPECT_TRUE(watch.look());
  FolderWatch nowhere("/nowhere/at/all");
  EXPECT_FALSE(nowhere.look());
  EXPECT_FALSE(nowhere.look());
}

TEST(FolderWatch, TellsByItself) {
  const KernelFolder folder;
  std::mutex mutex;
  std::condition_variable told;
  bool changed = false;
  FolderWatch watch(folder.path().string());
  watch.look();
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

TEST(FolderWatch, OfAListLooksAtNothingElse) {
  const KernelFolder folder, other;
  const std::string own = (folder.path() / "own.cu").string();
  const std::string header = (other.path() / "common/info.h").string();
  FolderWatch watch(folder.path().string(), {.watched = 1});
  watch.watch_only({own});
  EXPECT_FALSE(watch.look());
  folder.write("01_naive.cuh", "one and more");
  EXPECT_FALSE(watch.look()) << "nobody reads it";
  folder.write("own.cu", "it comes");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.take_changed(), Names{own});
  watch.watch_only({own, header});
  EXPECT_FALSE(watch.look()) << "a name that is new is no change";
  other.write("common/info.h", "two and more");
  fs::remove(own);
  EXPECT_TRUE(watch.look());
  Names both{own, header};
  std::ranges::sort(both);
  EXPECT_EQ(watch.take_changed(), both);
  watch.watch_only({header});
  EXPECT_FALSE(watch.look()) << "nor is one that is not in it any more";
  EXPECT_EQ(watch.too_many(), "");
}

TEST(FolderWatch, OfTooManyFilesSaysTheirCountTheLimitAndTheWayOut) {
  const KernelFolder folder;
  for (int i = 0; i < 40; ++i) folder.write("data/" + std::to_string(i), "x");
  const std::string name = folder.path().string();
  FolderWatch watch(name, {.watched = 20, .counted = 100});
  EXPECT_TRUE(watch.look());
  EXPECT_FALSE(watch.look()) << "once";
  EXPECT_EQ(watch.too_many(),
            name +
                " has 44 files and folders, of which at most 20 can be watched: press F5 after "
                "saving there, or name a folder of the kernels alone.");
  EXPECT_EQ(watch.take_changed(), Names{});
  for (int i = 40; i < 100; ++i) folder.write("data/" + std::to_string(i), "x");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.too_many(),
            name +
                " has more than 100 files and folders, of which at most 20 can be watched: "
                "press F5 after saving there, or name a folder of the kernels alone.");
  fs::remove_all(folder.path() / "data");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.too_many(), "");
  EXPECT_EQ(watch.take_changed(), (Names{"01_naive.cuh", "common/info.h"}))
      << "nobody has seen whether they were saved";
  EXPECT_FALSE(watch.look());
}

TEST(FolderWatch, OfThousandsSeesTheOne) {
  const KernelFolder folder;
  for (int i = 0; i < 3000; ++i) {
    folder.write("part" + std::to_string(i % 30) + "/" + std::to_string(i) + ".h", "x");
  }
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.look());
  folder.write("part7/37.h", "y and more");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.take_changed(), Names{"part7/37.h"});
}

TEST(FolderWatch, IsNotHeldUpByLoopsPipesAndSockets) {
  const KernelFolder folder;
  fs::create_directory_symlink(folder.path(), folder.path() / "common" / "above");
  fs::create_symlink("itself", folder.path() / "itself");
  fs::create_symlink("nothing", folder.path() / "dangling");
  fs::create_symlink("01_naive.cuh", folder.path() / "by_another_name.cuh");
  ASSERT_EQ(mkfifo((folder.path() / "pipe.cuh").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder.path() / "socket.cuh").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int listens = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listens, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.look());
  folder.write("01_naive.cuh", "one and more");
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(watch.take_changed(), (Names{"01_naive.cuh", "by_another_name.cuh"}));
  close(listens);
}

/// While it lives, a program may have a few descriptors more than it has.
class FewDescriptors {
 public:
  FewDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    int highest = 0;
    for (const auto& one : fs::directory_iterator("/proc/self/fd")) {
      highest = std::max(highest, std::stoi(one.path().filename().string()));
    }
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(highest) + 5;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(FolderWatch, HoldsNoDescriptorForEachFolderThatItIsIn) {
  const KernelFolder folder;
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "below/";
  folder.write(deep + "info.h", "x");
  FolderWatch watch(folder.path().string());
  {
    const FewDescriptors few;
    EXPECT_FALSE(watch.look());
  }
  folder.write(deep + "info.h", "y and more");
  {
    const FewDescriptors few;
    EXPECT_TRUE(watch.look());
  }
  EXPECT_EQ(watch.take_changed(), Names{deep + "info.h"});
}

TEST(FolderWatch, SeesFilesGoThatGoWhileTheyAreLookedAt) {
  constexpr size_t kFiles = 2000;
  const KernelFolder folder;
  for (size_t i = 0; i < kFiles; ++i) {
    folder.write("go" + std::to_string(i % 20) + "/" + std::to_string(i), "x");
  }
  FolderWatch watch(folder.path().string());
  EXPECT_FALSE(watch.look());
  std::thread takes_away([&] {
    for (int i = 0; i < 20; ++i) fs::remove_all(folder.path() / ("go" + std::to_string(i)));
  });
  for (int i = 0; i < 20; ++i) watch.look();
  takes_away.join();
  watch.look();
  EXPECT_EQ(watch.take_changed().size(), kFiles);
  EXPECT_FALSE(watch.look());
}

TEST(FolderWatch, EndsInTheMiddleOfALook) {
  const KernelFolder folder;
  for (int i = 0; i < 3000; ++i) folder.write("data/" + std::to_string(i), "x");
  for (int i = 0; i < 20; ++i) {
    FolderWatch watch(folder.path().string());
    watch.begin([] {});
  }
}

}  // namespace
}  // namespace tilescope
