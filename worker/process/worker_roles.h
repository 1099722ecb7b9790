// One program, several roles: the supervisor, and each child that it starts by running the same
// program again. What the children can do comes from outside, so tests bring their own.
#pragma once
#include <functional>
#include <string>

#include "worker/service.h"

namespace tilescope::worker {

struct WorkerRoles {
  std::function<MethodTable()> compiler;
  std::function<MethodTable()> emulator;
  std::function<MethodTable(int ordinal)> device;  // −1: only "devices", in a process of its own
  std::function<MethodTable()> counters = nullptr;
  std::function<MethodTable()> heuristics = nullptr;
  std::function<MethodTable()> store = nullptr;
  std::function<std::string()> kernels =
      nullptr;  // kernel_sources_hash(), for clients on other machines
};

/// Runs as what `--role compiler|emulator|counters|heuristics|store|device:N|probe` says, or
/// without it as the supervisor. `--parent PID`: it ends when that process does, however busy it
/// is; a supervisor only if that process has started it itself. Other arguments are ignored.
/// Returns the exit code of the supervisor; a child does not return.
int run_worker_roles(int argc, char** argv, const WorkerRoles& roles);

}  // namespace tilescope::worker
