#include "worker/engine/emulate/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <mutex>

#include "worker/engine/error.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

// A stack for each thread that may run CTAs, and what the program does beside them, is not the
// kernel's.
constexpr uint64_t kStack = 8u << 20, kProgram = 64u << 20;

rlim_t g_outer = RLIM_INFINITY;  // the bound while no limit is there
uint64_t g_allowed = 0;

rlimit present() {
  rlimit limits{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_DATA, &limits);
  return limits;
}

std::string size_text(uint64_t bytes) {
  char text[40];
  if (bytes < 100'000'000) {
    std::snprintf(text, sizeof text, "%.0f MB", static_cast<double>(bytes) * 1e-6);
  } else {
    std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) * 1e-9);
  }
  return text;
}

/// What counts for RLIMIT_DATA now; 0 = unknown.
uint64_t present_data() {
  std::ifstream in("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  in >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// 0 = unknown.
uint64_t free_on_host() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  uint64_t kib = 0;
  while (in >> word) {
    if (word == "MemAvailable:" && in >> kib) break;
  }
  return kib * 1024;
}

}  // namespace

MemoryLimit::MemoryLimit(uint64_t bytes) {
  rlimit limits = present();
  g_outer = limits.rlim_cur;
  if (g_outer == RLIM_INFINITY) return;
  // What an earlier call has left, to answer the next one sooner, is no part of this call's share.
  const uint64_t own = present_data() + kProgram + kStack * static_cast<uint64_t>(host_threads());
  limits.rlim_cur = bytes == 0 ? limits.rlim_max : std::min<rlim_t>(bytes + own, limits.rlim_max);
  setrlimit(RLIMIT_DATA, &limits);
  g_allowed = bytes;
}

MemoryLimit::~MemoryLimit() {
  if (g_outer == RLIM_INFINITY) return;
  rlimit limits = present();
  limits.rlim_cur = g_outer;
  setrlimit(RLIMIT_DATA, &limits);
  g_allowed = 0;
}

uint64_t memory_allowed() { return g_allowed; }

void set_aside(uint64_t bytes) {
  if (g_allowed == 0) return;
  // A run and the checks beside it set memory aside at the same time.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  rlimit limits = present();
  limits.rlim_cur = std::min<rlim_t>(limits.rlim_cur + bytes, limits.rlim_max);
  setrlimit(RLIMIT_DATA, &limits);
}

std::string memory_way_out(uint64_t allowed, const char* smaller) {
  return "and it may take " + size_text(allowed) + "; choose " + smaller +
         ", or allow more with --max-memory GB.";
}

void require_memory(uint64_t bytes, const char* what, const char* way_out) {
  const std::string needs = "The emulator needs " + size_text(bytes) + " of memory for " + what;
  if (g_allowed > 0 && bytes > g_allowed) {
    fail(kMissing, needs + ", " + memory_way_out(g_allowed, way_out));
  }
  require_host_memory(bytes, what, way_out);
}

void require_host_memory(uint64_t bytes, const char* what, const char* way_out) {
  const uint64_t free = free_on_host();
  if (free == 0 || bytes <= free) return;
  fail(kMissing, "The emulator needs " + size_text(bytes) + " of memory for " + what + ", " +
                     size_text(free) + " free; choose " + way_out + ".");
}

}  // namespace tilescope::worker
