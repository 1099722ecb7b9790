// What a rung of the ladder adds to the one below: the lines of its source that are not there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry.h"

namespace tilescope {

/// Lines from 1, both ends counted.
struct LineBlock {
  int first = 0, last = 0;
  bool operator==(const LineBlock&) const = default;
};

/// The blocks of lines in `text` that `below` does not have. Comments, blanks, includes and lines
/// of brackets alone count neither as a difference nor as the end of a block.
std::vector<LineBlock> new_blocks(std::string_view text, std::string_view below);

/// The kernel before this one in the table; none below the lowest.
const KernelEntry* rung_below(const KernelEntry& kernel);

/// A kernel's source as it is compiled: of `kernel_dir`, if it lies there, else the one built in.
std::string kernel_text(const std::string& kernel_dir, const std::string& file);

}  // namespace tilescope
