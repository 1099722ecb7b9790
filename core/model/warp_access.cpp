#include "core/model/warp_access.h"

#include <algorithm>
#include <bit>

namespace tilescope::model {

int distinct_blocks(const WarpAccess& access, int block) {
  const int shift = std::countr_zero(static_cast<unsigned>(block));
  std::array<int64_t, 64> seen;  // an access of at most 16 bytes touches at most two blocks
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((access.active >> lane & 1) == 0) continue;
    const int64_t first = access.address[lane] >> shift;
    const int64_t last = (access.address[lane] + access.bytes - 1) >> shift;
    for (int64_t b = first; b <= last; ++b) {
      // Neighbouring lanes mostly touch the block of the lane before.
      if (count > 0 && seen[count - 1] == b) continue;
      seen[count++] = b;
    }
  }
  std::sort(seen.begin(), seen.begin() + count);
  return static_cast<int>(std::unique(seen.begin(), seen.begin() + count) - seen.begin());
}

GlobalCost global_cost(const WarpAccess& access) {
  return {distinct_blocks(access, kSectorBytes), distinct_blocks(access, kLineBytes)};
}

void GlobalSum::add(const WarpAccess& access) {
  if (access.active == 0) return;
  const GlobalCost cost = global_cost(access);
  ++requests;
  sectors += cost.sectors;
  lines += cost.lines;
  bytes += static_cast<uint64_t>(std::popcount(access.active)) * access.bytes;
}

void GlobalSum::add(const GlobalSum& other, uint64_t times) {
  requests += other.requests * times;
  sectors += other.sectors * times;
  lines += other.lines * times;
  bytes += other.bytes * times;
}

}  // namespace tilescope::model
