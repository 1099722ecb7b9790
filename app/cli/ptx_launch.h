// A PTX file with its launch and arguments, given by flags: what emulate --ptx and trace --ptx have
// in common.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/ptx_arguments.h"
#include "emulator/emulator.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::cli {

struct LaunchOptions {
  std::string file, entry, grid = "1", block = "32", shared = "0";
  std::string max_instructions;   // of lanes; empty = the default
  std::vector<std::string> args;  // SPEC…, in the order of the parameters

  void add_to(CLI::App& app);
  /// Throws (exit code 2) for flags that mean something for a PTX file alone, where there is none.
  void refuse_without_file() const;
};

struct PtxLaunch {
  std::string text;
  std::shared_ptr<const emulator::Program> program;
  emulator::EntryInfo entry;
  emulator::Launch launch;
  emulator::Memory memory;
  std::vector<PtxArgument> arguments;
};
/// Throws with exit code 2 for what the flags have wrong, 4 for PTX that cannot be read.
PtxLaunch read_launch(const LaunchOptions& options);

/// Of --max-instructions; 0 = no limit.
uint64_t max_lane_instructions(const LaunchOptions& options);

/// What the buffers hold, where the worker can read it for as long as this is there.
class SharedContents {
 public:
  explicit SharedContents(PtxLaunch& launch);
  ~SharedContents();
  SharedContents(const SharedContents&) = delete;
  SharedContents& operator=(const SharedContents&) = delete;
  std::string path() const;

 private:
  int file_;
};
worker::LaunchRequest launch_request(PtxLaunch& launch, const SharedContents& contents);

}  // namespace tilescope::cli
