#include "app/live/folder_watch.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using WatchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{250};
/// A large folder, or one far away, is looked at more seldom: not for more than a twentieth of the
/// time, but where this is the least.
constexpr int kRestsPerLook = 20;
constexpr std::chrono::milliseconds kLongestRest{10'000};

WatchClock::duration rest_after(WatchClock::duration look, bool too_many) {
  if (too_many) return kLongestRest;
  return std::clamp<WatchClock::duration>(kRestsPerLook * look, kBetweenLooks, kLongestRest);
}

}  // namespace

FolderWatch::FolderWatch(std::string folder, WatchLimits limits)
    : folder_(std::move(folder)), limits_(limits) {}

FolderWatch::~FolderWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  woken_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FolderWatch::begin(std::function<void()> changed) {
  if (thread_.joinable()) return;
  thread_ = std::thread([this, changed = std::move(changed)] { run(changed); });
}

void FolderWatch::watch_only(std::vector<std::string> files) {
  {
    const std::lock_guard lock(mutex_);
    only_ = std::move(files);
    look_soon_ = true;
  }
  woken_.notify_all();
}

void FolderWatch::run(const std::function<void()>& changed) {
  pthread_setname_np(pthread_self(), "file-watch");
  while (!end_) {
    const auto begin = WatchClock::now();
    if (look() && changed) changed();
    const auto took = WatchClock::now() - begin;
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, rest_after(took, !too_many_.empty()),
                    [this] { return end_ || look_soon_; });
    look_soon_ = false;
  }
}

/// A list of folders that are still to be read, not a folder within a folder: however deep they
/// are, one descriptor is held. What goes while it is looked at is gone, and takes nothing else
/// with it.
FolderWatch::Seen FolderWatch::seen_in_folder() const {
  Seen seen;
  std::vector<fs::path> folders{folder_};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (++seen.entries > limits_.counted || end_) return seen;
      const fs::path& path = at->path();
      if (path.filename().string().starts_with('.')) continue;
      std::error_code gone;
      if (!at->is_symlink(gone) && at->is_directory(gone)) {
        folders.push_back(path);
        continue;
      }
      // Pipes, sockets and devices are none; what is only counted is not looked at.
      if (seen.entries > limits_.watched || !at->is_regular_file(gone)) continue;
      const uintmax_t bytes = at->file_size(gone);
      if (gone) continue;
      const auto time = at->last_write_time(gone);
      if (gone) continue;
      seen.marks[path.lexically_relative(folder_).string()] = {bytes,
                                                               time.time_since_epoch().count()};
    }
  }
  return seen;
}

/// One that is not there has a mark, too: it may come.
FolderWatch::Marks FolderWatch::marks_of(const std::vector<std::string>& files) {
  Marks marks;
  for (const std::string& file : files) {
    Mark& mark = marks[file];
    std::error_code gone;
    if (!fs::is_regular_file(file, gone)) continue;
    const uintmax_t bytes = fs::file_size(file, gone);
    if (gone) continue;
    const auto time = fs::last_write_time(file, gone);
    if (!gone) mark = {bytes, time.time_since_epoch().count()};
  }
  return marks;
}

std::string FolderWatch::sentence_of(size_t entries) const {
  const std::string most = model::grouped(static_cast<long long>(limits_.watched));
  if (entries > limits_.counted) {
    return wording(
        "{} has more than {} files and folders, of which at most {} can be watched: press F5 after "
        "saving there, or name a folder of the kernels alone.",
        folder_, model::grouped(static_cast<long long>(limits_.counted)), most);
  }
  return wording(
      "{} has {} files and folders, of which at most {} can be watched: press F5 after saving "
      "there, or name a folder of the kernels alone.",
      folder_, model::grouped(static_cast<long long>(entries)), most);
}

/// Makes `now` what is known. Of a list: a name that was not in it before is not compared.
std::set<std::string> FolderWatch::compare(Marks now, bool listed) {
  std::set<std::string> differ;
  if (known_) {
    for (const auto& [name, mark] : now) {
      const auto before = known_->find(name);
      if (before == known_->end() ? !listed : !(before->second == mark)) differ.insert(name);
    }
    for (const auto& [name, mark] : *known_) {
      if (!listed && !now.contains(name)) differ.insert(name);
    }
  }
  known_ = std::move(now);
  return differ;
}

bool FolderWatch::look() {
  const std::lock_guard one(looking_);
  std::optional<std::vector<std::string>> only;
  {
    const std::lock_guard lock(mutex_);
    only = only_;
  }
  std::string why;
  std::set<std::string> differ;
  if (only) {
    differ = compare(marks_of(*only), true);
  } else {
    Seen seen = seen_in_folder();
    if (end_) return false;  // it was not seen whole
    if (seen.entries > limits_.watched) {
      why = sentence_of(seen.entries);
      if (!known_) known_.emplace();  // once they are few: all of them may be other ones
    } else {
      differ = compare(std::move(seen.marks), false);
    }
  }
  const std::lock_guard lock(mutex_);
  const bool any = !differ.empty() || why != too_many_;
  changed_.merge(differ);
  too_many_ = std::move(why);
  return any;
}

std::vector<std::string> FolderWatch::take_changed() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names(changed_.begin(), changed_.end());
  changed_.clear();
  return names;
}

std::string FolderWatch::too_many() const {
  const std::lock_guard lock(mutex_);
  return too_many_;
}

}  // namespace tilescope
