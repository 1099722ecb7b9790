// A kernel set up in the emulator, whatever it computes: program, memory, launch.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "emulator/emulator.h"
#include "worker/messages/bounds.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::worker {

struct EmulatedLaunch {
  std::shared_ptr<const emulator::Program> program;
  std::string entry;
  emulator::Memory memory;
  std::vector<uint64_t> buffers = {};    // of a launch request: their addresses, in its order
  std::vector<uint64_t> arguments = {};  // of a sheet: each argument's buffer; 0 = a value
  emulator::Launch launch;
  uint64_t workspace = 0;  // address of a buffer that is all zeros before each run; 0 = none
  uint64_t resident = 0;   // CTAs that run side by side, as RunOptions has it
  int sums_of = 0;         // of products, as RunOptions has it

  const std::byte* data(uint64_t address) { return memory.bytes(address).data(); }
  emulator::RunResult run(emulator::RunOptions options);
  /// "products as sm_90 sums them"; empty if there are none.
  std::string arithmetic() const;
};

/// The name of LaunchRequest::source in the PTX.
std::string source_name(const LaunchRequest& request);

constexpr uint64_t warp_instructions_of(uint64_t lane_instructions) {
  return (lane_instructions + 31) / 32;
}

/// Fails with exit code 4 if the text is no PTX or holds an instruction that the emulator does not
/// know.
std::shared_ptr<const emulator::Program> parse_program(
    std::string_view ptx, emulator::Registers registers = emulator::Registers::packed);

/// Fails with 4 like parse_program, with 2 if the entry or the buffers' contents are not there,
/// with 3 if memory does not suffice.
EmulatedLaunch prepare_launch(const LaunchRequest& request,
                              emulator::Registers registers = emulator::Registers::packed);

}  // namespace tilescope::worker
