// Nobody edits files beside a page: a dropped file is a copy, and is dropped again.
#include "app/live/folder_watch.h"

namespace tilescope {

FolderWatch::FolderWatch(std::string folder) : folder_(std::move(folder)) {}
FolderWatch::~FolderWatch() = default;
void FolderWatch::begin(std::function<void()>) {}
bool FolderWatch::look() { return false; }
std::vector<std::string> FolderWatch::take_changed() { return {}; }

}  // namespace tilescope
