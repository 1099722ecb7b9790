// What the worker's children may do, as they tell it themselves.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/files/scratch_folder.h"
#include "tests/worker_process/helpers.h"
#include "worker/process/landlock.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr rlim_t kGigabyte = 1ull << 30;

/// True where the kernel took the filter. Another machine's, or a container's, may have none.
bool is_filtered(OddWorker& worker, const char* device) {
  return worker.call(device, "facts").result.value("filtered", false);
}

TEST(Fence, EmulatorAndStoreReachNobodyAndStartNothing) {
  OddWorker worker;
  for (const char* device : {"emulator", "store"}) {
    if (!is_filtered(worker, device)) GTEST_SKIP() << "the kernel takes no filter";
    const Reply reply = worker.call(device, "tryCalls");
    ASSERT_TRUE(reply.ok) << reply.error.message << ": nothing is ended for a call";
    constexpr int kStarted = 1;  // not an error: how many threads there are
    for (const auto& [name, error] : reply.result.items()) {
      EXPECT_EQ(error, name == "threads" ? kStarted : EPERM) << device << " " << name;
    }
    EXPECT_TRUE(worker.call(device, "echo").ok);
  }
}

TEST(Fence, TheCompilerStartsItsProgramsAndReachesNobody) {
  OddWorker worker;
  if (!is_filtered(worker, "compiler")) GTEST_SKIP() << "the kernel takes no filter";
  const json tried = worker.call("compiler", "tryCalls").result;
  EXPECT_EQ(tried["start"], 0);
  EXPECT_EQ(tried["execve"], ENOENT);
  for (const char* name : {"socket", "connect", "ptrace", "mount", "keyctl", "unshare"}) {
    EXPECT_EQ(tried[name], EPERM) << name;
  }
  EXPECT_EQ(tried["threads"], 1);
}

// NCCL and the driver use them, and nvidia-modprobe is root's.
TEST(Fence, ACardsChildHasSocketsProgramsAndTheirRights) {
  OddWorker worker;
  const json tried = worker.call("cuda:0", "tryCalls").result;
  EXPECT_EQ(tried["connect"], EBADF);
  EXPECT_EQ(tried["start"], 0);
  EXPECT_EQ(tried["threads"], 1);
  EXPECT_EQ(worker.call("cuda:0", "facts").result["no_new_privs"], 0);
}

TEST(Fence, ProgramsOfOthersGainNoRights) {
  OddWorker worker;
  for (const char* device : {"compiler", "emulator", "store"}) {
    EXPECT_EQ(worker.call(device, "facts").result["no_new_privs"], 1) << device;
  }
}

/// Three folders, of which two are named as the one for temporary files and the one for what can be
/// made anew.
class FenceOfFiles : public testing::Test {
 protected:
  FenceOfFiles() {
    set("TMPDIR", temporary_);
    set("XDG_CACHE_HOME", cache_);
  }
  ~FenceOfFiles() override {
    for (; !before_.empty(); before_.pop_back()) {  // what was first is kept
      const auto& [name, value] = before_.back();
      if (value) {
        setenv(name, value->c_str(), 1);
      } else {
        unsetenv(name);
      }
    }
  }
  std::string folder(const char* name) {
    std::string path = scratch_.path() + "/" + name;
    std::filesystem::create_directories(path);
    std::ofstream(path + "/there") << "something";
    return path;
  }
  void set(const char* name, const std::string& value) {
    const char* was = getenv(name);
    before_.emplace_back(name, was ? std::optional<std::string>(was) : std::nullopt);
    setenv(name, value.c_str(), 1);
  }
  const files::ScratchFolder scratch_;
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
  const std::string temporary_ = folder("temporary"), cache_ = folder("cache"),
                    kernels_ = folder("cache/tilescope"), home_ = folder("home");
};

TEST_F(FenceOfFiles, WhoReadsTheFilesOfOthersWritesIntoFewFolders) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  OddWorker worker;
  const json folders = {temporary_, kernels_, cache_, home_};
  const auto may = [&](const char* device, const std::string& path) {
    for (const char* name : {"there", "new"}) std::ofstream(path + "/" + name) << "something";
    std::filesystem::remove(path + "/new");
    const json tried = worker.call(device, "tryWrites", {{"folders", folders}}).result;
    EXPECT_EQ(tried["null"], 0) << device;
    const json& of = tried[path];
    EXPECT_EQ(of["read"], 0) << device << " " << path;
    EXPECT_EQ(of["there"], of["new"]) << device << " " << path;
    EXPECT_EQ(of["there"], of["removed"]) << device << " " << path;
    return of["there"];
  };
  for (const auto& [path, compiler, emulator] : {std::tuple{temporary_, 0, 0},
                                                 {kernels_, 0, EACCES},
                                                 {cache_, EACCES, EACCES},
                                                 {home_, EACCES, EACCES}}) {
    EXPECT_EQ(may("compiler", path), compiler) << path;
    EXPECT_EQ(may("emulator", path), emulator) << path;
    EXPECT_EQ(may("cuda:0", path), 0) << path << ": a driver's libraries write where they like";
  }
}

// A folder that is not there could be named in no rule.
TEST_F(FenceOfFiles, TheCachesFolderIsMadeForTheCompiler) {
  std::filesystem::remove_all(cache_);
  OddWorker worker;
  ASSERT_TRUE(worker.call("compiler", "echo").ok);
  EXPECT_TRUE(std::filesystem::is_directory(kernels_));
}

// Else nvcc would write elsewhere than the compiler may: it knows TMPDIR alone.
TEST_F(FenceOfFiles, ProgramsAreToldWhereTemporaryFilesMayLie) {
  set("TMP", temporary_);
  unsetenv("TMPDIR");  // before_ has it
  for (const char* device : {"compiler", "emulator"}) {
    OddWorker worker;
    EXPECT_EQ(worker.call(device, "facts").result["TMPDIR"], temporary_) << device;
  }
}

TEST_F(FenceOfFiles, AFolderForTemporaryFilesThatIsNotThereIsTheUsualOne) {
  set("TMPDIR", home_ + "/nowhere");
  const files::ScratchFolder usual;
  ASSERT_TRUE(usual.path().starts_with("/tmp/")) << usual.path();
  std::ofstream(usual.path() + "/there") << "something";
  OddWorker worker;
  EXPECT_EQ(worker.call("emulator", "facts").result["TMPDIR"], "/tmp");
  const json tried =
      worker.call("emulator", "tryWrites", {{"folders", json::array({usual.path()})}}).result;
  EXPECT_EQ(tried[usual.path()]["new"], 0);
}

TEST(Fence, TheVersionOfLandlockIsTold) {
  OddWorker worker;
  EXPECT_EQ(worker.call("", "status").result["landlock"], landlock_version());
}

TEST(Fence, LimitsAreForGood) {
  OddWorker worker;
  rlimit ours{};
  getrlimit(RLIMIT_NOFILE, &ours);
  for (const char* device : {"compiler", "emulator", "store", "cuda:0"}) {
    const json limits = worker.call(device, "facts").result["limits"];
    EXPECT_EQ(limits["core"], json({0, 0})) << device;
    EXPECT_LE(limits["files"][1], 4096u) << device;
    EXPECT_LE(limits["files"][0], ours.rlim_cur) << device;
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const auto of = [&](const char* device, const char* what) -> json {
    return worker.call(device, "facts").result["limits"][what];
  };
  EXPECT_EQ(of("compiler", "addresses"), json({4 * kGigabyte, 4 * kGigabyte}));
  EXPECT_EQ(of("store", "data"), json({kGigabyte, kGigabyte}));
  const json emulator = of("emulator", "data");
  EXPECT_EQ(emulator[0], 2 * kGigabyte);
  EXPECT_GT(emulator[1], emulator[0]) << "a call may be allowed more";
#endif
}

/// Whether a process has what `link` names ("pipe:[1234]") open.
bool has_open(int pid, const std::filesystem::path& link) {
  std::error_code error;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (std::filesystem::read_symlink(entry.path(), error) == link) return true;
  }
  return false;
}

TEST(Fence, WhatWasOpenIsNotInherited) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // as a shell's, or a library's that does not care
  const int high = fcntl(ends[1], F_DUPFD, 200);
  const auto link = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(high));
  ASSERT_TRUE(has_open(getpid(), link));
  OddWorker worker;
  std::vector<int> pids{worker.supervisor_pid()};
  for (const char* device : {"emulator", "cuda:0", "store"}) {
    pids.push_back(worker.call(device, "echo").result["pid"]);
  }
  for (const int child : children_of(pids[0])) pids.push_back(child);
  EXPECT_GE(pids.size(), 6u);
  for (const int pid : pids) EXPECT_FALSE(has_open(pid, link)) << pid;
  for (const int fd : {ends[0], ends[1], high}) close(fd);
}

TEST(Fence, SignalsThatAWindowBlocksAreHeard) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  {
    OddWorker worker;
    const std::string mask = worker.call("emulator", "facts").result["blocked"];
    EXPECT_EQ(mask.find_first_not_of('0'), mask.npos) << mask;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace tilescope::worker
