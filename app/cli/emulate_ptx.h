// emulate --ptx: any PTX file on the CPU, arguments given by SPECs (docs/cli.md).
#pragma once
#include <string>
#include <vector>

#include "app/cli/ptx_launch.h"

namespace tilescope::cli {

struct PtxOptions : LaunchOptions {
  std::string ctas, threads;
  std::vector<std::string> dumps;  // INDEX=FILE
  std::vector<std::string> asks;   // ask.h
  bool check = false, provenance = false;
};

int run_ptx(const PtxOptions& options, bool json);

}  // namespace tilescope::cli
