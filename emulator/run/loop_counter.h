// In which iteration of which outermost loop the lanes of a traced CTA are.
#pragma once
#include <array>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/compile/control_flow.h"
#include "emulator/emulator.h"

namespace tilescope::emulator {

class LoopCounter {
 public:
  struct Place {
    int32_t loop = -1, iteration = -1;
  };

  LoopCounter(const Code& code, size_t warps);
  /// Lanes of a warp begin with a block.
  void enter(size_t block, uint32_t warp, uint32_t lanes);
  /// Of the first of the lanes that began a block last.
  Place place(uint32_t warp) const { return warps_[warp].now; }
  void count_events(uint32_t warp, uint32_t events) {
    const int32_t loop = warps_[warp].now.loop;
    if (loop >= 0) found_[static_cast<size_t>(loop)].events += events;
  }
  const std::vector<TraceLoop>& loops() const { return found_; }

 private:
  // A loop that was left is never entered again, or it would lie in another: so a lane needs to
  // remember one only.
  struct Warp {
    std::array<Place, 32> lanes{};
    Place now;
  };
  OuterLoops loops_;
  std::vector<bool> heads_;  // by block
  std::vector<TraceLoop> found_;
  std::vector<Warp> warps_;
};

}  // namespace tilescope::emulator
