// Nobody edits files beside a page: a dropped file is a copy, and is dropped again.
#include "app/live/folder_watch.h"

namespace tilescope {

FolderWatch::FolderWatch(std::string folder, WatchLimits limits)
    : folder_(std::move(folder)), limits_(limits) {}
FolderWatch::~FolderWatch() = default;
void FolderWatch::begin(std::function<void()>) {}
void FolderWatch::watch_only(std::vector<std::string>) {}
bool FolderWatch::look() { return false; }
std::vector<std::string> FolderWatch::take_changed() { return {}; }
std::string FolderWatch::too_many() const { return {}; }

}  // namespace tilescope
