// nvcc, for what NVRTC cannot take.
#pragma once
#include <string>
#include <vector>

namespace tilescope::worker {

struct OwnOptions;

struct NvccRun {
  bool found = false, ok = false;
  std::string ptx, log, compiler, error;  // error: its first line, of one that failed
  std::string refused;  // why it was not started, where it is found: to follow "since "
  double ms = 0;
};

/// `nvcc -ptx` of the file as it is, with instances of its templates. Within the options' time, and
/// killed with all that it started. It is not started with names and macros that its shell would
/// take for more than a name.
NvccRun compile_with_nvcc(const std::string& file, const std::vector<std::string>& instances,
                          const OwnOptions& options);

}  // namespace tilescope::worker
