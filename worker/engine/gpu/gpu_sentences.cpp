// What goes wrong on a GPU, in one sentence: value, limit, way out.
#include <cmath>
#include <cstdio>

#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {
namespace {

const char* fault_of(cuda::Result error) {
  switch (error) {
    case cuda::kContained:
      return "a contained error of the card";
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
  // In a unit that tells the two apart.
  const bool close = std::abs(needed - free) < 1e8;
  const auto words = [close](double bytes) {
    const bool large = bytes >= 1e9 && !close;
    char text[64];
    std::snprintf(text, sizeof text, large ? "%.1f GB" : "%.1f MB", bytes / (large ? 1e9 : 1e6));
    return std::string(text);
  };
  if (needed <= free) {
    return device + ": no piece of " + words(needed) + " to be had, although " + words(free) +
           " are free; another program may be taking memory: end it, or choose a smaller problem.";
  }
  return device + ": needs " + words(needed) + ", " + words(free) +
         " free; choose a smaller problem or free memory on the card.";
}

std::string failure_sentence(cuda::Result error, const std::string& name, const std::string& doing,
                             const std::string& kernel) {
  if (error == cuda::kEccUncorrectable) {
    return "The GPU reports an uncorrectable memory error; the result is discarded and the card "
           "needs a reset.";
  }
  if (cuda::needs_reset(error)) {
    return "The GPU does not answer any more (" + name +
           "); the result is discarded and the card needs a reset: nvidia-smi -r, or a reboot.";
  }
  if (cuda::is_sticky(error)) {
    return std::string("Kernel faulted: ") + fault_of(error) +
           (kernel.empty() ? "" : " in " + kernel) + ".";
  }
  if (error == cuda::kLaunchOutOfResources) {
    return "The GPU has too few registers or too little shared memory to launch " +
           (kernel.empty() ? std::string("the kernel") : kernel) +
           "; choose a smaller tile, or fewer threads per block.";
  }
  const bool named = kernel.empty() || doing.find(kernel) != doing.npos;
  return "The driver failed " + doing + (named ? "" : " (" + kernel + ")") + ": " + name +
         "; nvidia-smi shows how the card is.";
}

std::string too_long_sentence(const std::string& kernel, double seconds) {
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g s", seconds);
  return "Kernel stopped: " + (kernel.empty() ? "a launch" : kernel) + " was not done after " +
         limit +
         ", the limit of a launch; look for a loop or a barrier that never ends, or allow more "
         "with "
         "--time-limit SECONDS.";
}

std::string unavailable_sentence(const std::string& which, const std::string& error) {
  return which + " takes no work (" + error +
         "): another process holds it alone, or it is lost; look at nvidia-smi, then end that "
         "process, or reset the card. The emulator and the recordings work without it.";
}

std::string load_sentence(const std::string& error, const std::string& driver,
                          const std::string& made_by, const std::string& way_out) {
  const std::string usual = "update the driver, or set TILESCOPE_NVRTC to an NVRTC of CUDA " +
                            driver.substr(0, driver.find('.'));
  return "The driver, which supports CUDA " + driver + ", does not load code made by " + made_by +
         " (" + error + "); " + (way_out.empty() ? usual : way_out) + ".";
}

}  // namespace tilescope::worker
