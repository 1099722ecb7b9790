// A folder for --kernel-dir with a stranger's kernel, and files around it that are none of its
// business.
#pragma once
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "engine_support.h"

namespace tilescope::worker {

/// Whether somebody opens or reads a file, or anything right in a folder.
class Untouched {
 public:
  Untouched() : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}
  ~Untouched() {
    if (events_ >= 0) close(events_);
  }
  Untouched(const Untouched&) = delete;
  void watch(const std::string& path) const {
    if (events_ >= 0) inotify_add_watch(events_, path.c_str(), IN_OPEN | IN_ACCESS);
  }
  /// Since the last call. A system that watches nothing says no.
  bool touched() const {
    char buffer[4096];
    bool any = false;
    while (events_ >= 0 && read(events_, buffer, sizeof(buffer)) > 0) any = true;
    return any;
  }

 private:
  int events_;
};

/// kernels/ below a fresh folder, beside it outside/secret.h and working/here.h, which is where the
/// process runs meanwhile.
class StrangersFolder {
 public:
  static constexpr const char* kMark = "SECRET_8f2c";

  StrangersFolder() : before_(std::filesystem::current_path()) {
    for (const char* name : {"kernels", "kernels/part", "outside", "outside/part", "working"}) {
      std::filesystem::create_directories(root() + "/" + name);
    }
    for (const char* name : {"outside/secret.h", "outside/part/a.h", "working/here.h"}) {
      write_text(root() + "/" + name,
                 "constexpr int kSecret = 1;  // " + std::string(kMark) + "\n");
      untouched.watch(root() + "/" + name);
    }
    untouched.touched();
    std::filesystem::current_path(root() + "/working");
  }
  ~StrangersFolder() { std::filesystem::current_path(before_); }
  StrangersFolder(const StrangersFolder&) = delete;

  std::string root() const { return std::filesystem::canonical(folder_.path()).string(); }
  std::string kernels() const { return root() + "/kernels"; }
  std::string secret() const { return root() + "/outside/secret.h"; }
  void link(const std::string& to, const std::string& name) const {
    std::filesystem::create_symlink(to, kernels() + "/" + name);
  }
  void pipe(const std::string& name) const {
    ASSERT_EQ(mkfifo((kernels() + "/" + name).c_str(), 0600), 0);
  }
  /// The ladder's first kernel, with a text before it.
  void write_kernel(const std::string& before) const {
    write_text(kernels() + "/01_naive.cuh",
               before + file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh"));
  }

  Untouched untouched;

 private:
  TemporaryFolder folder_;
  std::filesystem::path before_;
};

}  // namespace tilescope::worker
