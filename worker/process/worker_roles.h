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
  std::function<std::string()> kernels =
      nullptr;  // kernel_sources_hash(), for clients on other machines
};

/// Understands `--role compiler|emulator|counters|heuristics|device:N|probe` and `--parent PID`;
/// everything else in argv is passed over. Returns the exit code; a child does not return.
int run_worker_roles(int argc, char** argv, const WorkerRoles& roles);

}  // namespace tilescope::worker
