// How a trace is sent from the worker to the window. It has tens of thousands of events and their
// lanes' addresses, which go in binary frames; the rest (kernel, CTA, number of slices, …) is the
// JSON of the answer, which follows the frames.
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
/// Sends the binary parts: the events, the events before the recorded stretch (`lead`) and the
/// lanes' addresses. Returns the answer that must follow them.
nlohmann::json send_trace(const TraceResult& trace, const SendPart& send);

/// Puts a trace together again on the receiving side.
class TraceParts {
 public:
  /// Takes one frame; one whose type is not of a trace is ignored. A part may come in any number of
  /// frames, cut anywhere.
  void add(std::string_view type, std::span<const std::byte> bytes);
  /// The trace, once all frames and the answer are there. Throws what nlohmann throws of bad JSON,
  /// and std::invalid_argument if parts are missing or cut short.
  TraceResult whole(const nlohmann::json& answer) const;

 private:
  std::vector<std::byte> events_, lead_, raw_;
};

}  // namespace tilescope::worker
