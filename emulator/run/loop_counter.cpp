#include "emulator/run/loop_counter.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {

LoopCounter::LoopCounter(const Code& code, size_t warps)
    : loops_(outer_loops({code.blocks, code.targets})),
      heads_(code.blocks.size(), false),
      warps_(warps) {
  for (const uint32_t head : loops_.heads) {
    heads_[head] = true;
    const Block& block = code.blocks[head];
    const uint32_t first = block.begin < block.end ? block.begin : block.end_inst;
    found_.push_back({first < code.info.size() ? code.info[first].ptx_line : 0, 0, 0});
  }
}

void LoopCounter::enter(size_t block, uint32_t warp, uint32_t lanes) {
  Warp& w = warps_[warp];
  const int32_t loop = loops_.of_block[block];
  if (loop != OuterLoops::kCallers) {
    const bool again = heads_[block];
    for (uint32_t i = 0; i < 32; ++i) {
      if ((lanes >> i & 1u) == 0) continue;
      Place& lane = w.lanes[i];
      if (lane.loop != loop) {
        lane = {loop, loop < 0 ? -1 : 0};
      } else if (again) {
        ++lane.iteration;
      }
      if (loop < 0) continue;
      uint32_t& most = found_[static_cast<size_t>(loop)].iterations;
      most = std::max(most, static_cast<uint32_t>(lane.iteration) + 1);
    }
  }
  w.now = w.lanes[static_cast<size_t>(std::countr_zero(lanes | 1u << 31))];
}

}  // namespace tilescope::emulator
