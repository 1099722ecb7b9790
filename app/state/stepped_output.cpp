#include "app/state/stepped_output.h"

#include <utility>

#include "app/state/stepped.h"

namespace tilescope {

const worker::StepAnswer* step_output(const AppState& state) {
  const Stepped* at = stepped(state);
  const StepOutput& output = state.of<StepOutput>();
  if (!at || !output.answer || output.answer->state.place.tick != at->tick) return nullptr;
  return output.answer.get();
}

void step_to_moment(AppState& state, BlockIndex cta, int warp, uint64_t step) {
  worker::StepMotion motion{.stops = {worker::StepStop{}}};
  emulator::StopCondition& c = motion.stops.front().condition;
  c.kind = emulator::StopCondition::Kind::moment;
  c.cta = emulator::Dim3{static_cast<uint32_t>(cta.x), static_cast<uint32_t>(cta.y),
                         static_cast<uint32_t>(cta.z)};
  c.warp = static_cast<uint32_t>(warp), c.step = step;
  state.of<StepOutput>().ways.push_back(std::move(motion));
}

void step_to_read(AppState& state, const std::string& motion) {
  state.of<StepOutput>().reads.push_back(motion);
}

}  // namespace tilescope
