// Calls to the worker that belong together, such as those of one edit. Calls that are dropped are
// cancelled; if an answer to one comes all the same, it is ignored.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string_view>

#include "app/live/asker.h"

namespace tilescope {

class Calls {
 public:
  /// The state is the one that Live updates when the answer comes.
  struct Callbacks {
    std::function<void(AppState&, const nlohmann::json& result)> done = {};
    std::function<void(AppState&, const worker::RpcError&)> failed = {};
    std::function<void(AppState&, const nlohmann::json& progress)> progress = {};
    std::function<void(std::string_view type, std::span<const std::byte>)> binary = {};
  };
  explicit Calls(WorkerLink& link) : link_(link) {}

  /// There must be a worker. The callbacks are called unless the call has been dropped before.
  void ask(std::string_view device, std::string_view method, nlohmann::json params,
           Callbacks callbacks);
  /// Cancels all that are under way.
  void drop();
  bool idle() const { return open_.empty(); }

 private:
  WorkerLink& link_;
  std::set<uint64_t> open_;
};

/// What every call about an edit is made of: request, and architecture and limits of the device.
nlohmann::json call_params(const AppState& state, const Edit& edit);
worker::KernelRequest request_of(const Edit& edit, int sms);

}  // namespace tilescope
