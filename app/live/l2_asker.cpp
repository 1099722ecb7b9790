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
  if (run_) run_->cancelled = true;
  for (const auto& run : dropped_) run->cancelled = true;
}

Busy L2Asker::busy(const AppState& state) const { return wanted(state) ? Busy::awaited : Busy::no; }

void L2Asker::update(AppState& state, const Surroundings&) { go_on(state); }
void L2Asker::without_worker(AppState& state, const std::string&) { go_on(state); }
void L2Asker::drop(AppState&, Lost) {}  // it sees itself whether another question is due

void L2Asker::go_on(AppState& state) {
  if (serial_ != state.edit_serial) serial_ = state.edit_serial, changed_at_ = state.now;
  expect_again(state);
  std::erase_if(dropped_, [](const auto& run) { return run->done.load(); });
  if (!wanted(state)) return;
  const L2Question question = l2_question(state);
  if (run_ && run_->of == question) {
    if (!run_->done) return;
    take_l2(state, run_->of, run_->traffic);
    run_.reset();
    return;
  }
  if (run_) {
    run_->cancelled = true;
    dropped_.push_back(std::move(run_));
  }
  // The first time nobody has moved anything.
  if (state.edit_serial > 1 && state.now - changed_at_ < kSlidersRest) return;
  begin(question);
}

void L2Asker::begin(const L2Question& question) {
  run_ = std::make_unique<Run>();
  run_->of = question;
  Run* run = run_.get();
  run->thread = std::jthread([run, wake = wake_] {
    model::L2Options options;
    options.cancelled = &run->cancelled;
    run->traffic = model::simulate_l2(run->of.plan, run->of.problem, run->of.machine, options);
    run->done = true;
    if (wake) wake();
  });
}

}  // namespace tilescope
