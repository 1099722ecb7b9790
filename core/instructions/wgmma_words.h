// How the layouts of wgmma's operands in shared memory are called.
#pragma once
#include <string>
#include <vector>

#include "core/layout/mma.h"
#include "core/layout/wgmma_shared.h"

namespace tilescope::model {

/// "128B swizzle"; "no swizzle".
std::string swizzle_words(Swizzle mode);
/// "K-major, 128B swizzle"; "MN-major, no swizzle".
std::string wgmma_layout_words(WgmmaLayout layout);

/// B of an instruction in each layout that it may have there.
struct WgmmaOperandRow {
  WgmmaLayout layout;
  int bytes = 0;  // of the tile of all steps
  int leading_bytes = 0, stride_bytes = 0;
  unsigned long long descriptor = 0;  // without the start
};
std::vector<WgmmaOperandRow> wgmma_operand_rows(const MmaAtom& atom);

}  // namespace tilescope::model
