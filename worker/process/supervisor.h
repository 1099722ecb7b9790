// The worker process itself: speaks with one client, starts and kills the children that do the
// work, and never touches CUDA, so that nothing a kernel does can reach it.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilescope::worker {

/// Of a compiler's call: what NVRTC and nvcc may each take by their own limits (60 s), and what
/// reads and writes files beside them. A sanitizer slows all tenfold.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kCompileLimitMs = 1'500'000;
#else
inline constexpr int kCompileLimitMs = 150'000;
#endif

/// What a client may have under way at once, waiting or running, and what its requests may weigh
/// together: one that asks without waiting for answers must not fill the memory.
inline constexpr size_t kMostCalls = 1000;
inline constexpr size_t kMostCallBytes = 256u << 20;

struct SupervisorOptions {
  int in_fd = 0, out_fd = 1;
  /// The command that starts a child of a role: "compiler", "emulator", "device:N",
  /// "counters", "heuristics", "store", "probe".
  std::function<std::vector<std::string>(const std::string& role)> child_command;
  int compilers = 2;
  std::string kernels = {};  // kernel_sources_hash(), for the client
  int cancel_grace_ms = 300;
  int restarts = 3;           // per kind of child,
  int restart_window_s = 60;  // in this time
};

/// Serves until the client is gone, `exit` comes, or a signal asks to end. All children are gone
/// when it returns (but for one that survives SIGKILL). Returns the exit code.
int run_supervisor(const SupervisorOptions& options);

}  // namespace tilescope::worker
