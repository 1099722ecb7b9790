// A run of any PTX: counts, findings, provenance, what its buffers hold afterwards, and where its
// values came from.
#pragma once
#include <atomic>
#include <nlohmann/json.hpp>

#include "worker/messages/messages_run.h"

namespace tilescope::worker {

struct LaunchRun {
  RunAnswer answer;
  nlohmann::ordered_json document;  // of kRunDocument
  std::string output;               // of kRunOutput
};

/// A fault of the kernel is part of the document. Fails like prepare_launch(), with 2 for CTAs,
/// buffers or questions that the launch does not have.
LaunchRun run_launch(const RunRequest& request, const std::atomic<bool>* cancelled);

}  // namespace tilescope::worker
