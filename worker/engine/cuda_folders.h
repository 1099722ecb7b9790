// Where NVIDIA's libraries, programs and headers may lie that no environment variable names: in
// wheels that pip installed beside this program, in the pinned wheels, where they were when this
// was built, in a toolkit of this machine. In the order in which to look; those that exist here and
// now.
#pragma once
#include <string>
#include <vector>

namespace tilescope::worker {

std::vector<std::string> nvrtc_folders();
std::vector<std::string> cuda_tool_folders();
std::vector<std::string> heuristics_folders();
/// For <cuda_fp16.h> and the like.
std::vector<std::string> cuda_include_folders();

/// cuBLAS in wheels alone: else the system's own search path has it.
std::vector<std::string> cublas_folders();

/// Of the wheels in a site-packages folder: SITE/nvidia/WHEEL/FOLDER, where that holds a file whose
/// name begins with `file`. By name.
std::vector<std::string> folders_of_wheels(const std::string& site, const std::string& folder,
                                           const std::string& file);

/// A hint of the build. "cache:NAME/…" lies where wheels are fetched to (cmake/CacheFolder.cmake):
/// in the cache that the build used, if this program lies in its folder, or in this user's. All
/// that may be meant.
std::vector<std::string> folders_of_hint(const std::string& hint);

}  // namespace tilescope::worker
