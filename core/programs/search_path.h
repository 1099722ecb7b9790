// Where programs are looked for that are started by their names.
#pragma once
#include <string>
#include <vector>

namespace tilescope {

/// The folders of $PATH in their order, but for those that are not absolute ("", ".", "bin"): they
/// are others wherever this process was started, and whoever sends a folder of kernels would choose
/// what is run in it. The system's where it has none: an empty list, handed on as a PATH, would
/// mean the folder in which a program was started.
std::vector<std::string> search_path();

/// A regular file that may be executed.
bool can_be_run(const std::string& file);

/// The name itself where it says a folder, else the first in search_path() that can be run. Empty:
/// there is none.
std::string program_file(const std::string& name);

}  // namespace tilescope
