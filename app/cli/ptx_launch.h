// A PTX file with its launch and arguments, given by flags: what emulate --ptx and trace --ptx have
// in common.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/cli/ptx_arguments.h"
#include "emulator/emulator.h"
#include "worker/messages/calls.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::cli {

struct LaunchOptions {
  std::string file, entry, grid = "1", block = "32", shared = "0";
  std::string max_instructions;   // of lanes; empty = the default
  std::string max_memory;         // GB; empty = the default
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
/// --max-instructions and --max-memory, where they were given.
worker::calls::Bounds bounds_of(const LaunchOptions& options);

/// A file in memory that the worker can read and write for as long as this is there: buffers are
/// too large for messages.
class SharedFile {
 public:
  SharedFile();
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  std::string path() const;
  void append(std::span<const std::byte> bytes);
  /// Copies the next `bytes` that were written to it, by whomever, to `out`.
  void copy_to(std::ostream& out, uint64_t bytes);

 private:
  int file_;
  uint64_t read_ = 0;
};

/// What the buffers hold.
class SharedContents : public SharedFile {
 public:
  explicit SharedContents(const PtxLaunch& launch);
};
worker::LaunchRequest launch_request(const PtxLaunch& launch, const SharedContents& contents);

}  // namespace tilescope::cli
