// What this process holds: for tests that look whether anything piles up.
#pragma once
#include <malloc.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

/// Of the sanitizers' runtime, where the program is built with one.
// NOLINTNEXTLINE(bugprone-reserved-identifier): its name is theirs
extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace tilescope::ui_test {

/// MB allocated and not freed. (What a sanitizer keeps of freed blocks and of stacks, for its
/// reports, is no part of it, while it is of what is resident.)
inline double in_use_mb() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) {
    return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / (1 << 20);
  }
  const struct mallinfo2 all = mallinfo2();
  return static_cast<double>(all.uordblks + all.hblkhd) / (1 << 20);
}

/// MB of this process in memory, without what its worker has; 0 where the system does not say.
inline double resident_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    double kb = 0;
    status >> kb;
    return kb / 1024;
  }
  return 0;
}

inline long entries(const char* folder) {
  std::error_code error;
  long n = 0;
  for (auto it = std::filesystem::directory_iterator(folder, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    ++n;
  }
  return n;
}

struct Held {
  double mb = 0;
  long files = 0, threads = 0;
};

inline Held held() {
  return {
      .mb = in_use_mb(), .files = entries("/proc/self/fd"), .threads = entries("/proc/self/task")};
}

}  // namespace tilescope::ui_test
