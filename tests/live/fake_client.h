// A worker that answers when the test says so, in any order, late answers to cancelled calls too.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/traffic/launch_counter.h"
#include "app/live/call_group.h"
#include "app/live/live.h"
#include "worker/messages/calls_json.h"
#include "worker/service.h"

namespace tilescope {

class FakeClient : public worker::Client {
 public:
  struct Call {
    uint64_t id = 0;
    std::string device, method;
    nlohmann::json params;
    Callbacks callbacks;
    bool cancelled = false;
    template <class C>
    bool is() const {
      return method == C::name;
    }
    /// What was asked, as the worker reads it.
    template <class C>
    typename C::Request request() const {
      return worker::read_request<C>(params);
    }
    /// One of the chain that belongs to the present edit: no prefetch, no question about devices.
    bool of_edit() const;
  };

  uint64_t request(std::string_view device, std::string_view method, nlohmann::json params,
                   Callbacks callbacks) override;
  void cancel(uint64_t id) override;
  void poll() override;
  bool wait(uint64_t, int) override { return true; }
  worker::WorkerState state() const override { return worker::WorkerState::ready; }
  std::string notice() const override { return {}; }
  void on_activity(std::function<void()> wake) override { wake_ = std::move(wake); }
  void restart() override;

  /// What has been asked and not answered, in order.
  const std::vector<Call>& open() const { return open_; }
  /// The first open call that is not cancelled, by its method; null if there is none.
  const Call* find(const std::string& method) const;
  /// The answer reaches the owner with the next poll.
  void answer(uint64_t id, nlohmann::json result);
  /// One of the call, with its binary frames.
  template <class C>
  void answer_as(const Call& call, const typename C::Answer& result) {
    const auto binary = call.callbacks.binary;
    nlohmann::json told =
        worker::write_answer<C>(result, [&](std::string_view type, std::span<const std::byte> b) {
          if (binary) binary(type, b);
        });
    answer(call.id, std::move(told));
  }
  void fail(uint64_t id, worker::RpcError error);
  void progress(uint64_t id, nlohmann::json progress);
  /// As the real worker would.
  void answer_well(uint64_t id);
  int restarts() const { return restarts_; }
  /// How often a method was asked for.
  int asked(const std::string& method) { return asked_[method]; }

  nlohmann::json devices = nlohmann::json::array();  // that answer_well() lists
  nlohmann::json recordings = nlohmann::json::array();
  nlohmann::json recorded = {{"found", false}};
  nlohmann::json results = nlohmann::json::array();
  nlohmann::json layers = nlohmann::json::array();
  bool few_ctas = false;  // "emulate" verifies 4 of 1,024 CTAs of a C of 4096 × 4096

 private:
  Call take(uint64_t id);
  std::vector<Call> open_;
  std::vector<std::function<void()>> arrived_;
  std::function<void()> wake_;
  std::map<std::string, int> asked_;
  uint64_t next_ = 1;
  int restarts_ = 0;
};

/// For an asker by itself: nothing else goes on.
struct NothingElse : Surroundings {
  bool edit_rests(const AppState&) const override { return true; }
  bool all_rest(const AppState&, const Asker*) const override { return true; }
};
inline bool is_busy(const Asker& asker, const AppState& state) {
  return asker.busy(state) == Busy::awaited;
}

worker::DeviceInfo card(const std::string& id, const std::string& name, int sm = 90);
/// The PTX that answer_well() gives for a request: names it.
std::string ptx_of(const worker::KernelRequest& request);

}  // namespace tilescope
