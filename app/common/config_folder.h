// Where the window keeps its session, which the command line reads pins of.
#pragma once
#include <string>

namespace tilescope {

/// ${XDG_CONFIG_HOME:-~/.config}/tilescope, there or not; empty where neither is set.
std::string config_folder();
inline constexpr const char* kSessionFile = "session.json";  // in it

}  // namespace tilescope
