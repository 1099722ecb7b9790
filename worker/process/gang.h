// A call that several children run together: the ranks of a layer, one card for each. They begin at
// the same time; when one fails, hangs or is killed, the others wait for it in vain, and are ended
// so that their cards are free again.
#pragma once
#include <uv.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "worker/process/pool.h"

namespace tilescope::worker {

class Gang : public std::enable_shared_from_this<Gang> {
 public:
  struct Member {
    std::string device;  // "cuda:1"
    Pool* pool = nullptr;
  };
  /// Either `done` or `failed` is called, once, when no member works on the call any more.
  struct Outcome {
    std::function<void(nlohmann::json ranks)> done;  // {"ranks": […]}
    std::function<void(const RpcError& error)> failed;
    std::function<void(const nlohmann::json& value)> progress;
  };
  /// `params`: of the call; each member gets its "rank" and the common "id" with them. A member
  /// that says nothing for "time_limit" seconds (60) hangs.
  Gang(uv_loop_t* loop, std::vector<Member> members, nlohmann::json params, Outcome outcome);

  void start();
  void cancel();

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    Member member;
    uint64_t job = 0;  // 0: none under way
    Clock::time_point last_word;
    std::string stage = "starting";
    nlohmann::json answer;
  };
  void begin_all(const nlohmann::json& id);
  Job job_of(size_t rank, const char* method);
  void heard(size_t rank, const nlohmann::json& progress);
  void wait_for_words();
  void ended(size_t rank);
  void fail(const RpcError& error);

  std::vector<Rank> ranks_;
  nlohmann::json params_;
  Outcome outcome_;
  std::chrono::milliseconds limit_;
  Timer silence_;
  bool begun_ = false;  // all ranks, not the first one's id alone
  bool failed_ = false, over_ = false;
  RpcError error_;  // the first
};

}  // namespace tilescope::worker
