// What the warps of a cluster know of each other: vector clocks over all of them, by the number of
// a warp in the cluster. A CTA alone has one of its own, which it keeps from CTA to CTA.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/checks/lane_order.h"

namespace tilescope::emulator {

using Clocks = std::vector<uint32_t>;  // by warp: what is known of it

struct ClusterClocks {
  /// `warps`: of a CTA, with the copier that is counted as one.
  ClusterClocks(uint32_t ctas, uint32_t warps)
      : ctas(ctas), warps(warps), known(ctas * warps), lanes(ctas * warps), fenced(ctas * warps) {
    seen.assign(known.size(), 0);
    for (Clocks& k : known) k.assign(known.size(), 0);
    arriving.assign(known.size(), 0);
    arrived = proxied = arriving;
  }
  uint32_t count() const { return ctas * warps; }
  /// Of the warps of one CTA: all before `base` lies in the past.
  void start(uint32_t first, uint32_t base) {
    for (uint32_t w = first; w < first + warps; ++w) {
      known[w].assign(count(), base - 1);
      known[w][w] = base;
      lanes[w].start(base);
      seen[w] = 0;
      fenced[w].clear();
      proxied[w] = base - 1;
    }
  }
  static void join(Clocks& to, const Clocks& from) {
    if (to.size() < from.size()) to.resize(from.size(), 0);
    for (size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
  }
  /// `to` learns all but of itself.
  void learn(uint32_t to, const Clocks& from) {
    const uint32_t own = known[to][to];
    join(known[to], from);
    known[to][to] = own;
  }

  const uint32_t ctas, warps;
  std::vector<Clocks> known;     // by warp
  std::vector<LaneOrder> lanes;  // by warp
  std::vector<uint8_t> seen;     // by warp: has made accesses since its lanes' clock went on
  std::vector<Clocks> fenced;    // by warp: known at its last fence; empty: none
  Clocks arriving, arrived;      // at the cluster's barrier: of this phase, of the one before
  Clocks proxied;  // by warp: until when a fence made its stores seen by the async proxy
};

}  // namespace tilescope::emulator
