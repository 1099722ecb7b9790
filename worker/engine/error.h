// Throwing the errors of service.h: one sentence, and the exit code of the command line.
#pragma once
#include <string>
#include <utility>

#include "worker/service.h"

namespace tilescope::worker {

enum ExitCode : int { kUsage = 2, kMissing = 3, kFailed = 4 };
inline constexpr int kInvalidParams = -32602, kServerError = -32000, kCancelled = -32800;

[[noreturn]] inline void fail(ExitCode exit_code, std::string message, nlohmann::json data = {}) {
  throw RpcError{exit_code == kUsage ? kInvalidParams : kServerError, exit_code, std::move(message),
                 std::move(data)};
}
[[noreturn]] inline void fail_cancelled() { throw RpcError{kCancelled, kFailed, "Cancelled.", {}}; }

}  // namespace tilescope::worker
