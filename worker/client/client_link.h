// The client's connection to the worker process: starts it, exchanges versions, sends and receives,
// restarts and ends it. All of that happens on a libuv loop in a thread of its own; the public
// functions may be called from the owner's thread.
#pragma once
#include <uv.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "worker/client/assembly.h"
#include "worker/client/client_base.h"
#include "worker/protocol/child.h"
#include "worker/protocol/protocol.h"
#include "worker/protocol/restart_budget.h"

namespace tilescope::worker {

struct LinkOptions {
  std::vector<std::string> command;
  std::string kernel_dir;
  std::string host, kernels;  // as in ClientOptions
};

class WorkerLink {
 public:
  WorkerLink(LinkOptions options, Mailbox& mailbox);
  /// Ends the worker: its input first, then SIGTERM, then SIGKILL, each with a bounded wait.
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  void send(uint64_t id, std::string_view method, nlohmann::json params);
  void cancel(uint64_t id);
  void restart();
  void mailbox_emptied();
  WorkerState state() const { return state_; }
  std::string notice() const;

 private:
  void post(std::function<void()> call);
  void run_posted();
  void run_loop();

  // From here on: the loop's thread.
  void start_worker();
  void frame(const Frame& frame);
  void message(Message message, size_t size);
  void chunk(const Frame& frame);
  void greeted(Message& message);
  void deliver(ClientEvent event);
  void ended(const std::string& cause);
  void lost(const std::string& cause, const std::string& words);
  void begin_again(const std::string& sentence, const nlohmann::json& data, int delay_ms);
  void give_up(const std::string& sentence, int exit_code = 4);
  void beat();
  void fail_all(const RpcError& error);
  void write(const nlohmann::json& message, uint64_t id);
  void set_state(WorkerState state, const std::string* notice = nullptr);
  void end_worker(int stage);

  LinkOptions options_;
  Mailbox& mailbox_;
  std::atomic<WorkerState> state_{WorkerState::starting};
  mutable std::mutex mutex_;  // of notice_ and posted_
  std::string notice_;
  std::vector<std::function<void()>> posted_;
  std::atomic<bool> mailbox_full_{false};

  uv_loop_t loop_{};
  uv_async_t* async_ = nullptr;
  std::unique_ptr<Child> worker_;
  std::unique_ptr<Timer> timer_, beat_;
  RestartBudget budget_;
  std::map<uint64_t, BinaryAssembly> pending_;              // the calls under way
  std::deque<std::pair<uint64_t, nlohmann::json>> unsent_;  // until the worker has been greeted
  bool greeted_ = false, closing_ = false, restart_wanted_ = false;
  bool reached_ = false;  // another machine: a worker has answered there
  int failures_ = 0;      // connections in a row that came to nothing since
  int stopped_exit_ = 4;  // exit code of calls while it is stopped
  std::string refusal_;   // why the worker that ends now must not be started again
  std::thread thread_;
};

}  // namespace tilescope::worker
