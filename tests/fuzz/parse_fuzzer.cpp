#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tilescope::emulator::fuzz::parse_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
