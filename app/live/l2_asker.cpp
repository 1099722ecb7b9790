#include "app/live/l2_asker.h"

#include <utility>

namespace tilescope {
namespace {

constexpr double kSlidersRest = 0.060;  // seconds that the sliders rest before it begins

bool wanted(const AppState& state) {
  return state.derived.kernel && state.derived.legal() &&
         model::can_simulate_l2(state.derived.plan) && !l2_known(state);
}

}  // namespace

L2Asker::~L2Asker() {
  if (run_) run_->cancel();
  for (const auto& run : dropped_) run->cancel();
}

Busy L2Asker::busy(const AppState& state) const {
  const bool failed = run_ && run_->failed;
  return wanted(state) && !failed ? Busy::awaited : Busy::no;
}

void L2Asker::update(AppState& state, const Surroundings&) { go_on(state); }
void L2Asker::without_worker(AppState& state, const std::string&) { go_on(state); }
// It sees itself whether another question is due; but a worker's end answers none, nor does what
// once failed have to fail again.
void L2Asker::drop(AppState&, Lost what) {
  if ((what == Lost::worker || what == Lost::again) && run_) put_by_run();
}

void L2Asker::put_by_run() {
  run_->cancel();
  dropped_.push_back(std::move(run_));
}

void L2Asker::go_on(AppState& state) {
  if (serial_ != state.edit_serial) serial_ = state.edit_serial, changed_at_ = state.now;
  expect_again(state);
  std::erase_if(dropped_, [](const auto& run) { return run->done.load(); });
  if (!wanted(state)) return;
  const L2Question question = l2_question(state);
  if (run_ && run_->of == question) {
    if (!run_->done || run_->failed) return;
    take_l2(state, run_->of, run_->traffic);
    run_.reset();
    return;
  }
  if (run_) put_by_run();
  // The first time nobody has moved anything.
  if (state.edit_serial > 1 && state.now - changed_at_ < kSlidersRest) return;
  run_ = begin_l2(state, question, link_, wake_);
}

}  // namespace tilescope
