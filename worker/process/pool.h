// The children of one kind and the calls that wait for them: gives calls to free children, cancels
// them, and restarts children that have ended. Each child runs one call at a time.
#pragma once
#include <uv.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "worker/process/call_limit.h"
#include "worker/protocol/child.h"
#include "worker/protocol/protocol.h"
#include "worker/protocol/restart_budget.h"
#include "worker/protocol/uv_handles.h"

namespace tilescope::worker {

struct Job {
  std::string method;
  nlohmann::json params;
  bool prefetch = false;
  // Exactly one of these two is called, never from inside submit().
  std::function<void(nlohmann::json result)> done;
  std::function<void(const RpcError& error)> failed;
  std::function<void(const nlohmann::json& value)> progress;
  std::function<void(const Frame& chunk)> binary;
};

struct PoolOptions {
  std::string kind;  // "compiler", "emulator", "cuda:0", "counters", "heuristics", "store", "probe"
  std::vector<std::string> argv;  // starts a child
  int size = 1;
  bool warm = false;             // started before the first call, and again after a crash
  bool replace_at_once = false;  // a fresh child needs not wait until the killed one is gone
  bool one_call_each = false;    // a child ends after its call
  int cancel_grace_ms = 300;  // for a cancelled call to end; then its child is killed; 0: at once
  int kill_wait_ms = 5000;    // for a killed child to go; then it counts as stuck
  CallLimit limit;            // of a call; then its child is killed
  RestartBudget budget;
  std::function<void(const std::string& sentence)> notice;  // for the user
};

class Pool {
 public:
  Pool(uv_loop_t* loop, PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  uint64_t submit(Job job);
  /// Ends in failed(), code -32800, or in done() if the call was faster. Unknown ids are ignored.
  void cancel(uint64_t id);
  /// Fails the call with `error` if it has not begun; says whether that was so.
  bool drop_if_queued(uint64_t id, const RpcError& error);
  /// By hand: works even when the budget is spent.
  void restart();
  /// Kills all children for good. over() is true once they are gone.
  void stop();
  bool over() const;
  /// Children are not read from while paused.
  void pause(bool paused);
  nlohmann::json status() const;

 private:
  struct Queued {
    uint64_t id;
    Job job;
  };
  struct Slot {
    explicit Slot(uv_loop_t* loop) : timer(loop), limit(loop) {}
    std::unique_ptr<Child> child;
    std::optional<Queued> running;
    std::string fault;    // what the child said before it ended itself
    size_t log_mark = 0;  // how much the child had said when its call began
    int limit_ms = 0;     // of its call
    bool cancelled = false;
    bool retired = false;   // ends because we want it to
    bool stuck = false;     // survived SIGKILL
    bool said_why = false;  // ends because its answer says that only a new process helps
    bool hopeless = false;  // a new process would not help yet: the card needs a reset
    Timer timer;            // grace after a cancel, then patience after a kill
    Timer limit;            // of the running call
  };

  void pump_soon();
  void pump();
  nlohmann::json stuck_data() const;
  Slot* free_slot();
  bool take_next(Queued& next);
  void start_child(Slot& slot);
  void begin(Slot& slot, Queued queued);
  void watch(Slot& slot, uint64_t id);
  void frame(Slot& slot, const Frame& frame);
  void reply(Slot& slot, Message& message);
  void settle(Slot& slot);
  void ended(Slot& slot, const std::string& cause);
  void crashed(Slot& slot, const std::string& cause, const std::string& words);
  void kill_slot(Slot& slot);
  void abandon(Slot& slot, const RpcError& error);
  void fail_running(Slot& slot, const RpcError& error);
  void fail_queued(const RpcError& error);

  uv_loop_t* loop_;
  PoolOptions options_;
  std::list<Slot> slots_;
  std::list<Slot> leaving_;  // killed ones that were replaced at once
  std::deque<Queued> interactive_, prefetch_;
  Soon soon_;
  uint64_t next_id_ = 1;
  int restarts_ = 0;
  bool paused_ = false, stopping_ = false;
  std::string stopped_cause_;     // not empty: no more restarts, but by hand
  std::string stopped_sentence_;  // that, for who calls
  std::string last_log_;          // of the child that ended last
};

}  // namespace tilescope::worker
