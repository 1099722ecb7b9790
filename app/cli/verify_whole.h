// --whole: all of C in the emulator, part by part.
#pragma once
#include <vector>

#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"

namespace tilescope::cli {

/// `asked`: the kernel with its PTX and bounds. What is found of a wrong C is added to `findings`.
worker::Verification verify_whole(const Request& request, worker::calls::VerifyPart::Request asked,
                                  WorkerSession& worker,
                                  std::vector<worker::CodeFinding>& findings);

}  // namespace tilescope::cli
