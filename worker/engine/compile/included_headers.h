// The headers of a kernel's source: of a folder that somebody names, and never from anywhere else.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/compile/source.h"

namespace tilescope::worker {

/// The headers that `text` includes, directly or not, each once, in order of first mention, but for
/// the toolkit's. `kernel_dir`, if not empty, overrides files of kernels/ ("kernels/common/args.h"
/// is kernel_dir/common/args.h), and has those of somebody's own: beside the file that includes
/// them, or in the folder itself.
///
/// Only regular files below that folder are read, wherever an #include stands: in #if 0 and in a
/// comment, too. One that leads out of it (an absolute path, `..`, a symbolic link, a file of the
/// folder that this process runs in), to a pipe or a device, or to what only a macro knows, fails
/// with a sentence, so that NVRTC, which opens whatever it is not handed, never sees it. So do a
/// source beyond the limits of include_limits.h, and two files of one name. What is not there at
/// all is left to the compiler to complain about.
///
/// One thing is beyond this: macros that paste the word __has_include out of pieces learn whether a
/// file is there, though nothing that is in it.
std::vector<SourceFile> included_headers(std::string_view text, const std::string& kernel_dir);

}  // namespace tilescope::worker
