#include "worker/client/client_process.h"

#include <unistd.h>
#include <uv.h>

#include <string>
#include <vector>

#include "worker/client/remote.h"

namespace tilescope::worker {

// It lies in the same folder as this one, whichever this is.
std::string command_line_program() {
  std::string path(4096, '\0');
  size_t size = path.size();
  if (uv_exepath(path.data(), &size) != 0) return "tilescope-cli";
  path.resize(size);
  const size_t slash = path.rfind('/');
  return path.substr(0, slash == path.npos ? 0 : slash + 1) + "tilescope-cli";
}

namespace {

std::vector<std::string> command_of(const ClientOptions& options) {
  if (!options.host.empty()) return remote_command(options.host);
  std::vector<std::string> command{options.worker_program.empty() ? command_line_program()
                                                                  : options.worker_program};
  if (options.arguments.empty()) command.push_back("worker");
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  // It is gone with us even when it is too busy to see its input end (worker/process/worker_roles).
  command.insert(command.end(), {"--parent", std::to_string(getpid())});
  return command;
}

}  // namespace

ProcessClient::ProcessClient(const ClientOptions& options)
    : link_({command_of(options), options.kernel_dir, options.host, options.kernels}, mailbox_) {}

}  // namespace tilescope::worker
