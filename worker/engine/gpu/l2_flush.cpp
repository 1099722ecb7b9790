#include "worker/engine/gpu/l2_flush.h"

namespace tilescope::worker {

void L2Flush::enqueue() const {
  if (buffer_.bytes() == 0) return;
  gpu_.driver().check(
      gpu_.driver().call().set_words(buffer_.address(), 0, buffer_.bytes() / 4, gpu_.stream()),
      "to flush the L2");
}

}  // namespace tilescope::worker
