// A trace on its way: tens of thousands of events, and their lane addresses, in binary frames; what
// there is but once in the answer's JSON.
#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::worker {

using SendPart = std::function<void(std::string_view type, std::span<const std::byte>)>;
/// Sends events, lead and raw accesses, and returns the answer that goes behind them.
nlohmann::json send_trace(const TraceResult& trace, const SendPart& send);

/// Collects what came.
class TraceParts {
 public:
  /// Parts of other types are left alone. Of one type any cut may be a frame's end.
  void add(std::string_view type, std::span<const std::byte> bytes);
  /// Throws std::exception of nlohmann, or std::invalid_argument if parts are missing or cut short.
  TraceResult whole(const nlohmann::json& answer) const;

 private:
  std::vector<std::byte> events_, lead_, raw_;
};

}  // namespace tilescope::worker
