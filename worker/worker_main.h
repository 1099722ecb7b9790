// `tilescope-cli worker …`: the process that the window and the command line start. Link
// tilescope_worker.
#pragma once

namespace tilescope::worker {

/// With the arguments of the program ("worker" among them or not). Call it before anything is
/// written to standard output: it carries the protocol.
int run_worker(int argc, char** argv);

}  // namespace tilescope::worker
