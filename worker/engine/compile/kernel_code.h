// A kernel's code as it is loaded on a card or emulated.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::worker {

struct Code {
  std::string ptx;
  std::vector<std::byte> cubin;
  CompileResult compiled;  // without its PTX
};

}  // namespace tilescope::worker
