// Addresses of a warp's memory instruction: checked, counted, and turned into host pointers.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

struct Access {
  alignas(64) u64 address[32];  // device address, or byte offset in shared or local memory
  u64 base = 0;                 // what address[] lacks to be a host pointer
  u64 first = 0;                // the first active lane's address
  u64 spread = 0;               // OR of all addresses XOR the first
  u64 all = 0;                  // OR of all addresses
  bool linear = false;          // lane i reads at(0) + i · bytes (full mask only)

  std::byte* at(int lane) const { return reinterpret_cast<std::byte*>(base + address[lane]); }
};

typedef u64 V4 __attribute__((vector_size(32)));
typedef u32 V4Narrow __attribute__((vector_size(16)));

/// Reads the addresses of the lanes and sums them up in `first`, `spread` and `all`, which the
/// checks start from. Inactive lanes get the first active lane's address, which changes none of the
/// three.
template <bool Full>
inline void read_addresses(const Context& c, u32 base, s32 offset, int bytes, Access& a) {
  const std::byte* slot = c.registers + (base & ~kNarrowBase);
  const bool narrow = base & kNarrowBase;
  const int lane = Full ? 0 : __builtin_ctz(c.mask);
  const u64 first = narrow ? get<u32>(slot, lane) + static_cast<u32>(offset)
                           : get<u64>(slot, lane) + static_cast<u64>(static_cast<s64>(offset));
  const V4 firsts = {first, first, first, first};
  const u64 add = static_cast<u64>(static_cast<s64>(offset));
  V4 spread = {}, all = {}, stride = {};
  const u64 b = static_cast<u64>(bytes);
  V4 expected = {first, first + b, first + 2 * b, first + 3 * b};
  for (int i = 0; i < 32; i += 4) {
    V4 v;
    if (narrow) {
      V4Narrow n;
      __builtin_memcpy(&n, slot + 4 * i, 16);
      n += static_cast<u32>(offset);
      v = __builtin_convertvector(n, V4);
    } else {
      __builtin_memcpy(&v, slot + 8 * i, 32);
      v += add;
    }
    if constexpr (!Full) {
      V4Narrow m;
      __builtin_memcpy(&m, c.lane_mask + i, 16);
      const V4 on = __builtin_convertvector(m & 1u, V4) != 0;
      v = (v & on) | (firsts & ~on);
    }
    __builtin_memcpy(a.address + i, &v, 32);
    spread |= v ^ firsts;
    all |= v;
    stride |= v ^ expected;
    expected += 4 * b;
  }
  a.first = first;
  a.spread = spread[0] | spread[1] | spread[2] | spread[3];
  a.all = all[0] | all[1] | all[2] | all[3];
  a.linear = Full && (stride[0] | stride[1] | stride[2] | stride[3]) == 0;
}

/// Looks up what an access pattern costs, among Site::patterns. If its `count` is 0 the entry is
/// new: the caller fills it.
inline Pattern* find_pattern(Pattern* patterns, const Access& a, u32 mask, u32 phase) {
  const u64* address = a.address;
  // Not XOR: swizzled patterns would collide.
  const u64 hash =
      (address[1] - a.first) * 0x9e3779b97f4a7c15u + (address[2] - a.first) * 0xc2b2ae3d27d4eb4fu +
      (address[4] - a.first) * 0x165667b19e3779f9u + (address[8] - a.first) * 0x27d4eb2f165667c5u +
      (address[16] - a.first) * 0x85ebca77c2b2ae63u +
      (address[31] - a.first) * 0xd6e8feb86659fd93u + mask + phase;
  Pattern* p = patterns + (hash >> 61);
  static_assert(kPatterns == 8);
  const V4 firsts = {a.first, a.first, a.first, a.first};
  V4 different = {};
  for (int i = 0; i < 32; i += 4) {
    V4 v, known;
    __builtin_memcpy(&v, address + i, 32);
    __builtin_memcpy(&known, p->difference + i, 32);
    different |= (v - firsts) ^ known;
  }
  const u64 lanes = different[0] | different[1] | different[2] | different[3];
  if (__builtin_expect((lanes | (p->mask ^ mask) | (p->phase ^ phase)) != 0, 0)) {
    if (p->count != 0 && is_worse(*p, patterns[kPatterns])) patterns[kPatterns] = *p;
    for (int i = 0; i < 32; ++i) p->difference[i] = address[i] - a.first;
    p->mask = mask;
    p->phase = phase;
    p->count = 0;
    p->first = a.first;
  }
  return p;
}

template <bool Full>
inline void count_global(Context& c, const Inst& in, const Access& a, int bytes) {
  Site& site = c.sites[in.site];
  ++site.requests;
  site.bytes +=
      static_cast<u64>(bytes) * (Full ? 32u : static_cast<u32>(__builtin_popcount(c.mask)));
  if (Full && a.linear) {
    site.sectors += ((a.first + 32u * static_cast<u32>(bytes) - 1) >> 5) - (a.first >> 5) + 1;
    return;
  }
  if (a.spread == 0) {
    site.sectors += 1;
    return;
  }
  Pattern* p = find_pattern(site.patterns, a, c.mask, static_cast<u32>(a.first & 31));
  if (p->count == 0) p->count = count_sectors(a.address, c.mask, bytes);
  site.sectors += p->count;
}

// Lanes have host pointers of their own: what was seen of the addresses does not hold for them.
inline void use_hosts(Access& a, std::byte* const* host) {
  a.base = 0;
  a.linear = false;
  a.spread = ~u64{0};
  for (int i = 0; i < 32; ++i) a.address[i] = reinterpret_cast<u64>(host[i]);
}

enum class Count { global, none };

template <bool Full, Count Counted>
inline void resolve_global(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  const u64 index = a.first >> kRegionShift;
  bool good = index < c.region_count && (a.spread >> kRegionShift) == 0 &&
              (a.all & static_cast<u64>(bytes - 1)) == 0;
  if (__builtin_expect(good, 1)) {
    const Region& region = c.regions[index];
    if ((a.all & kOffsetMask) + static_cast<u64>(bytes) >
        region.bytes) {  // too coarse: lane by lane
      const s64 limit = static_cast<s64>(region.bytes) - bytes;
      u64 outside = 0;
      for (int i = 0; i < 32; ++i) {
        outside |= static_cast<u64>(static_cast<s64>(a.address[i] & kOffsetMask) > limit);
      }
      good = outside == 0;
    }
    good = good && !(is_store && region.read_only);
    a.base = reinterpret_cast<u64>(region.data) - (index << kRegionShift);
  }
  std::byte* host[32];
  if (__builtin_expect(!good, 0)) check_global(c, in, a.address, bytes, is_store, host);
  if constexpr (Counted == Count::global) {
    count_global<Full>(c, in, a, bytes);
    if (__builtin_expect(c.observer != nullptr, 0)) {
      c.observer->access(c, in, Space::global, is_store, a.address, bytes);
    }
  }
  if (__builtin_expect(!good, 0)) {  // legal, but over several buffers
    use_hosts(a, host);
  }
}

template <bool Full>
inline void count_shared(Context& c, const Inst& in, const Access& a, int bytes, bool pairs,
                         Pattern* patterns) {
  Site& site = c.sites[in.site];
  ++site.shared_requests;
  site.shared_bytes +=
      static_cast<u64>(bytes) * (Full ? 32u : static_cast<u32>(__builtin_popcount(c.mask)));
  Pattern* p = find_pattern(patterns, a, c.mask, static_cast<u32>(a.first & 3));
  if (p->count == 0) p->count = count_wavefronts(a.address, c.mask, bytes, pairs, &p->ideal);
  site.wavefronts += p->count;
  site.ideal += p->ideal;
}

/// `is_copy`: of cp.async, which reports the access itself and has a second site. `rows`: of
/// ldmatrix and stmatrix.
template <bool Full>
inline void resolve_shared(Context& c, const Inst& in, Access& a, int bytes, bool is_store,
                           bool is_copy = false, bool rows = false) {
  std::byte* host[32];
  bool bad = false;
  if (__builtin_expect((a.all & static_cast<u64>(bytes - 1)) != 0 ||
                           a.all + static_cast<u64>(bytes) > c.shared_bytes || (a.all >> 32) != 0,
                       0)) {
    bad = (a.all & static_cast<u64>(bytes - 1)) != 0;
    for (int i = 0; i < 32; ++i) {
      bad |= a.address[i] + static_cast<u64>(bytes) > c.shared_bytes || (a.address[i] >> 32) != 0;
    }
    if (bad) {
      check_shared(c, in, a.address, bytes, is_store, host);
      a.first = a.address[Full ? 0 : __builtin_ctz(c.mask)];
    }
  }
  a.base = reinterpret_cast<u64>(c.shared);
  count_shared<Full>(c, in, a, bytes, !is_store && !rows,
                     c.sites[in.site + (is_copy ? 1 : 0)].patterns);
  if (__builtin_expect(c.observer != nullptr && !is_copy, 0)) {
    c.observer->access(c, in, Space::shared, is_store, a.address, bytes);
  }
  if (__builtin_expect(bad, 0)) use_hosts(a, host);  // tolerated: some lanes go elsewhere
}

inline void resolve_local(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  std::byte* host[32];
  check_local(c, in, a.address, bytes, host);
  if (__builtin_expect(c.observer != nullptr, 0)) {
    c.observer->access(c, in, Space::local, is_store, a.address, bytes);
  }
  use_hosts(a, host);
}

/// For addresses that the caller has put into a.address: what the checks start from.
inline void survey(Access& a) {
  a.first = a.address[0];
  a.spread = a.all = 0;
  a.linear = false;
  for (u64 address : a.address) {
    a.spread |= address ^ a.first;
    a.all |= address;
  }
}

inline void resolve_window(Context& c, const Inst& in, Access& a, int bytes, bool is_store,
                           u64 window) {
  a.all = 0;
  for (u64& address : a.address) a.all |= address -= window;
  a.first -= window;
  if (window == kSharedWindow) {
    resolve_shared<false>(c, in, a, bytes, is_store);
  } else {
    resolve_local(c, in, a, bytes, is_store);
  }
}

// Lanes of one warp whose generic addresses lie in several windows: one after the other.
inline __attribute__((noinline)) void resolve_mixed(Context& c, const Inst& in, Access& a,
                                                    int bytes, bool is_store) {
  std::byte* host[32] = {};
  const u32 all = c.mask;
  for (u32 rest = all; rest != 0;) {
    const u64 first = a.address[__builtin_ctz(rest)], window = first & kWindowMask;
    u32 group = 0;
    Access part;
    for (u32 i = 0; i < 32; ++i) {
      const bool same = ((rest >> i) & 1u) && (a.address[i] & kWindowMask) == window;
      group |= u32{same} << i;
      part.address[i] = same ? a.address[i] : first;
    }
    rest &= ~group;
    set_mask(c, group);
    survey(part);
    if (window == kSharedWindow || window == kLocalWindow) {
      resolve_window(c, in, part, bytes, is_store, window);
    } else {
      resolve_global<false, Count::global>(c, in, part, bytes, is_store);
    }
    for (int i = 0; i < 32; ++i) {
      if ((group >> i) & 1u) host[i] = part.at(i);
    }
  }
  set_mask(c, all);
  use_hosts(a, host);
}

template <bool Full>
inline void resolve_generic(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  const u64 window = a.first & kWindowMask;
  if (__builtin_expect((a.spread & kWindowMask) != 0, 0)) {
    resolve_mixed(c, in, a, bytes, is_store);
  } else if (window == kSharedWindow || window == kLocalWindow) {
    resolve_window(c, in, a, bytes, is_store, window);
  } else {
    resolve_global<Full, Count::global>(c, in, a, bytes, is_store);
  }
}

template <Space S, bool Full>
inline void resolve_addresses(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  if constexpr (S == Space::global) {
    resolve_global<Full, Count::global>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::shared) {
    resolve_shared<Full>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::constant) {
    resolve_global<Full, Count::none>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::local) {
    resolve_local(c, in, a, bytes, is_store);
  } else {
    resolve_generic<Full>(c, in, a, bytes, is_store);
  }
}

template <Space S, bool Full>
inline void resolve(Context& c, const Inst& in, u32 base, s32 offset, Access& a, int bytes,
                    bool is_store) {
  read_addresses<Full>(c, base, offset, bytes, a);
  resolve_addresses<S, Full>(c, in, a, bytes, is_store);
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
