// Where what can be made anew is kept.
#pragma once
#include <string>

namespace tilescope::files {

/// ${XDG_CACHE_HOME:-~/.cache}/tilescope, there or not; empty where neither is set.
std::string cache_folder();

}  // namespace tilescope::files
