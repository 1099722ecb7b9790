#include "worker/worker_main.h"

#include "worker/process/worker_roles.h"

namespace tilescope::worker {

int run_worker(int argc, char** argv) {
  WorkerRoles roles;
#ifdef TILESCOPE_WORKER_ENGINE
  roles = {compiler_methods, emulator_methods, device_methods};
#else
  roles = {[] { return MethodTable(); }, [] { return MethodTable(); },
           [](int) { return MethodTable(); }};
#endif
  return run_worker_roles(argc, argv, roles);
}

}  // namespace tilescope::worker
