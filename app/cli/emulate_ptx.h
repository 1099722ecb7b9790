// emulate --ptx: any PTX file on the CPU, arguments given by SPECs (docs/cli.md).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::cli {

struct PtxOptions {
  std::string file, entry, grid = "1", block = "32", shared = "0", ctas, threads;
  std::string max_instructions;    // of lanes; empty = the default
  std::vector<std::string> args;   // SPEC…, in the order of the parameters
  std::vector<std::string> dumps;  // INDEX=FILE
  std::vector<std::string> asks;   // ask.h
  bool check = false, provenance = false;
};

/// Of --max-instructions; 0 = no limit.
uint64_t max_lane_instructions(const PtxOptions& options);

int run_ptx(const PtxOptions& options, bool json);

}  // namespace tilescope::cli
