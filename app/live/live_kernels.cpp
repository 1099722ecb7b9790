// Kernels that somebody edits beside the window (--kernel-dir).
#include <fmt/format.h>

#include "app/live/live.h"
#include "app/state/edit.h"

namespace tilescope {

void Live::watch_kernels(const std::string& folder) {
  kernel_watch_ = std::make_unique<FolderWatch>(folder);
}

void Live::follow_kernels(AppState& state) {
  if (!kernel_watch_) return;
  const std::vector<std::string> changed = kernel_watch_->take_changed();
  if (changed.empty()) return;
  ++state.kernel_files_serial;
  std::string what = changed.front();
  if (changed.size() > 1) what += fmt::format(" and {} more", changed.size() - 1);
  // What is shown belongs to the files as they were.
  state.results.edit_serial = 0;
  if (stopped_) return say(state, what + " changed on disk: run again (F5)");
  run_again(state);
  noticed_serial_ = state.edit_serial;
  changed_at_ = state.now;  // an editor may be writing still
  if (state.derived.legal()) {
    state.results.stage = Stage::debouncing;
    state.results.stage_since = state.now;
  }
  say(state, what + " changed on disk: read again");
}

}  // namespace tilescope
