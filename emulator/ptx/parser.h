// PTX text → Module. Never crashes or hangs on a malformed text: every limit is checked.
#pragma once
#include <string_view>
#include <vector>

#include "emulator/ptx/module.h"

namespace tilescope::emulator {

/// Fills `module`, whose string_views point into `text`. Returns all errors found, in line order
/// (at most 100); the module is usable only if there are none.
std::vector<ParseError> parse_module(std::string_view text, Module& module);

}  // namespace tilescope::emulator
