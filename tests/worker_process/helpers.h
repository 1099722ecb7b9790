// What the tests of the processes share: a worker that misbehaves on request, and asking it.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "worker/client/client.h"
#include "worker/service.h"

namespace tilescope::worker {

/// Far more than anything takes; reached only by a test that fails.
// What never comes is given up then; a sanitizer slows all tenfold.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kLimitMs = 600'000;
#else
inline constexpr int kLimitMs = 60'000;
#endif

struct Reply {
  bool ended = false, ok = false;
  nlohmann::json result;
  RpcError error;
  std::vector<nlohmann::json> progress;
  std::vector<std::pair<std::string, std::vector<std::byte>>> binary;
};

/// A call under way; what comes is gathered in `reply`.
struct Asked {
  uint64_t id = 0;
  std::shared_ptr<Reply> reply = std::make_shared<Reply>();
};

class OddWorker {
 public:
  explicit OddWorker(std::vector<std::string> arguments = {});
  Client& client() { return *client_; }
  Asked ask(const std::string& device, const std::string& method, nlohmann::json params = {});
  /// Waits for its end.
  const Reply& end(const Asked& asked);
  Reply call(const std::string& device, const std::string& method, nlohmann::json params = {});
  /// Waits until the call has told of its progress; its first word.
  nlohmann::json first_progress(const Asked& asked);
  int supervisor_pid();
  /// Ends the worker; all processes it ever had must be gone then.
  void close() { client_.reset(); }

 private:
  std::unique_ptr<Client> client_;
};

Asked ask(Client& client, const std::string& device, const std::string& method,
          nlohmann::json params = {});
/// Processes whose parent is `pid`, by /proc.
std::vector<int> children_of(int pid);
bool alive(int pid);
/// Yields until the condition holds; false after kLimitMs.
bool eventually(const std::function<bool()>& condition);

}  // namespace tilescope::worker
