// Many launches captured once and sent to the card at once: between launches that are enqueued one
// by one, the card would wait for the host.
#pragma once
#include <functional>
#include <memory>

#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

class LaunchGraph {
 public:
  /// `count` times what `enqueue` enqueues on the card's stream. Null where the driver has no
  /// graphs or something that is enqueued cannot be captured.
  static std::unique_ptr<LaunchGraph> capture(const Gpu& gpu, int count,
                                              const std::function<void()>& enqueue);
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  void enqueue() const;

 private:
  LaunchGraph(const Gpu& gpu, cuda::GraphExec executable) : gpu_(gpu), executable_(executable) {}
  const Gpu& gpu_;
  cuda::GraphExec executable_;
};

}  // namespace tilescope::worker
