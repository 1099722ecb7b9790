// A kernel's revision: a hash of those parts of its PTX that decide what it does. It is the same on
// every machine, so that a recording can say whether it is of the present kernel.
#pragma once
#include <string>
#include <string_view>

namespace tilescope::worker {

/// The PTX without comments, .loc, .file, debug sections and their labels, .version and .target,
/// constants that nothing mentions, blank lines and surrounding blanks: equal with and without
/// -lineinfo.
std::string normalized_ptx(std::string_view ptx);
/// 32 hexadecimal digits.
std::string ptx_revision(std::string_view ptx);

}  // namespace tilescope::worker
