#include "core/model/global_access.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilescope::model {

namespace {

/// Numbers of lanes, each kept once. Lanes mostly ascend: then nothing needs to be looked up.
class Distinct {
 public:
  int count() const { return count_; }
  /// False if it was there.
  bool add(int64_t number) {
    if (count_ > 0 && number <= highest_) {
      for (int i = count_ - 1; i >= 0; --i) {
        if (seen_[i] == number) return false;
      }
    }
    seen_[count_++] = number;
    highest_ = std::max(highest_, number);
    return true;
  }
  void clear() { count_ = 0, highest_ = std::numeric_limits<int64_t>::min(); }

 private:
  int64_t seen_[2 * kWarpLanes];
  int64_t highest_ = std::numeric_limits<int64_t>::min();
  int count_ = 0;
};

/// How many of the numbers fall on each of `kPlaces`, and the most on one.
template <int kPlaces>
struct Fullest {
  unsigned char on[kPlaces] = {};
  int most = 0;
  void add(int64_t number) { most = std::max<int>(most, ++on[number % kPlaces]); }
};

}  // namespace

// A slider moves over hundreds of thousands of these: one way through the lanes has all three, as
// sectors_of(), lines_of() and global_wavefronts() have them one by one
// (GlobalCost.IsThatOfTheLayoutsRules).
GlobalCost global_cost(const WarpAccess& access, int64_t base) {
  Distinct sectors, lines, words;
  Fullest<kTagBanks> tags;
  const int phases = phases_of(access.bytes), lanes = kWarpLanes / phases;
  int data = 0;
  for (int phase = 0; phase < phases; ++phase) {
    Fullest<kBanks> banks;
    words.clear();
    for (int lane = phase * lanes; lane < (phase + 1) * lanes; ++lane) {
      if ((access.active >> lane & 1u) == 0) continue;
      const int64_t from = base + access.address[lane], last = from + access.bytes - 1;
      for (int64_t w = from / kBankBytes; w <= last / kBankBytes; ++w) {
        if (words.add(w)) banks.add(w);
      }
      for (int64_t s = from / kSectorBytes; s <= last / kSectorBytes; ++s) sectors.add(s);
      for (int64_t line = from / kLineBytes; line <= last / kLineBytes; ++line) {
        if (lines.add(line)) tags.add(line);
      }
    }
    data += banks.most;
  }
  return {sectors.count(), lines.count(), std::max(data, tags.most)};
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
