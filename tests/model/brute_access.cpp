#include "tests/model/brute_access.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilescope::model {
namespace {

/// No two lanes that differ in one bit of their number have two addresses.
bool alike(const Lanes& lanes, int bit) {
  std::map<int, std::set<long long>> couples;
  for (const LaneAccess& l : lanes) couples[l.lane & ~bit].insert(l.address);
  return std::all_of(couples.begin(), couples.end(),
                     [](const auto& c) { return c.second.size() == 1; });
}

}  // namespace

void add_global(GlobalSum& sum, const Lanes& lanes, int bytes) {
  if (lanes.empty()) return;
  std::set<long long> sectors;
  for (const LaneAccess& l : lanes) {
    for (int b = 0; b < bytes; ++b) sectors.insert((l.address + b) / 32);
  }
  ++sum.requests;
  sum.sectors += sectors.size();
  sum.bytes += lanes.size() * static_cast<size_t>(bytes);
}

uint64_t fetched(const Lanes& from, const Lanes& to) {
  std::set<std::pair<long long, long long>> pairs;
  for (const LaneAccess& f : from) {
    for (const LaneAccess& t : to) {
      if (f.lane == t.lane) pairs.emplace(f.address / 32, t.address / 32);
    }
  }
  return pairs.size();
}

void add_shared(SharedSum& sum, const Lanes& lanes, int bytes, Served as) {
  if (lanes.empty()) return;
  int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  if (as == Served::load && bytes > 4 && (alike(lanes, 1) || alike(lanes, 2))) group *= 2;
  ++sum.requests;
  sum.bytes += lanes.size() * static_cast<size_t>(bytes);
  for (int first = 0; first < 32; first += group) {
    std::map<long long, std::set<long long>> words_of_bank;
    for (const LaneAccess& l : lanes) {
      if (l.lane < first || l.lane >= first + group) continue;
      for (int b = 0; b < bytes; ++b) {
        const long long word = (l.address + b) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    size_t worst = 0;
    for (const auto& [bank, words] : words_of_bank) worst = std::max(worst, words.size());
    sum.wavefronts += worst;
    sum.ideal += words_of_bank.empty() ? 0 : 1;
  }
}

}  // namespace tilescope::model
