// --arithmetic: in which arithmetic the emulator sums products of tensor cores.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace tilescope::cli {

struct ArithmeticFlag {
  std::string text;

  void add_to(CLI::App& app);
  /// As emulator::RunOptions::sums_of. `device`: of --device; the emulator's is the architecture
  /// that the PTX is for. Throws (exit code 2) for what is none.
  int sums_of(const std::string& device) const;
};

}  // namespace tilescope::cli
