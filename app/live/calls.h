// Calls to the worker that belong together, such as those of one edit. What was dropped is
// cancelled, and its answer, however late it comes, is nobody's.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "worker/client/client.h"

namespace tilescope {

class Calls {
 public:
  /// The client must outlive them; null if nothing will be asked.
  explicit Calls(worker::Client* client) : client_(client) {}

  /// The callbacks are called unless the call has been dropped before.
  void ask(std::string_view device, std::string_view method, nlohmann::json params,
           worker::Client::Callbacks callbacks);
  /// Cancels all that are under way.
  void drop();
  bool idle() const { return open_.empty(); }

 private:
  worker::Client* client_;
  std::set<uint64_t> open_;
};

}  // namespace tilescope
