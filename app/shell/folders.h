// Where this program keeps and finds files.
#pragma once
#include <filesystem>

namespace tilescope {

/// ${XDG_CONFIG_HOME:-~/.config}/tilescope, made if need be; empty when it cannot be made.
std::filesystem::path session_folder();

/// Fonts and the like: $TILESCOPE_ASSETS, else beside the program, else where it was built.
std::filesystem::path assets_folder();

/// The folder that holds this program.
std::filesystem::path program_folder();

}  // namespace tilescope
