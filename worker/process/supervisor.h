// The worker process itself: speaks with one client, starts and kills the children that do the
// work, and never touches CUDA, so that nothing a kernel does can reach it.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilescope::worker {

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
  int driver_limit_ms = 0;    // as call_limit_of() takes it
};

/// Serves until the client is gone, `exit` comes, or a signal asks to end. All children are gone
/// when it returns (but for one that survives SIGKILL). Returns the exit code.
int run_supervisor(const SupervisorOptions& options);

}  // namespace tilescope::worker
