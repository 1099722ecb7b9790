// Makes a cubin's machine code (SASS) readable, by nvdisasm as a child: the one of the wheel that
// the build fetched, or the toolkit's. Its option -gi names the chain of source lines of an
// instruction, of which the innermost in the kernel's own file counts, and -gp the PTX line; by
// these the same place is marked in source, PTX and SASS (app/state/code_link.h).
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "worker/engine/tools/usable_tool.h"
#include "worker/messages/sass.h"

namespace tilescope::worker {

/// The lines of what nvdisasm -c -gi -gp prints; `file`: the kernel's own ("01_naive.cuh");
/// `entry`: of that kernel alone, where the cubin may have several. `tool`, `arch` and the figures
/// of the compiler are left to the caller.
SassListing parse_sass(const std::string& text, const std::string& file,
                       const std::string& entry = {});

NeededTool nvdisasm_tool();

/// Fails with exit code 3 where there is no nvdisasm that knows the cubin, with the fix; 4 where it
/// fails otherwise.
SassListing disassemble(std::span<const std::byte> cubin, const std::string& file,
                        const std::atomic<bool>* cancelled = nullptr,
                        const std::string& entry = {});

}  // namespace tilescope::worker
