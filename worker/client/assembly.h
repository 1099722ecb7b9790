// Binary messages of one call, put together from their chunks. The worker may be another machine's,
// so what it says of sizes is held against what has come.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "worker/protocol/frames.h"

namespace tilescope::worker {

/// Of all binary messages of a call: an answer has a few, of which none is larger than a quarter.
inline constexpr uint64_t kMostCallBinary = 4 * kMaxBinaryBytes;
/// Of all messages that are not whole yet, whichever calls they are of.
inline constexpr uint64_t kMostUnfinishedBytes = 4 * kMaxBinaryBytes;

class BinaryAssembly {
 public:
  /// The message's bytes, once this chunk makes it whole. Messages come one after the other: a
  /// chunk of another, one out of place, or more than a call may bring throws FrameError.
  std::optional<std::string> take(const Frame& chunk);
  /// Of the message that is not whole yet.
  size_t waiting_bytes() const { return open_ ? open_->bytes.size() : 0; }

 private:
  struct Open {
    std::string type, bytes;
    uint64_t total = 0;
  };
  std::optional<Open> open_;
  uint64_t bytes_ = 0;  // of the call, so far
};

}  // namespace tilescope::worker
