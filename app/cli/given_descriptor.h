// Files that are named as a descriptor of this program: `--ptx /dev/stdin`, `in:<(program)`.
#pragma once
#include <string>

namespace tilescope::cli {

/// The name, unless it stands for a descriptor of ours ("/dev/stdin", "/dev/fd/3"): then that of a
/// file with all that the descriptor yields, which goes with this process. The worker's children
/// have none of our descriptors, and are kept from them (worker/process/landlock.h). Throws
/// CliError with exit code 2 for one that cannot be read, or copied.
std::string file_of_descriptor(const std::string& name);

}  // namespace tilescope::cli
