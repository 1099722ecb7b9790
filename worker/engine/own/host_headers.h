// Stand-ins for headers that device code does not need, and that NVRTC does not have.
#pragma once
#include <string_view>

namespace tilescope::worker {

/// Included before everything.
inline constexpr const char* kBeforeName = "tilescope_before_own.h";
std::string_view before_text();

/// What stands for <vector>, <cuda_runtime.h> and the like; null: it is none of the host's.
const char* host_header(std::string_view name);

}  // namespace tilescope::worker
