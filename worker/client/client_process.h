// The client whose worker is a process of its own: the side of WorkerLink on the owner's thread.
#pragma once
#include <atomic>

#include "worker/client/client_base.h"
#include "worker/client/client_link.h"

namespace tilescope::worker {

class ProcessClient final : public ClientBase {
 public:
  explicit ProcessClient(const ClientOptions& options);

  void cancel(uint64_t id) override { link_.cancel(id); }
  WorkerState state() const override { return link_.state(); }
  std::string notice() const override { return link_.notice(); }
  void restart() override { link_.restart(); }

 private:
  void send(uint64_t id, std::string method, nlohmann::json params) override {
    link_.send(id, method, std::move(params));
  }
  void taken() override { link_.mailbox_emptied(); }

  WorkerLink link_;  // after the mailbox of the base: it fills it until it is gone
};

}  // namespace tilescope::worker
