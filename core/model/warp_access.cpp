#include "core/model/warp_access.h"

#include <algorithm>
#include <bit>

namespace tilescope::model {

int distinct_blocks(const WarpAccess& access, int block, int64_t base) {
  const int shift = std::countr_zero(static_cast<unsigned>(block));
  std::array<int64_t, 64> seen;  // an access of at most 16 bytes touches at most two blocks
  int count = 0;
  bool ascending = true;  // as lanes mostly go; then nothing needs to be sorted
  const auto see = [&](int64_t b) {
    if (count > 0) {
      if (seen[count - 1] == b) return;
      ascending &= b > seen[count - 1];
    }
    seen[count++] = b;
  };
  for (uint32_t left = access.active; left != 0; left &= left - 1) {
    const int64_t at = base + access.address[std::countr_zero(left)];
    see(at >> shift);
    const int64_t last = (at + access.bytes - 1) >> shift;
    if (last != at >> shift) see(last);
  }
  if (ascending) return count;
  std::sort(seen.begin(), seen.begin() + count);
  return static_cast<int>(std::unique(seen.begin(), seen.begin() + count) - seen.begin());
}

GlobalCost global_cost(const WarpAccess& access, int64_t base) {
  return {distinct_blocks(access, kSectorBytes, base), distinct_blocks(access, kLineBytes, base)};
}

void GlobalSum::add(const WarpAccess& access, int64_t base) {
  if (access.active == 0) return;
  const GlobalCost cost = global_cost(access, base);
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
