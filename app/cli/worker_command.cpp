// worker: the process that the window and the other commands start; speaks on stdin and stdout.
#include "app/cli/command.h"

namespace tilescope::worker {
/// Of worker/process/worker_main.h: the app includes nothing of that folder.
int run_worker(int argc, char** argv);
}  // namespace tilescope::worker

namespace tilescope::cli {

Run make_worker(CLI::App& app, const Globals& globals) {
  app.allow_extras();  // roles of the worker's own children
  return [&globals] { return worker::run_worker(globals.argc, globals.argv); };
}

}  // namespace tilescope::cli
