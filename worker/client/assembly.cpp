#include "worker/client/assembly.h"

#include <utility>

namespace tilescope::worker {

std::optional<std::string> BinaryAssembly::take(const Frame& chunk) {
  if (!open_) open_ = Open{chunk.type, {}, chunk.total};
  if (chunk.type != open_->type) {
    throw FrameError("a binary message \"" + chunk.type + "\" inside of another");
  }
  if (chunk.total != open_->total) {
    throw FrameError("a binary message whose size changed from " + std::to_string(open_->total) +
                     " to " + std::to_string(chunk.total) + " bytes");
  }
  if (chunk.offset != open_->bytes.size()) {
    throw FrameError("a binary message with a gap in it");
  }
  bytes_ += chunk.body.size();
  if (bytes_ > kMostCallBinary) {
    throw FrameError("more than " + std::to_string(kMostCallBinary) + " bytes for one call");
  }
  // An empty chunk brings a message no further, unless it is one.
  if (chunk.body.empty() && chunk.total > 0) throw FrameError("an empty chunk of a binary message");
  open_->bytes.append(chunk.body);
  if (open_->bytes.size() < open_->total) return std::nullopt;
  std::string whole = std::move(open_->bytes);
  open_.reset();
  return whole;
}

}  // namespace tilescope::worker
