// The client whose worker is a thread of this process: for tests and where processes do not exist.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "worker/client/client_base.h"

namespace tilescope::worker {

class InProcessClient final : public ClientBase {
 public:
  explicit InProcessClient(MethodTable methods);
  /// Asks the running call to stop and waits for it: a thread cannot be killed.
  ~InProcessClient() override;

  void cancel(uint64_t id) override;
  WorkerState state() const override { return WorkerState::ready; }
  std::string notice() const override { return {}; }
  void restart() override {}

 private:
  struct QueuedCall {
    uint64_t id = 0;
    std::string method;
    nlohmann::json params;
    std::atomic<bool> cancelled{false};
  };
  void send(uint64_t id, std::string method, nlohmann::json params) override;
  void run();
  void run_call(QueuedCall& call);
  void fail(uint64_t id, RpcError error);

  MethodTable methods_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<QueuedCall>> queue_;
  QueuedCall* running_ = nullptr;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace tilescope::worker
