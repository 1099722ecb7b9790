// The handlers' slow paths: exact checks, counts of new access patterns, masks.
#include "emulator/machine/context.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "emulator/compile/code.h"
#include "emulator/machine/cluster_address.h"

namespace tilescope::emulator {
namespace {

const char* global_words(int bytes, bool is_store) {
  static constexpr const char* kWords[2][6] = {
      {"a 1-byte load from global memory", "a 2-byte load from global memory",
       "a 4-byte load from global memory", "an 8-byte load from global memory",
       "a 16-byte load from global memory", "a 32-byte load from global memory"},
      {"a 1-byte store to global memory", "a 2-byte store to global memory",
       "a 4-byte store to global memory", "an 8-byte store to global memory",
       "a 16-byte store to global memory", "a 32-byte store to global memory"}};
  return kWords[is_store][std::min(std::countr_zero(static_cast<unsigned>(bytes)), 5)];
}
const char* shared_words(int bytes, bool is_store) {
  static constexpr const char* kWords[2][5] = {
      {"a 1-byte load from shared memory", "a 2-byte load from shared memory",
       "a 4-byte load from shared memory", "an 8-byte load from shared memory",
       "a 16-byte load from shared memory"},
      {"a 1-byte store to shared memory", "a 2-byte store to shared memory",
       "a 4-byte store to shared memory", "an 8-byte store to shared memory",
       "a 16-byte store to shared memory"}};
  return kWords[is_store][std::min(std::countr_zero(static_cast<unsigned>(bytes)), 4)];
}

// Where tolerated accesses go: no kernel's data. Loads read zeros that nothing writes.
std::byte* nowhere(bool is_store) {
  alignas(64) static const std::byte zeros[64] = {};
  alignas(64) thread_local std::byte sink[64];
  return is_store ? sink : const_cast<std::byte*>(zeros);
}

std::byte* refuse(Context& c, const Inst& in, Fault::Kind kind, uint32_t lane, uint64_t address,
                  const char* what, bool is_store) {
  if (!c.observer || !c.observer->tolerate(c, in, kind, lane, address, what)) {
    raise(in, kind, lane, address, what);
  }
  return nowhere(is_store);
}

// Checks one global access of `extent` bytes, aligned to `align`; returns its host pointer.
std::byte* check_lane(Context& c, const Inst& in, uint32_t lane, uint64_t address, uint64_t extent,
                      uint64_t align, bool is_store, const char* what) {
  const uint64_t index = address >> kRegionShift, offset = address & kOffsetMask;
  const Region* region = index < c.region_count ? c.regions + index : nullptr;
  if (!region || !region->data || offset + extent > region->bytes) {
    return refuse(c, in, Fault::Kind::out_of_bounds, lane, address, what, is_store);
  }
  if (address & (align - 1)) {
    return refuse(c, in, Fault::Kind::misaligned, lane, address, what, is_store);
  }
  if (is_store && region->read_only) {
    return refuse(c, in, Fault::Kind::read_only, lane, address, what, is_store);
  }
  return region->data + offset;
}

}  // namespace

bool is_worse(const Pattern& a, const Pattern& b) {
  if (a.count == 0 || b.count == 0) return a.count > b.count;
  const uint64_t of_a = a.count * uint64_t{std::max(b.ideal, 1u)};
  const uint64_t of_b = b.count * uint64_t{std::max(a.ideal, 1u)};
  if (of_a != of_b) return of_a > of_b;
  if (a.count != b.count) return a.count > b.count;
  if (a.mask != b.mask) return a.mask > b.mask;
  if (a.phase != b.phase) return a.phase < b.phase;
  if (!std::ranges::equal(a.difference, b.difference)) {
    // Over iterators: libc++ 14, which the page is built with, has it in no other way.
    return std::lexicographical_compare(std::begin(a.difference), std::end(a.difference),
                                        std::begin(b.difference), std::end(b.difference));
  }
  return a.first < b.first;
}

void raise(const Inst& in, Fault::Kind kind, uint32_t lane, uint64_t address, const char* what,
           const char* hint) {
  throw FaultSignal{kind, lane, address, &in, what, hint};
}

void raise(const Inst& in, uint32_t lane, uint64_t value, const std::string& sentence) {
  thread_local std::string kept;  // until the fault is described, on this thread
  kept = sentence;
  raise(in, Fault::Kind::unsupported, lane, value, kept.c_str());
}

void set_mask(Context& c, uint32_t mask) {
  c.mask = mask;
  for (uint32_t i = 0; i < 32; ++i) c.lane_mask[i] = 0u - ((mask >> i) & 1u);
}

void check_global(Context& c, const Inst& in, const uint64_t* addresses, int bytes, bool is_store,
                  std::byte** host) {
  const char* what = global_words(bytes, is_store);
  for (uint32_t i = 0; i < 32; ++i) {
    host[i] = nullptr;
    if (!((c.mask >> i) & 1u)) continue;
    host[i] = check_lane(c, in, i, addresses[i], static_cast<uint64_t>(bytes),
                         static_cast<uint64_t>(bytes), is_store, what);
  }
}

void check_copy(Context& c, const Inst& in, const uint64_t* addresses, const uint32_t* sizes,
                uint32_t reading, int bytes, std::byte** host) {
  for (uint32_t i = 0; i < 32; ++i) {
    host[i] = nullptr;
    if (!((reading >> i) & 1u)) continue;
    host[i] = check_lane(c, in, i, addresses[i], sizes[i], static_cast<uint64_t>(bytes), false,
                         "a cp.async from global memory");
  }
}

std::byte* check_shared_lane(Context& c, const Inst& in, uint32_t lane, uint64_t address,
                             uint64_t bytes, uint64_t align, bool is_store, const char* what) {
  const uint32_t rank = rank_of(address, c.cluster_rank);
  const uint64_t offset = address >> kRankShift ? address & kClusterOffset : address;
  if ((address >> 32) != 0 || rank >= c.cluster_ctas || offset + bytes > c.shared_bytes) {
    return refuse(c, in, Fault::Kind::out_of_bounds, lane, address, what, is_store);
  }
  if (address & (align - 1)) {
    return refuse(c, in, Fault::Kind::misaligned, lane, address, what, is_store);
  }
  if (rank == c.cluster_rank) return c.shared + offset;
  Peer& peer = *c.peers[rank];
  if (peer.gone) return refuse(c, in, Fault::Kind::cta_left, lane, address, what, is_store);
  if (is_store) ++peer.touched;
  return peer.shared + offset;
}

void check_shared(Context& c, const Inst& in, uint64_t* addresses, int bytes, bool is_store,
                  std::byte** host) {
  const char* what = shared_words(bytes, is_store);
  const auto size = static_cast<uint64_t>(bytes);
  for (uint32_t i = 0; i < 32; ++i) {
    host[i] = nullptr;
    addresses[i] = seen_address(addresses[i], c.cluster_rank);
    if (!((c.mask >> i) & 1u)) continue;
    host[i] = check_shared_lane(c, in, i, addresses[i], size, size, is_store, what);
  }
}

void check_local(Context& c, const Inst& in, const uint64_t* addresses, int bytes,
                 std::byte** host) {
  static constexpr const char* kWhat = "an access to local memory";
  for (uint32_t i = 0; i < 32; ++i) {
    host[i] = nullptr;
    if (!((c.mask >> i) & 1u)) continue;
    const uint64_t a = addresses[i];
    if (a > c.local_bytes || a + static_cast<uint64_t>(bytes) > c.local_bytes) {
      host[i] = refuse(c, in, Fault::Kind::out_of_bounds, i, a, kWhat, true);
    } else if (a & static_cast<uint64_t>(bytes - 1)) {
      host[i] = refuse(c, in, Fault::Kind::misaligned, i, a, kWhat, true);
    } else {
      host[i] = c.local + static_cast<size_t>(i) * c.local_bytes + a;
    }
  }
}

uint32_t count_sectors(const uint64_t* addresses, uint32_t mask, int bytes) {
  std::array<uint64_t, 64> sectors;
  size_t n = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    if (!((mask >> i) & 1u)) continue;
    sectors[n++] = addresses[i] >> 5;
    const uint64_t last = (addresses[i] + static_cast<uint64_t>(bytes) - 1) >> 5;
    if (last != sectors[n - 1]) sectors[n++] = last;
  }
  std::sort(sectors.begin(), sectors.begin() + static_cast<long>(n));
  return static_cast<uint32_t>(
      std::unique(sectors.begin(), sectors.begin() + static_cast<long>(n)) - sectors.begin());
}

namespace {

// Whether lanes that differ in `bit` alone have one address, or one of them is off: on a card (an
// H200 and an H100 were asked) loads of 8 and 16 bytes then go by twice as many lanes.
bool same_in_pairs(const uint64_t* addresses, uint32_t mask, uint32_t bit) {
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t j = i ^ bit;
    if ((mask >> i & mask >> j & 1u) != 0 && addresses[i] != addresses[j]) return false;
  }
  return true;
}

}  // namespace

uint32_t count_wavefronts(const uint64_t* addresses, uint32_t mask, int bytes, bool pairs,
                          uint32_t* ideal) {
  // Lanes that go to the memories of several CTAs do not meet in one's banks.
  uint32_t there = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest), first = std::countr_zero(mask);
    if ((addresses[i] ^ addresses[first]) & ~kClusterOffset) there |= 1u << i;
  }
  if (there != 0) {
    uint32_t more = 0;
    const uint32_t here = count_wavefronts(addresses, mask & ~there, bytes, pairs, ideal);
    const uint32_t total = here + count_wavefronts(addresses, there, bytes, pairs, &more);
    *ideal += more;
    return total;
  }
  const int words = bytes > 4 ? bytes / 4 : 1;
  int lanes = 32 / words;  // whose accesses fill 128 bytes
  if (words > 1 && pairs &&
      (same_in_pairs(addresses, mask, 1) || same_in_pairs(addresses, mask, 2))) {
    lanes *= 2;
  }
  uint32_t total = 0, groups = 0;
  for (int first = 0; first < 32; first += lanes) {
    std::array<uint64_t, 128> seen;
    size_t n = 0;
    for (int i = first; i < first + lanes; ++i) {
      if (!((mask >> i) & 1u)) continue;
      for (int w = 0; w < words; ++w) seen[n++] = (addresses[i] >> 2) + static_cast<uint64_t>(w);
    }
    if (n == 0) continue;
    ++groups;
    std::sort(seen.begin(), seen.begin() + static_cast<long>(n));
    const auto end = std::unique(seen.begin(), seen.begin() + static_cast<long>(n));
    std::array<uint32_t, 32> banks{};
    uint32_t worst = 0;
    for (auto it = seen.begin(); it != end; ++it) worst = std::max(worst, ++banks[*it & 31]);
    total += worst;
  }
  *ideal = groups;
  return total;
}

}  // namespace tilescope::emulator
