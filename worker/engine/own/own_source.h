// A .cu of somebody's own → PTX: by NVRTC without its host code, else by nvcc as it is.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "worker/engine/own/own_files.h"

namespace tilescope::worker {

struct OwnOptions {
  std::string arch;                                             // "sm_90"
  std::vector<std::string> include_folders = {}, defines = {};  // defines: "NAME" or "NAME=VALUE"
  std::string entry = {};   // as a person names it; an instance "f<128>" is compiled for it
  double seconds = 60;      // of NVRTC, and of nvcc
  bool with_cubin = false;  // by NVRTC, for an architecture that it lists
  const std::atomic<bool>* cancelled = nullptr;
};

struct OwnPtx {
  std::string ptx, arch, compiler, log;  // "NVRTC 13.0"
  double ms = 0;
  /// What people call the kernels that are instances of templates, and what the PTX calls them.
  struct Instance {
    std::string expression, entry;
  };
  std::vector<Instance> instances = {};
  std::vector<std::byte> cubin = {};  // empty: only the PTX was made
};

/// PTX of more bytes than this is refused: it would not fit into an answer.
inline constexpr size_t kMostOwnPtx = 8 << 20;

/// Fails with exit code 2 for a name that no kernel has and for a file without one, 3 where neither
/// compiler is there, 4 with the first error's sentence and {"log"}.
OwnPtx compile_own(const std::string& file, const OwnFiles& files, const OwnOptions& options);

}  // namespace tilescope::worker
