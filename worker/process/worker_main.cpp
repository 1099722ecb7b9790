#include "worker/worker_main.h"

#include "worker/process/worker_roles.h"

namespace tilescope::worker {

int run_worker(int argc, char** argv) {
  WorkerRoles roles{[] { return MethodTable(); }, [] { return MethodTable(); },
                    [](int) { return MethodTable(); }};
#ifdef TILESCOPE_HAS_compiler_methods
  roles.compiler = compiler_methods;
#endif
#ifdef TILESCOPE_HAS_emulator_methods
  roles.emulator = emulator_methods;
#endif
#ifdef TILESCOPE_HAS_device_methods
  roles.device = device_methods;
#endif
  return run_worker_roles(argc, argv, roles);
}

}  // namespace tilescope::worker
