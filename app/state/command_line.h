// What a state looks at as a command line: what one types to see the same without the window.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// "tilescope-cli bench --kernel mma_sync --size 4096x4096x4096 --tile block_m=128,…"; of a kernel
/// of one's own its file and, where it is known, its sheet beside it.
std::string command_line_of(const AppState& state);

/// A word as a shell reads it.
std::string shell_word(const std::string& word);

}  // namespace tilescope
