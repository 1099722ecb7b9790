// The command line's side of the worker: one call after another, progress on stderr.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/request_options.h"
#include "worker/client/client.h"
#include "worker/messages/messages.h"

namespace tilescope::cli {

class WorkerSession {
 public:
  /// Starts this program again as `worker`, once the first call needs it.
  explicit WorkerSession(std::string kernel_dir);
  /// The same, or ssh to the machine that --device names.
  explicit WorkerSession(const RequestOptions& options);
  ~WorkerSession();

  /// Waits for the answer. What a lost connection to another machine cut off is asked again.
  /// Throws CliError with the worker's sentence and exit code.
  /// `on_binary` takes binary frames; progress goes to stderr if it is a terminal.
  nlohmann::json call(
      const std::string& device, const std::string& method, nlohmann::json params,
      std::function<void(std::string_view, std::span<const std::byte>)> on_binary = {});

  std::vector<worker::DeviceInfo> devices();
  /// Throws (exit code 3) if there is no such device or it is not available.
  worker::DeviceInfo device(const std::string& id);
  /// The same; `cuda` alone is the first card that is available or, for the rank of several on this
  /// machine, the one of its turn.
  worker::DeviceInfo card(const std::string& device, int local_rank = 0);

 private:
  worker::Client& client();
  std::optional<worker::RpcError> ask(const std::string& device, const std::string& method,
                                      nlohmann::json params, const worker::Client::Callbacks& more,
                                      nlohmann::json& result);
  /// " on gpu1", or nothing.
  std::string on_host() const;
  std::string kernel_dir_, host_;
  std::unique_ptr<worker::Client> client_;
};

}  // namespace tilescope::cli
