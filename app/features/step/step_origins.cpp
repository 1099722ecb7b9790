// Where the values of a stepped run came from, of a rung and of a kernel of one's own.
#include "app/features/step/step_words.h"
#include "app/state/present_launch.h"

namespace tilescope {
namespace {

/// A question is of one CTA that ran alone: in a whole grid others may have written what it read.
const emulator::StepState* state_to_ask(const AppState& state) {
  const worker::StepAnswer* answer = step_answer(state);
  const bool known = state.derived.kernel || state.own_launch;
  if (!answer || !known || state.of<StepView>().whole_grid) return nullptr;
  return &answer->state;
}

worker::OriginQuestion question_at(const emulator::StepState& s, int warp, uint64_t step) {
  worker::OriginQuestion q;
  q.cta = {static_cast<int>(s.cta.x), static_cast<int>(s.cta.y), static_cast<int>(s.cta.z)};
  q.warp = warp, q.step = step;
  return q;
}

}  // namespace

std::optional<worker::OriginQuestion> origin_of_register(const AppState& state, int warp,
                                                         const std::string& name, int lane) {
  const emulator::StepState* s = state_to_ask(state);
  if (!s || warp < 0 || static_cast<size_t>(warp) >= s->warps.size()) return std::nullopt;
  const emulator::StepWarp& ran = s->warps[static_cast<size_t>(warp)];
  if (ran.ran_step == 0) return std::nullopt;  // step 0 would mean the end of the run
  worker::OriginQuestion q = question_at(*s, warp, ran.ran_step);
  q.what = "register";
  q.name = name, q.lane = lane;
  return q;
}

std::optional<worker::OriginQuestion> origin_of_shared(const AppState& state, int byte) {
  const emulator::StepState* s = state_to_ask(state);
  if (!s || byte < 0) return std::nullopt;
  const auto by = s->writers.at(static_cast<uint64_t>(byte));
  if (!by || by->step == 0) return std::nullopt;
  worker::OriginQuestion q = question_at(*s, static_cast<int>(by->warp), by->step);
  q.what = "shared";
  const NumberForm chosen = static_cast<NumberForm>(state.of<StepView>().memory_form);
  q.bytes = shared_form(state, chosen).bytes;
  q.offset = static_cast<uint64_t>(byte);
  return q;
}

}  // namespace tilescope
