#include "app/live/folder_watch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenLooks{250};

}  // namespace

FolderWatch::FolderWatch(std::string folder) : folder_(std::move(folder)), known_(marks()) {}

FolderWatch::~FolderWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FolderWatch::begin(std::function<void()> changed) {
  if (thread_.joinable()) return;
  thread_ = std::thread([this, changed = std::move(changed)] { run(changed); });
}

void FolderWatch::run(const std::function<void()>& changed) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, kBetweenLooks, [this] { return end_; })) return;
    }
    if (look() && changed) changed();
  }
}

FolderWatch::Marks FolderWatch::marks() const {
  Marks found;
  std::error_code error;
  // A file that goes while it is looked at is gone.
  for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code gone;
    if (name.starts_with('.')) {
      if (it->is_directory(gone)) it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file(gone)) continue;
    const uintmax_t bytes = it->file_size(gone);
    const auto time = it->last_write_time(gone);
    if (!gone) {
      found[it->path().lexically_relative(folder_).string()] = {bytes,
                                                                time.time_since_epoch().count()};
    }
  }
  return found;
}

bool FolderWatch::look() {
  Marks now = marks();
  const std::lock_guard lock(mutex_);
  bool any = false;
  const auto add = [&](const std::string& name) {
    any = true;
    if (std::ranges::find(changed_, name) == changed_.end()) changed_.push_back(name);
  };
  for (const auto& [name, mark] : now) {
    const auto before = known_.find(name);
    if (before == known_.end() || !(before->second == mark)) add(name);
  }
  for (const auto& [name, mark] : known_) {
    if (!now.contains(name)) add(name);
  }
  known_ = std::move(now);
  return any;
}

std::vector<std::string> FolderWatch::take_changed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changed_, {});
}

}  // namespace tilescope
