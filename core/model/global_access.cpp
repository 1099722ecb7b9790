#include "core/model/global_access.h"

#include <bit>

namespace tilescope::model {

GlobalCost global_cost(const WarpAccess& access, int64_t base) {
  return {sectors_of(access, base), lines_of(access, base), global_wavefronts(access, base)};
}

void GlobalSum::add(const WarpAccess& access, int64_t base) {
  if (access.active == 0) return;
  const GlobalCost cost = global_cost(access, base);
  ++requests;
  sectors += cost.sectors;
  lines += cost.lines;
  wavefronts += cost.wavefronts;
  bytes += static_cast<uint64_t>(std::popcount(access.active)) * access.bytes;
}

void GlobalSum::add(const LikeAccesses& like, int64_t base) {
  GlobalSum one;
  one.add(like.access, base);
  add(one, like.times);
}

void GlobalSum::add(const CopyAccess& copy, int64_t base) {
  add(copy.global, base);
  if (copy.shared) {
    fetched += static_cast<uint64_t>(fetched_sectors(copy.global, *copy.shared, base));
  }
}

// The copy engine asks the L2 for the sectors of each line; the L1 sees none of it.
void GlobalSum::add(const BoxAccess& box, int64_t base) {
  ++requests;
  for (const int64_t line : box.lines) {
    const auto blocks = [&](int64_t block) {
      const int64_t from = base + line;
      return static_cast<uint64_t>((from + box.bytes - 1) / block - from / block + 1);
    };
    sectors += blocks(kSectorBytes), fetched += blocks(kSectorBytes), lines += blocks(kLineBytes);
    bytes += static_cast<uint64_t>(box.bytes);
  }
}

void GlobalSum::add(const GlobalSum& other, uint64_t times) {
  requests += other.requests * times;
  sectors += other.sectors * times;
  lines += other.lines * times;
  wavefronts += other.wavefronts * times;
  fetched += other.fetched * times;
  bytes += other.bytes * times;
}

}  // namespace tilescope::model
