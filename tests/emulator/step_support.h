// Launches to step through, and a state as bytes.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "emulator/stepper.h"
#include "support.h"

namespace tilescope::emulator::test {

/// A launch that can be made again and again with the same memory.
struct StepCase {
  std::string name, ptx, entry;
  Dim3 grid, block;
  uint32_t dynamic_shared = 0;
  std::vector<uint64_t> buffers;  // bytes
  std::function<void(std::vector<std::byte>&, const std::vector<uint64_t>&)> arguments;
  std::function<void(Memory&, const std::vector<uint64_t>&)> fill;  // empty = small random words
  uint64_t limit = 0;

  struct Made {
    Memory memory;
    std::vector<uint64_t> addresses;
    Launch launch;
  };
  Made make() const;
  /// Checkpoints as close together as `interval`.
  std::unique_ptr<Stepper> stepper(uint64_t interval, std::vector<Dim3> ctas = {}) const;
  /// With packed registers.
  RunResult run_whole(Memory& memory_after, const RunOptions& options = {}) const;
};

/// The fixtures' names, in order.
std::vector<std::string> fixture_files();
/// All entries of one of them, or of all, launched with buffers of random words: some of them fault
/// or never end, as they do in run(). None where the file is not PTX that the emulator knows.
std::vector<StepCase> fixture_cases(const std::string& file);
std::vector<StepCase> fixture_cases();
/// A tiled SGEMM and a tensor-core GEMM of two CTAs, computed rightly.
StepCase sgemm_case(uint32_t k);
StepCase mma_case(uint32_t k);

/// Every bit of a state, with all warps, all memory that was written, and the output.
std::string all_bits(const Stepper& stepper);

/// Each place of the run, from the first to the end, one step after the other.
std::vector<StepPlace> walk(Stepper& stepper);

}  // namespace tilescope::emulator::test
