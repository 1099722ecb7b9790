// The client whose worker is a handful of Web Workers, one for each role: each runs a call at a
// time of those that wait for it. A page cannot interrupt one, so who cancels a call ends its
// worker, and a fresh one takes the next.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "worker/client/client_base.h"

namespace tilescope::worker {

class PageClient final : public ClientBase {
 public:
  PageClient();
  ~PageClient() override;

  void cancel(uint64_t id) override;
  WorkerState state() const override { return WorkerState::ready; }
  std::string notice() const override { return notice_; }
  void restart() override;

  /// What a Web Worker says: of a call "done", "failed" and "progress" with JSON, "binary" with a
  /// type; "lost" with the cause when it has ended by itself.
  void told(const std::string& role, uint64_t id, const std::string& kind, const std::string& type,
            std::string bytes);

 private:
  struct Waiting {
    uint64_t id = 0;
    std::string method, slot, params;
    bool prefetch = false;
  };
  struct Queue {
    bool started = false;
    std::optional<uint64_t> running;
    std::deque<Waiting> waiting;
  };
  void send(uint64_t id, std::string method, nlohmann::json params) override;
  void supersede(Queue& queue, const Waiting& newer);
  void next(const std::string& role);
  void end(const std::string& role);
  void fail(uint64_t id, RpcError error);

  std::map<std::string, Queue> queues_;  // by role
  std::string notice_;
};

}  // namespace tilescope::worker
