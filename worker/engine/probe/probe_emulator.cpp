// Probes in the emulator: blocks one after another; jobs may run side by side.
#include <cstring>

#include "emulator/arithmetic.h"
#include "emulator/emulator.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe_machine.h"

namespace tilescope::worker {
namespace {

class EmulatorJob : public ProbeJob {
 public:
  EmulatorJob(const ProbeKernel& kernel, const ProbeInputs& inputs)
      : entry_(kernel.entry), threads_(kernel.threads), output_bytes_(kernel.output_bytes) {
    auto parsed = emulator::Program::parse(kernel.ptx);
    if (auto* errors = std::get_if<1>(&parsed)) {
      throw Unsupported{"The emulator does not run it: " + errors->front().message};
    }
    program_ = std::get<0>(parsed);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::byte>& data = inputs[i].data;
      inputs_[i] =
          memory_.allocate("input " + std::to_string(i), std::max<size_t>(data.size(), 16));
      if (!data.empty()) {
        std::memcpy(memory_.bytes(inputs_[i]).data(), data.data(), data.size());
      }
    }
  }

  void run(std::span<const ProbeRun> runs, std::vector<std::byte>& output) override {
    output.resize(runs.size() * output_bytes_);
    // A buffer cannot be given back; a larger one is rarely needed, since chunks are alike.
    if (runs.size() > room_) {
      room_ = runs.size();
      runs_ = memory_.allocate("runs", room_ * sizeof(ProbeRun));
      output_ = memory_.allocate("output", room_ * output_bytes_);
    }
    std::memcpy(memory_.bytes(runs_).data(), runs.data(), runs.size_bytes());
    std::memset(memory_.bytes(output_).data(), 0xff, output.size());
    const std::array<uint64_t, 5> pointers{runs_, inputs_[0], inputs_[1], inputs_[2], output_};
    emulator::Launch launch;
    launch.grid = {static_cast<uint32_t>(runs.size()), 1, 1};
    launch.block = {threads_, 1, 1};
    launch.parameters.resize(sizeof pointers);
    std::memcpy(launch.parameters.data(), pointers.data(), sizeof pointers);
    emulator::RunOptions options;  // all sums of a proof are exact, so that it holds for cards, too
    options.sums_of = emulator::kSumsWhereProven;
    const emulator::RunResult result = emulator::run(*program_, entry_, launch, memory_, options);
    if (result.fault) {
      if (result.fault->kind == emulator::Fault::Kind::unsupported) {
        throw Unsupported{result.fault->message};
      }
      fail(kFailed, result.fault->message);
    }
    std::memcpy(output.data(), memory_.bytes(output_).data(), output.size());
  }

 private:
  const char* entry_;
  uint32_t threads_;
  size_t output_bytes_;
  std::shared_ptr<const emulator::Program> program_;
  emulator::Memory memory_;
  std::array<uint64_t, 3> inputs_{};
  uint64_t runs_ = 0, output_ = 0;
  size_t room_ = 0;
};

class EmulatorMachine : public ProbeMachine {
 public:
  std::string device() const override { return "emulator"; }
  std::string driver() const override { return "emulator"; }
  int threads() const override { return host_threads(); }
  void require(const ProbeKernel&) const override {}  // it has those of every card
  std::unique_ptr<ProbeJob> load(const ProbeKernel& kernel, const ProbeInputs& inputs) override {
    return std::make_unique<EmulatorJob>(kernel, inputs);
  }
};

}  // namespace

std::unique_ptr<ProbeMachine> emulator_probe_machine() {
  return std::make_unique<EmulatorMachine>();
}

}  // namespace tilescope::worker
