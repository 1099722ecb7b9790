// PTX line → line of the kernel's own source file.
#pragma once
#include <string>

#include "emulator/emulator.h"

namespace tilescope::worker {

/// The innermost line of `file` ("11_mma_multistage.cuh") that a PTX line was inlined into; 0 if
/// none.
int kernel_line(const emulator::Program& program, int ptx_line, const std::string& file);
/// The same; where no file is named, the line of the entry's own.
int line_told(const emulator::Program& program, int ptx_line, const std::string& file);

}  // namespace tilescope::worker
