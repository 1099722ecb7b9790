// What a compiler's log says of lines of a text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope {

/// The errors and warnings of NVRTC's log that name a line of `file` (by its last part), in their
/// order; errors are no remarks.
std::vector<worker::CodeFinding> compile_errors(std::string_view log, std::string_view file);

}  // namespace tilescope
