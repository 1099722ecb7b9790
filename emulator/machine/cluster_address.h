// Clusters of CTAs: where a CTA stands in its cluster, and how it gets at the shared memory of the
// others. An address of shared memory has the rank of its CTA, plus one, above its offset; without
// one it is of the CTA that uses it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/emulator.h"

namespace tilescope::emulator {

inline constexpr int kRankShift = 24;
inline constexpr uint64_t kClusterOffset = (uint64_t{1} << kRankShift) - 1;
/// What every card takes. Up to 16 is the size that is not portable.
inline constexpr uint32_t kMostCtasOfCluster = 8;

/// The offset alone, where files with other compiler flags need it (code.h).
[[gnu::always_inline]] inline uint64_t mapped_address(uint64_t address, uint32_t rank) {
  return (address & ~uint64_t{0xffffffffu}) | (address & kClusterOffset) |
         uint64_t{rank + 1} << kRankShift;
}

/// A CTA as the others of its cluster see it.
struct Peer {
  std::byte* shared = nullptr;
  Dim3 cta;
  bool gone = false;     // it has ended
  uint64_t touched = 0;  // how often others have changed its shared memory
};

/// Of a shared address, whose CTA it is: the rank, or `own` for an address without one.
[[gnu::always_inline]] inline uint32_t rank_of(uint64_t address, uint32_t own) {
  const auto above = static_cast<uint32_t>(address >> kRankShift) & 0xffu;
  return above == 0 ? own : above - 1;
}

/// The same, without a rank where it is the user's own: so observers see it.
[[gnu::always_inline]] inline uint64_t seen_address(uint64_t address, uint32_t own) {
  const bool is_own =
      address >> kRankShift != 0 && address >> 32 == 0 && rank_of(address, own) == own;
  return is_own ? address & kClusterOffset : address;
}

inline uint32_t ctas_of(Dim3 cluster) { return cluster.x * cluster.y * cluster.z; }
inline uint32_t rank_in(Dim3 cluster, Dim3 cta) {
  return cta.x % cluster.x + cluster.x * (cta.y % cluster.y + cluster.y * (cta.z % cluster.z));
}
/// The CTA of that rank in the cluster of `cta`.
inline Dim3 member_of(Dim3 cluster, Dim3 cta, uint32_t rank) {
  return {cta.x - cta.x % cluster.x + rank % cluster.x,
          cta.y - cta.y % cluster.y + rank / cluster.x % cluster.y,
          cta.z - cta.z % cluster.z + rank / cluster.x / cluster.y};
}

/// Calls f(rank, offsets, lanes) for each CTA whose shared memory lanes of the mask name; `own`:
/// the CTA that names them.
template <class F>
void each_rank(const uint64_t* addresses, uint32_t mask, uint32_t own, F f) {
  uint64_t offsets[32] = {};
  for (uint32_t rest = mask; rest != 0;) {
    const uint32_t rank = rank_of(addresses[std::countr_zero(rest)], own);
    uint32_t lanes = 0;
    for (uint32_t m = rest; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      if (rank_of(addresses[lane], own) != rank) continue;
      lanes |= 1u << lane;
      offsets[lane] = addresses[lane] & kClusterOffset;
    }
    rest &= ~lanes;
    f(rank, offsets, lanes);
  }
}

}  // namespace tilescope::emulator
