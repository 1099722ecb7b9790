// fragments --prove: what the layout says of an instruction against what the instruction does.
#pragma once
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace tilescope::cli {

struct ProveRequest {
  std::vector<std::string> atoms;  // PTX names; at least one
  bool all = false;                // the whole list: what the device lacks is no failure
  std::string device = "cuda:0";   // or "emulator"
  std::string host;                // where that is, for ssh; empty: here
  std::string record;              // a file that proofs are appended to, one object per line
};

/// Prints one line per instruction, or with --json an array. kOk; kCheckFailed if a map differs;
/// kMissing if the device is not there or none of `atoms` runs on it; kFailed if a probe failed.
int prove(const ProveRequest& request, const Globals& globals);

}  // namespace tilescope::cli
