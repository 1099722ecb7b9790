// What both kinds of client share: the callbacks of each call, and the mailbox in which results
// from another thread wait until the owner's thread takes them.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "worker/client/client.h"
#include "worker/service.h"

namespace tilescope::worker {

struct ClientEvent {  // NOLINT(bugprone-exception-escape): of JSON's own making
  enum class Kind { done, failed, progress, binary } kind{};
  uint64_t id = 0;
  nlohmann::json value;
  RpcError error;
  std::string type, bytes;
  size_t size = 0;  // roughly, in bytes: so that the mailbox can say when it is full
};

/// Filled by any thread, emptied by the owner.
class Mailbox {
 public:
  void push(ClientEvent event);
  /// Also wakes the owner without an event: state or notice changed.
  void wake();
  std::deque<ClientEvent> take();
  size_t bytes() const;
  /// Until something is there or the time has come (never, if null).
  void wait(const std::chrono::steady_clock::time_point* until);
  void on_activity(std::function<void()> wake);

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<ClientEvent> events_;
  std::shared_ptr<std::function<void()>> wake_;
  size_t bytes_ = 0;
  bool woken_ = false;
};

class ClientBase : public Client {
 public:
  uint64_t request(std::string_view device, std::string_view method, nlohmann::json params,
                   Callbacks callbacks) final;
  void poll() final;
  bool wait(uint64_t id, int timeout_ms) final;
  void on_activity(std::function<void()> wake) final { mailbox_.on_activity(std::move(wake)); }
  void read_kernels_from(const std::string& kernel_dir) final { kernel_dir_ = kernel_dir; }

 protected:
  virtual void send(uint64_t id, std::string method, nlohmann::json params) = 0;
  /// The mailbox has been emptied.
  virtual void taken() {}
  Mailbox mailbox_;

 private:
  void deliver(ClientEvent& event);
  std::map<uint64_t, std::shared_ptr<Callbacks>> calls_;
  std::deque<ClientEvent> inbox_;
  uint64_t next_id_ = 1;
  std::string kernel_dir_;  // of each call that names none; empty: the worker's own
};

}  // namespace tilescope::worker
