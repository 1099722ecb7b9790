// Where NVIDIA's libraries, programs and headers may lie that no environment variable names: in the
// pinned wheels, where they were when this was built, in a toolkit of this machine. In the order in
// which to look; those that exist here and now.
#pragma once
#include <string>
#include <vector>

namespace tilescope::worker {

std::vector<std::string> nvrtc_folders();
std::vector<std::string> cuda_tool_folders();
std::vector<std::string> heuristics_folders();
/// For <cuda_fp16.h> and the like.
std::vector<std::string> cuda_include_folders();

/// A hint of the build. "cache:NAME/…" lies where wheels are fetched to (cmake/CacheFolder.cmake):
/// in the cache that the build used, if this program lies in its folder, or in this user's. All
/// that may be meant.
std::vector<std::string> folders_of_hint(const std::string& hint);

}  // namespace tilescope::worker
