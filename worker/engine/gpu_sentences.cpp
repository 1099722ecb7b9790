// What goes wrong on a GPU, in one sentence: value, limit, way out.
#include <cstdio>

#include "worker/engine/gpu.h"

namespace tilescope::worker {
namespace {

const char* fault_of(cuda::Result error) {
  switch (error) {
    case cuda::kIllegalAddress:
      return "illegal address";
    case cuda::kLaunchTimeout:
      return "it ran longer than the display's watchdog allows";
    case cuda::kAssert:
      return "an assertion failed";
    case cuda::kHardwareStackError:
      return "stack overflow";
    case cuda::kIllegalInstruction:
      return "illegal instruction";
    case cuda::kMisalignedAddress:
      return "misaligned address";
    case cuda::kInvalidAddressSpace:
      return "an address of the wrong memory space";
    case cuda::kInvalidPc:
      return "jump to an invalid address";
    default:
      return "launch failure";
  }
}

}  // namespace

std::string memory_sentence(const std::string& device, double needed, double free) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%s: needs %.1f GB, %.1f GB free; choose a smaller problem or free memory on the "
                "card.",
                device.c_str(), needed / 1e9, free / 1e9);
  return text;
}

std::string failure_sentence(cuda::Result error, const std::string& name, const std::string& doing,
                             const std::string& kernel) {
  if (error == cuda::kEccUncorrectable) {
    return "The GPU reports an uncorrectable memory error; the result is discarded and the card "
           "needs a reset.";
  }
  if (cuda::is_sticky(error)) {
    return std::string("Kernel faulted: ") + fault_of(error) +
           (kernel.empty() ? "" : " in " + kernel) + ".";
  }
  if (error == cuda::kLaunchOutOfResources) {
    return "The GPU has too few registers or too little shared memory to launch " +
           (kernel.empty() ? std::string("the kernel") : kernel) + "; choose a smaller tile.";
  }
  return "The driver failed " + doing + (kernel.empty() ? "" : " (" + kernel + ")") + ": " + name +
         ".";
}

std::string load_sentence(const std::string& error, const std::string& driver,
                          const std::string& made_by) {
  return "The driver, which supports CUDA " + driver + ", does not load code made by " + made_by +
         " (" + error + "); update the driver, or set TILESCOPE_NVRTC to an NVRTC of CUDA " +
         driver.substr(0, driver.find('.')) + ".";
}

}  // namespace tilescope::worker
