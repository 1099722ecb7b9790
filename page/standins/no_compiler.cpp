// What needs a compiler or a tool of the CUDA Toolkit, said in the place where it would be used.
#include <cstdlib>
#include <filesystem>

#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/own/own_source.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> cuda_include_folders() { return {}; }

OwnPtx compile_own(const std::string& file, const OwnFiles&, const OwnOptions&) {
  const std::filesystem::path path(file);
  fail(kMissing, path.filename().string() +
                     " is CUDA C++, and a browser has no compiler for it: drop its PTX (nvcc -ptx "
                     "-lineinfo " +
                     path.filename().string() + "), or open it in the desktop program.");
}

}  // namespace tilescope::worker
