// Decides which pool of children a call goes to, and what must be done before (a launch needs its
// kernel compiled). There is one router per client.
#pragma once
#include <uv.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "worker/process/gang.h"
#include "worker/process/pool.h"
#include "worker/process/supervisor.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {

class Router {
 public:
  struct Output {
    std::function<void(const nlohmann::json& message)> send;
    std::function<void(const Frame& chunk)> send_binary;
  };
  Router(uv_loop_t* loop, const SupervisorOptions& options, Output output);

  void start(const std::string& kernel_dir);  // warms the compilers
  /// `bytes`: of the request as it came.
  void request(uint64_t id, const std::string& method, nlohmann::json params, size_t bytes);
  void cancel(uint64_t id);
  void pause(bool paused);
  void stop();
  bool over() const;

 private:
  struct Call {
    std::string device, method, slot;
    bool prefetch = false;
    size_t bytes = 0;       // of the request
    nlohmann::json params;  // until its last job is submitted
    Pool* pool = nullptr;   // where its present job is; none between two
    uint64_t job = 0;
    Pool* next = nullptr;  // of the card's turn that it waits for
    bool on_card = false;  // its present job is one on the card
    bool cancelled = false;
  };
  struct Search;  // for devices, in short-lived processes

  Pool& pool(const std::string& name);
  Pool* pool_for(const std::string& device);
  std::string no_room_for(size_t bytes) const;
  bool forget(uint64_t id);
  void route(uint64_t id);
  bool begin_gang(uint64_t id);
  void compile_first(uint64_t id, const nlohmann::json& limits);
  void run_on(uint64_t id, Pool& pool);
  Pool& pool_of(const Call& call);
  bool is_others_turn(const Call& call, const Pool& pool) const;
  void next_turn();
  Job job_of(uint64_t id, std::string method, nlohmann::json params);
  void finish(uint64_t id, nlohmann::json result);
  void fail(uint64_t id, const RpcError& error);
  void supersede(const Call& newer);
  void notice(const std::string& kind, const std::string& sentence);
  void list_devices(std::function<void(const nlohmann::json& devices)> listed);
  void found(const std::shared_ptr<Search>& search);
  nlohmann::json limits_of(const std::string& device) const;
  nlohmann::json status() const;
  nlohmann::json restart(const nlohmann::json& params);

  uv_loop_t* loop_;
  SupervisorOptions options_;
  Output output_;
  std::string kernel_dir_;
  std::map<std::string, std::unique_ptr<Pool>> pools_;  // by kind, and what is beside it
  std::map<uint64_t, Call> calls_;                      // by the client's id
  size_t call_bytes_ = 0;                               // of all of them
  std::map<uint64_t, std::shared_ptr<Gang>> gangs_;     // of calls that several cards make
  nlohmann::json devices_;                              // as last listed; null before
  bool paused_ = false;
};

}  // namespace tilescope::worker
