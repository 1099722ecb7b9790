#include "worker/worker_main.h"

#include "worker/process/worker_roles.h"

namespace tilescope::worker {

int run_worker(int argc, char** argv) {
  return run_worker_roles(argc, argv,
                          {compiler_methods, emulator_methods, device_methods, counters_methods,
                           heuristics_methods, store_methods, kernel_sources_hash});
}

}  // namespace tilescope::worker
