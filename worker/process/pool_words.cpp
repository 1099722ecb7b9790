#include "worker/process/pool_words.h"

#include <cstdio>

namespace tilescope::worker {
namespace {

// So that a full stop can follow.
std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == '\n')) {
    text.pop_back();
  }
  return text;
}

std::string process_name(const std::string& kind) {
  return is_gpu(kind) ? "GPU process" : child_title(kind);
}

}  // namespace

bool is_gpu(const std::string& kind) { return kind.starts_with("cuda:"); }

std::string child_title(const std::string& kind) {
  if (is_gpu(kind)) return "GPU " + kind.substr(5);
  return kind == "probe"        ? "search for devices"
         : kind == "counters"   ? "counting of a launch"
         : kind == "heuristics" ? "process of nvMatmulHeuristics"
         : kind == "store"      ? "store of results"
                                : kind;
}

std::string crash_sentence(const std::string& kind, const std::string& method,
                           const std::string& fault, const std::string& cause,
                           const std::string& words) {
  std::string end = cause;
  if (!method.empty()) end += " during \"" + method + "\"";
  if (!words.empty()) end += ", saying \"" + words + "\"";
  if (!is_gpu(kind)) {
    return "The " + child_title(kind) + " " +
           (fault.empty() ? end : "failed: " + without_stop(fault)) +
           ". It was restarted; your session is intact.";
  }
  // Without a call there was no kernel that could have faulted. A child that knows says so itself.
  const std::string faulted = "Kernel faulted: ";
  const std::string head = method.empty()                 ? "The GPU process " + end
                           : fault.empty()                ? faulted + "the GPU process " + end
                           : fault.starts_with("Kernel ") ? without_stop(fault)
                                                          : faulted + without_stop(fault);
  return head + ". GPU process restarted; your session is intact.";
}

std::string stopped_sentence(const std::string& kind, int restarts, long seconds,
                             const std::string& cause) {
  return "The " + process_name(kind) + " is stopped after " + std::to_string(restarts) +
         " restarts in " + std::to_string(seconds) + " s; its last end: it " + without_stop(cause) +
         ". Restart it by hand once the cause is gone.";
}

std::string hopeless_sentence(const std::string& kind, const std::string& fault) {
  return without_stop(fault) + ". The process of " + child_title(kind) +
         " has ended, and the next call on it looks whether it is back; the emulator and "
         "everything "
         "else still work.";
}

std::string stuck_sentence(const std::string& kind) {
  return (is_gpu(kind) ? child_title(kind) : "The " + child_title(kind)) +
         " does not answer, not even to being killed; everything else still works. Reset the card "
         "or reboot to get it back.";
}

std::string too_long_sentence(const std::string& kind, int limit_ms) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limit_ms / 1000.0);
  // NVIDIA's driver, which gives no sign of why.
  constexpr const char* kHangs =
      " and was ended: the driver or the card hangs. See whether nvidia-smi answers; if it does "
      "not, reset the card or reboot. Meanwhile take --device emulator, which needs neither; "
      "TILESCOPE_DRIVER_LIMIT=SECONDS allows a slow driver more.";
  if (kind == "probe") {
    return std::string("The search for devices had no answer of NVIDIA's driver within ") +
           seconds + " s" + kHangs;
  }
  if (is_gpu(kind)) {
    return "The process of " + child_title(kind) + " gave no sign of life for " + seconds + " s" +
           kHangs;
  }
  const bool compiler = kind == "compiler";
  return (compiler ? "Compiling" : "A call of the " + child_title(kind)) + " took longer than " +
         seconds + " s and was ended: " +
         (compiler ? "make the kernel or its macros smaller." : "ask for less at once.");
}

}  // namespace tilescope::worker
