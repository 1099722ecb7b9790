#include "app/live/second_runner.h"

#include <algorithm>
#include <utility>

#include "app/state/second.h"

namespace tilescope {

void SecondRunner::update(AppState& state, const Surroundings& others) {
  const std::shared_ptr<AppState> b = state.of<Second>().state;
  ours_.client = link_.client;
  if (held_ != b) {
    if (held_) runner_.drop(*held_, Lost::worker);
    held_ = b;
    ours_.state = held_.get();
    edit_serial_ = 0;
    if (b) {
      device_serial_ = b->device_serial;
      // Its serial may be that of the one before, which has been begun.
      runner_.drop(*b, Lost::again);
    }
  }
  follow_first(state);
  if (!b || b->edit.own()) return;
  if (std::exchange(edit_serial_, b->edit_serial) != b->edit_serial) runner_.drop(*b, Lost::edit);
  if (std::exchange(device_serial_, b->device_serial) != b->device_serial) {
    runner_.drop(*b, Lost::device);
  }
  if (others.edit_rests(state)) {
    runner_.update(*b, others);
    l2_.update(*b, others);
  }
  if (std::exchange(ours_.devices_outdated, false)) link_.devices_outdated = true;
}

void SecondRunner::without_worker(AppState& state, const std::string& why) {
  AppState* b = second_of(state);
  if (!b || b->edit.own()) return;
  runner_.without_worker(*b, why);
  l2_.without_worker(*b, why);
}

Busy SecondRunner::busy(const AppState& state) const {
  const AppState* b = second_of(state);
  if (!b || b != held_.get() || b->edit.own()) return Busy::no;
  return std::max(runner_.busy(*b), l2_.busy(*b));
}

void SecondRunner::drop(AppState&, Lost what) {
  // What B was before the source changed it stays: A's files and edits are none of its own.
  if (!held_ || (what != Lost::stopped && what != Lost::worker)) return;
  runner_.drop(*held_, what);
  if (what == Lost::worker && !held_->results.of) runner_.drop(*held_, Lost::again);
}

}  // namespace tilescope
