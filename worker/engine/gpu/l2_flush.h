// What empties a card's L2 of whatever lies in it.
#pragma once
#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

class L2Flush {
 public:
  explicit L2Flush(const Gpu& gpu) : gpu_(gpu), buffer_(gpu, bytes_for(gpu.l2_bytes())) {}
  /// Enqueues writing a buffer of twice the L2's size.
  void enqueue() const;
  static size_t bytes_for(int l2_bytes) { return 2 * static_cast<size_t>(l2_bytes); }

 private:
  const Gpu& gpu_;
  GpuBuffer buffer_;
};

}  // namespace tilescope::worker
