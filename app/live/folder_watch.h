// Tells when a file of a folder has changed: what somebody edits beside the window.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilescope {

/// Compares names, sizes and times of the files, which works on every file system; the files are
/// few. Hidden ones (an editor's own) do not count.
class FolderWatch {
 public:
  explicit FolderWatch(std::string folder);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// Looks now and then on a thread of its own; `changed` is called from there.
  void begin(std::function<void()> changed);
  /// Looks now. True if something is not as it was when this was last called.
  bool look();
  /// Names of what has changed since this was last called, as paths in the folder.
  std::vector<std::string> take_changed();

 private:
  struct Mark {
    uintmax_t bytes = 0;
    int64_t time = 0;
    bool operator==(const Mark&) const = default;
  };
  using Marks = std::map<std::string, Mark>;
  Marks marks() const;
  void run(const std::function<void()>& changed);

  std::string folder_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  Marks known_;
  std::vector<std::string> changed_;
  std::thread thread_;
};

}  // namespace tilescope
