#include "emulator/stepper.h"

#include "emulator/step/step_findings.h"
#include "emulator/step/step_state.h"

namespace tilescope::emulator {

class Stepper::Impl {
 public:
  Impl(std::shared_ptr<const Program> program, Launch launch, Memory memory, Options options)
      : journey(std::move(program), std::move(launch), std::move(memory), std::move(options)) {}

  /// Whatever has been interrupted before: where the run stood last.
  void stand() {
    if (lost) journey.go_to(tick);
    lost = false;
  }
  template <class F>
  auto move(F step) {
    stand();
    lost = true;
    auto result = step();
    lost = false;
    tick = journey.now();
    return result;
  }

  Journey journey;
  mutable std::unique_ptr<LiveRegisters> live;
  std::optional<RunResult> checked;  // of the launch, once it was asked for
  uint64_t tick = 0;
  bool lost = false;
};

Stepper::Stepper(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stepper::~Stepper() = default;

std::variant<std::unique_ptr<Stepper>, std::string> Stepper::start(
    std::shared_ptr<const Program> program, std::string_view entry, Launch launch, Memory memory,
    Options options) {
  auto impl = std::make_unique<Impl>(std::move(program), std::move(launch), std::move(memory),
                                     std::move(options));
  if (std::string wrong = impl->journey.begin(entry); !wrong.empty()) return wrong;
  impl->tick = impl->journey.now();
  return std::unique_ptr<Stepper>(new Stepper(std::move(impl)));
}

StepPlace Stepper::go_to(uint64_t tick) {
  return impl_->move([&] {
    impl_->journey.go_to(tick);
    return place_of(impl_->journey);
  });
}

std::optional<StepPlace> Stepper::find(Direction direction,
                                       std::span<const StopCondition> conditions) {
  return impl_->move([&]() -> std::optional<StepPlace> {
    if (!impl_->journey.find(direction, conditions)) return std::nullopt;
    return place_of(impl_->journey);
  });
}

std::string Stepper::refuses(const StopCondition& condition) const {
  return impl_->journey.conditions().refuses(condition);
}

StepPlace Stepper::place() const {
  impl_->stand();
  return place_of(impl_->journey);
}

StepState Stepper::state(const StepParts& parts) const {
  impl_->stand();
  if (!impl_->live) {
    impl_->live = std::make_unique<LiveRegisters>(impl_->journey.work().state.entry->code);
  }
  StepState state = state_of(impl_->journey, *impl_->live, parts);
  if (parts.accesses) state.accesses = impl_->move([&] { return impl_->journey.accesses(); });
  return state;
}

StepFindings Stepper::findings() {
  impl_->stand();
  if (!impl_->checked) {
    const uint64_t here = impl_->tick;
    impl_->lost = true;  // should the checks be cancelled
    impl_->checked = impl_->journey.checked();
    impl_->journey.go_to(here);
    impl_->lost = false;
  }
  return findings_at(impl_->journey, *impl_->checked);
}

const Program& Stepper::program() const { return impl_->journey.program(); }
const Memory& Stepper::memory() const { return impl_->journey.memory(); }
uint64_t Stepper::checkpoints() const { return impl_->journey.checkpoints(); }
uint64_t Stepper::checkpoint_bytes() const { return impl_->journey.kept_bytes(); }
void Stepper::cancel_by(const std::atomic<bool>* cancel) { impl_->journey.cancel_by(cancel); }

}  // namespace tilescope::emulator
