#include "app/live/live.h"

#include <algorithm>
#include <utility>

#include "app/live/device_asker.h"
#include "app/live/edit_runner.h"
#include "app/live/l2_asker.h"
#include "app/live/origin_asker.h"
#include "app/live/results_asker.h"
#include "app/live/sass_reader.h"
#include "app/live/second_runner.h"
#include "app/live/verifier.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/found.h"
#include "app/state/private_copy.h"
#include "core/language/language.h"

namespace tilescope {

namespace {

/// What rests is busy with nothing, whatever it would have to do.
Busy busy_of(const Asker& asker, const AppState& state) {
  return state.derived.kernel || !asker.needs_rung() ? asker.busy(state) : Busy::no;
}

}  // namespace

Live::Live(std::unique_ptr<worker::Client> client, std::string why_no_worker)
    : client_(std::move(client)), why_no_worker_(std::move(why_no_worker)) {
  link_.client = client_.get();
  auto runner = std::make_unique<EditRunner>(link_);
  runner_ = runner.get();
  askers_.push_back(std::make_unique<DeviceAsker>(link_));
  askers_.push_back(std::move(runner));
  askers_.push_back(std::make_unique<SecondRunner>(link_));
  askers_.push_back(std::make_unique<OriginAsker>(link_));
  askers_.push_back(std::make_unique<ResultsAsker>(link_));
  askers_.push_back(std::make_unique<SassReader>(link_));
  askers_.push_back(std::make_unique<L2Asker>(link_));
  for (const Feature* feature : all_features()) {
    if (!feature->askers) continue;
    for (auto& asker : feature->askers(link_)) askers_.push_back(std::move(asker));
  }
  askers_.push_back(std::make_unique<Verifier>(
      link_,
      [this](AppState& state, const worker::CallError& error) { runner_->fail(state, error); }));
}

Live::~Live() = default;

void Live::on_activity(std::function<void()> wake) {
  if (kernel_watch_) kernel_watch_->begin(wake);
  for (const auto& asker : askers_) asker->on_activity(wake);
  if (client_) client_->on_activity(std::move(wake));
}

bool Live::busy(const AppState& state) const {
  return std::ranges::any_of(
      askers_, [&](const auto& asker) { return busy_of(*asker, state) == Busy::awaited; });
}

bool Live::can_stop(const AppState& state) const {
  return std::ranges::any_of(askers_,
                             [&](const auto& asker) { return busy_of(*asker, state) != Busy::no; });
}

bool Live::edit_rests(const AppState& state) const { return runner_->rests(state); }

bool Live::all_rest(const AppState& state, const Asker* but) const {
  return std::ranges::all_of(askers_, [&](const auto& asker) {
    return asker.get() == but || !asker->uses_worker() || busy_of(*asker, state) == Busy::no;
  });
}

void Live::tell(AppState& state, Lost what) {
  for (const auto& asker : askers_) asker->drop(state, what);
}

void Live::stop(AppState& state) {
  if (!client_) return;
  tell(state, Lost::stopped);
  edit_serial_ = state.edit_serial;
}

void Live::run_again(AppState& state) {
  // Nobody has seen whether files have changed: what shows their text reads it again, too.
  if (!state.kernel_dir_notice.empty()) ++state.kernel_files_serial;
  tell(state, Lost::again);
}

void Live::check_all(AppState& state) { runner_->check_all(state); }

void Live::restart_worker(AppState& state) {
  if (!client_) return;
  client_->restart();
  tell(state, Lost::worker);
  run_again(state);
}

void Live::update(AppState& state) {
  link_.state = &state;
  if (client_) {
    update_worker(state);
  } else {
    for (const auto& asker : askers_) asker->without_worker(state, why_no_worker_);
  }
  link_.state = nullptr;
}

/// What the window itself has written is run at once: nobody is writing it still.
void Live::follow_saved(AppState& state) {
  client_->read_kernels_from(sources_folder(state));
  if (std::exchange(files_saved_, state.private_copies.saved) == state.private_copies.saved) return;
  state.results.edit_serial = 0;  // what is shown belongs to the text as it was
  run_again(state);
}

void Live::update_worker(AppState& state) {
  follow_saved(state);
  if (std::exchange(edit_serial_, state.edit_serial) != state.edit_serial) {
    put_by(state);
    tell(state, Lost::edit);
  }
  follow_kernels(state);
  poll(state);
  state.notice = client_->notice();
  if (std::exchange(device_serial_, state.device_serial) != state.device_serial) {
    tell(state, Lost::device);
  }
  for (const auto& asker : askers_) {
    if (state.derived.kernel || !asker->needs_rung()) asker->update(state, *this);
  }
}

/// A worker whose answers are not what they should be is started anew, and nothing is asked again
/// by itself.
void Live::poll(AppState& state) {
  try {
    client_->poll();
  } catch (const worker::AnswerError& error) {
    client_->restart();
    tell(state, Lost::worker);
    state.results.stage = Stage::failed;
    state.results.error = wording(
        "An answer of the worker is not understood ({}); it was restarted, your session is intact.",
        error.what());
  }
}

void Live::watch_kernels(const std::string& folder, WatchLimits limits) {
  kernel_watch_ = std::make_unique<FolderWatch>(folder, limits);
}

/// Kernels that somebody edits beside the window (--kernel-dir).
void Live::follow_kernels(AppState& state) {
  if (!kernel_watch_) return;
  state.kernel_dir_notice = kernel_watch_->too_many();
  std::vector<std::string> changed = kernel_watch_->take_changed();
  std::erase_if(changed, [&](const std::string& name) {
    return is_as_written(state.private_copies, state.kernel_dir + "/" + name);
  });
  if (changed.empty()) return;
  ++state.kernel_files_serial;
  const std::string what = changed.size() == 1
                               ? changed.front()
                               : wording("{} and {} more", changed.front(), changed.size() - 1);
  if (!runner_->files_changed(state)) {
    return say(state, wording("{} changed on disk: run again (F5)", what));
  }
  for (const auto& asker : askers_) {
    if (asker.get() != runner_) asker->drop(state, Lost::again);
  }
  edit_serial_ = state.edit_serial;
  say(state, wording("{} changed on disk: read again", what));
}

}  // namespace tilescope
