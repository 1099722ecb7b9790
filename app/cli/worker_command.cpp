// worker: the process that the window and the other commands start; speaks on stdin and stdout.
#include "app/cli/command.h"
#include "worker/worker_main.h"

namespace tilescope::cli {

Run make_worker(CLI::App& app, const Globals& globals) {
  app.allow_extras();  // roles of the worker's own children
  return [&globals] { return worker::run_worker(globals.argc, globals.argv); };
}

}  // namespace tilescope::cli
