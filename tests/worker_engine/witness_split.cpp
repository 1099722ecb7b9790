// Elements that are taken apart before they are multiplied, as the emulator ran it.
#include "witness.h"

namespace tilescope::worker {

void Witness::check_split(const emulator::Event& event, bool is_store) {
  const int bytes = (plan_.block_m + plan_.block_n) * plan_.block_k * 4;  // of floats that landed
  const auto& to = addresses(event.address_slot);
  EXPECT_EQ(event.bytes, 16);
  for (int lane = 0; lane < 32; ++lane) {
    if (!active(event, lane)) continue;
    const auto offset = static_cast<int>(to[static_cast<size_t>(lane)]);
    const int stage = offset / (2 * bytes), at = offset % (2 * bytes) - (is_store ? bytes : 0);
    ASSERT_GE(at, 0);
    ASSERT_LT(at, bytes);
    // Every so many accesses it is this thread's.
    const int thread = thread_of(event, lane) - (plan_.threads + 32);
    EXPECT_EQ(at / 16 % 96, thread);
    const emulator::Origin origin = live_->of_shared(static_cast<uint64_t>(offset));
    const Element element = element_of(gemm_, origin);
    if (!element) continue;  // zeros behind the edge
    EXPECT_EQ(origin.part, is_store);
    bool found = false;
    for (const Operand o : {Operand::a, Operand::b}) {
      const Coord in_tile = shared_element(shared_tile(o), at);
      if (in_tile.row < 0) continue;
      found = true;
      expect_element(o, element, in_tile, stage);
    }
    EXPECT_TRUE(found) << "byte " << offset;
  }
}

int Witness::rests_of(const emulator::Moved& moved) const {
  const int rests = (moved.a[0].part ? 1 : 0) + (moved.b[0].part ? 2 : 0);
  if (plan_.split.present()) {
    EXPECT_NE(rests, 3) << "two rests";
  } else {
    EXPECT_EQ(rests, 0);
  }
  return rests;
}

}  // namespace tilescope::worker
