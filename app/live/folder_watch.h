// Tells when a file has changed that somebody edits beside the window: one of a folder, or of a
// list.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilescope {

/// Of a folder with all that is in it, hidden names too, files and folders alike.
struct WatchLimits {
  size_t watched = 10'000;   // beyond them nothing is watched
  size_t counted = 100'000;  // beyond them nobody counts on
};

/// Compares names, sizes and times of the files, which works on every file system. Hidden ones (an
/// editor's own) do not count, and folders behind symbolic links are not gone into. No file is
/// opened; of folders one is open at a time, while it is listed. The window's thread looks at no
/// file: the first look is the thread's of begin().
class FolderWatch {
 public:
  explicit FolderWatch(std::string folder, WatchLimits limits = {});
  /// Ends a look that is under way.
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// Looks now and then on a thread of its own; `changed` is called from there.
  void begin(std::function<void()> changed);
  /// From now on these alone, wherever they lie and whatever else is in the folder. One that is new
  /// in the list has changed if it does after the next look.
  void watch_only(std::vector<std::string> files);
  /// Looks now. True if something is not as it was when this was last called, or if too_many() is
  /// not. The first look finds how things are.
  bool look();
  /// Names of what has changed since this was last called: paths in the folder, or as they stand in
  /// the list.
  std::vector<std::string> take_changed();
  /// Why nothing is watched, as a sentence: there are too many files. Else empty. Once they are few
  /// again, take_changed() names what was saved meanwhile, too.
  std::string too_many() const;

 private:
  struct Mark {
    uintmax_t bytes = 0;
    int64_t time = 0;
    bool operator==(const Mark&) const = default;
  };
  using Marks = std::map<std::string, Mark>;
  struct Seen {
    Marks marks;
    size_t entries = 0;
  };
  Seen seen_in_folder() const;
  static Marks marks_of(const std::vector<std::string>& files);
  std::string sentence_of(size_t entries) const;
  std::set<std::string> compare(Marks now, bool listed);
  void run(const std::function<void()>& changed);

  const std::string folder_;
  const WatchLimits limits_;
  std::atomic<bool> end_ = false;

  std::mutex looking_;  // one look at a time; of it is
  std::optional<Marks> known_;

  mutable std::mutex mutex_;  // short: the window's thread waits for it. Of it is
  std::optional<std::vector<std::string>> only_;
  bool look_soon_ = false;
  std::set<std::string> changed_;
  std::string too_many_;

  std::condition_variable woken_;
  std::thread thread_;
};

}  // namespace tilescope
