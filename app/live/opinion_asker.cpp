#include "app/live/opinion_asker.h"

#include <memory>
#include <utility>

#include "app/state/second_opinion.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr double kHandRests = 0.060;  // seconds that the sliders rest before it is asked

}  // namespace

void OpinionAsker::update(AppState& state) {
  if (serial_ != state.edit_serial) serial_ = state.edit_serial, changed_at_ = state.now;
  Opinion& o = state.opinion;
  const bool wanted = std::exchange(o.wanted, false) && why_no_opinion(state).empty();
  const OpinionQuestion question = opinion_question(state);
  pending_ = wanted && o.of != question;
  // An older question is let go on: it takes some milliseconds, and to cancel it ends a process.
  if (!pending_ || !calls_.idle() || state.now - changed_at_ < kHandRests) return;
  json params =
      worker::KernelRequest{question.kernel, question.tile, question.problem, question.sms};
  params["gpu"] = question.gpu;
  calls_.ask("heuristics", "secondOpinion", std::move(params),
             {.done =
                  [this, question](const json& result) {
                    auto answer = std::make_shared<const worker::SecondOpinion>(
                        result.get<worker::SecondOpinion>());
                    state_->opinion = {.of = question, .answer = std::move(answer)};
                  },
              .failed =
                  [this, question](const worker::RpcError& error) {
                    state_->opinion = {.of = question, .error = error.message};
                  },
              .progress = {},
              .binary = {}});
}

void OpinionAsker::drop(AppState& state) {
  calls_.drop();
  state.opinion = {};
}

}  // namespace tilescope
