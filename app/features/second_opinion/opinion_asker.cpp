#include "app/features/second_opinion/opinion_asker.h"

#include <memory>
#include <utility>

#include "app/features/second_opinion/opinion.h"

namespace tilescope {
namespace {

constexpr double kHandRests = 0.060;  // seconds that the sliders rest before it is asked

}  // namespace

void OpinionAsker::update(AppState& state, const Surroundings&) {
  if (serial_ != state.edit_serial) serial_ = state.edit_serial, changed_at_ = state.now;
  Opinion& o = state.of<Opinion>();
  const bool wanted = std::exchange(o.wanted, false) && why_no_opinion(state).empty();
  const OpinionQuestion question = opinion_question(state);
  pending_ = wanted && o.of != question;
  // An older question is let go on: it takes some milliseconds, and to cancel it ends a process.
  if (!pending_ || !calls_.idle() || state.now - changed_at_ < kHandRests) return;
  calls_.ask<worker::calls::SecondOpinion>(
      {{question.kernel, question.tile, question.problem, question.sms}, question.gpu},
      {.done =
           [question](AppState& s, worker::SecondOpinion result) {
             auto answer = std::make_shared<const worker::SecondOpinion>(std::move(result));
             s.of<Opinion>() = {.of = question, .answer = std::move(answer)};
           },
       .failed =
           [question](AppState& s, const worker::CallError& error) {
             s.of<Opinion>() = {.of = question, .error = error.message};
           }});
}

void OpinionAsker::without_worker(AppState& state, const std::string& why) {
  if (state.of<Opinion>().wanted)
    state.of<Opinion>() = {.of = opinion_question(state), .error = why};
}

Busy OpinionAsker::busy(const AppState&) const { return pending_ ? Busy::awaited : Busy::no; }

/// What was said, an error too, is asked anew.
void OpinionAsker::drop(AppState& state, Lost what) {
  if (what != Lost::again && what != Lost::worker) return;
  calls_.drop();
  state.of<Opinion>() = {};
}

}  // namespace tilescope
