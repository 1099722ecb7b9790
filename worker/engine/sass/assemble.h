// A cubin of a PTX, by ptxas as a child, where a toolkit is installed: without it the driver alone
// makes the machine code of a PTX, where it is launched, and shows none.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "worker/engine/tools/usable_tool.h"

namespace tilescope::worker {

NeededTool ptxas_tool();

struct Assembled {
  std::vector<std::byte> cubin;
  std::string arch;  // that the PTX is for: "sm_80"
};
/// With lines, so that the machine code is linked with the PTX. Fails with exit code 3 where there
/// is no ptxas, with the fix; with 4, and its words in {"log"}, where it does not take the text.
Assembled assemble(const std::string& ptx, const std::atomic<bool>* cancelled = nullptr);

}  // namespace tilescope::worker
