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
    bool steps = false;  // what runs leads to steps
    bool after_steps = false;
    std::deque<Waiting> waiting;
  };
  void send(uint64_t id, std::string method, nlohmann::json params) override;
  void supersede(Queue& queue, const Waiting& newer);
  void next(const std::string& role);
  /// What leads to steps runs, or did until just now. A browser's few processors are theirs then:
  /// what is recorded comes after them.
  bool steps_come() const;
  void end(const std::string& role);
  void fail(uint64_t id, RpcError error);

  std::map<std::string, Queue> queues_;  // by role
  double steps_at_ = 0;                  // ms: when something that leads to steps last went on
  bool looks_again_ = false;
  std::string notice_;
};

}  // namespace tilescope::worker
