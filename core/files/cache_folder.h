// Folders of the system's for what can be made anew, and for what goes with a process.
#pragma once
#include <string>

namespace tilescope::files {

/// ${XDG_CACHE_HOME:-~/.cache}/tilescope, there or not; empty where neither is set.
std::string cache_folder();

/// That which the environment names (TMPDIR, TMP, …), else /tmp, also where it names one that is
/// not there.
std::string temporary_folder();

}  // namespace tilescope::files
