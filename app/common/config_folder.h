// Where the window keeps its session, which the command line reads pins of.
#pragma once
#include <string>

namespace tilescope {

/// ${XDG_CONFIG_HOME:-~/.config}/tilescope, there or not; empty where neither is set.
std::string config_folder();
inline constexpr const char* kSessionFile = "session.json";  // in it
/// In the folder of the configuration: of what was measured here.
std::string results_folder(const std::string& config);
inline constexpr const char* kCrashReport = "crash-";  // how their names begin

}  // namespace tilescope
