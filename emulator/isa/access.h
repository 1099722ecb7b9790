// Addresses of a warp's memory instruction: checked, counted, and turned into host pointers.
#pragma once
#include "emulator/isa/types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

struct Access {
  alignas(64) u64 address[32];   // device address, or byte offset in shared or local memory
  alignas(64) std::byte* host[32];
  bool linear = false;           // lane i reads host[0] + i · bytes (full mask only)
};

template <bool Full>
inline void read_addresses(const Context& c, u32 base, s32 offset, u64* address) {
  const std::byte* slot = c.registers + (base & ~kNarrowBase);
  const u64 add = static_cast<u64>(static_cast<s64>(offset));
  if (base & kNarrowBase) {
    const u32 add32 = static_cast<u32>(offset);
    for (int i = 0; i < 32; ++i) address[i] = reinterpret_cast<const u32*>(slot)[i] + add32;
  } else {
    for (int i = 0; i < 32; ++i) address[i] = reinterpret_cast<const u64*>(slot)[i] + add;
  }
  if constexpr (!Full) {  // a copy of an active lane disturbs none of the checks
    const u64 first = address[__builtin_ctz(c.mask)];
    for (int i = 0; i < 32; ++i) address[i] = c.lane_mask[i] ? address[i] : first;
  }
}

/// The entry of an access pattern; `count` 0 if it is new and has to be filled. `spread` is the OR
/// of all address differences (as XOR with the first): above 31 bits there is no entry (null).
inline Pattern* find_pattern(Pattern* patterns, const u64* address, u64 first, u32 mask, u32 phase,
                             u64 spread) {
  if (spread >> 31) return nullptr;
  alignas(64) u32 difference[32];
  for (int i = 0; i < 32; ++i) difference[i] = static_cast<u32>(address[i] - first);
  const u32 hash = (difference[1] * 0x9e3779b1u + difference[2] * 0x85ebca6bu +
                    difference[4] * 0xc2b2ae35u + difference[8] * 0x27d4eb2fu +
                    difference[16] * 0x165667b1u + difference[31] * 0xd3a2646cu + mask + phase);
  Pattern* p = patterns + ((hash ^ (hash >> 15)) & (kPatterns - 1));
  u32 different = (p->mask ^ mask) | (p->phase ^ phase);
  for (int i = 0; i < 32; ++i) different |= p->difference[i] ^ difference[i];
  if (different) {
    for (int i = 0; i < 32; ++i) p->difference[i] = difference[i];
    p->mask = mask;
    p->phase = phase;
    p->count = 0;
  }
  return p;
}

template <bool Full>
inline void count_global(Context& c, const Inst& in, const Access& a, u64 first, u64 spread,
                         int bytes) {
  Site& site = c.sites[in.site];
  ++site.requests;
  site.bytes += static_cast<u64>(bytes) *
                (Full ? 32u : static_cast<u32>(__builtin_popcount(c.mask)));
  if (Full && a.linear) {
    site.sectors += ((first + 32u * static_cast<u32>(bytes) - 1) >> 5) - (first >> 5) + 1;
    return;
  }
  if (spread == 0) {
    site.sectors += 1;
    return;
  }
  Pattern* p = find_pattern(site.global_patterns, a.address, first, c.mask,
                            static_cast<u32>(first & 31), spread);
  if (!p) {
    site.sectors += count_sectors(a.address, c.mask, bytes);
    return;
  }
  if (p->count == 0) p->count = count_sectors(a.address, c.mask, bytes);
  site.sectors += p->count;
}

enum class Count { global, none };

template <bool Full, Count Counted>
inline void resolve_global(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  const u64 first = a.address[Full ? 0 : __builtin_ctz(c.mask)];
  u64 spread = 0, all = 0, stride = 0;
  for (int i = 0; i < 32; ++i) {
    spread |= a.address[i] ^ first;
    all |= a.address[i];
    stride |= (a.address[i] - first) ^ static_cast<u64>(i * bytes);
  }
  a.linear = Full && stride == 0;
  const u64 index = first >> kRegionShift;
  bool good = index < c.region_count && (spread >> kRegionShift) == 0 &&
              (all & static_cast<u64>(bytes - 1)) == 0;
  if (good) {
    const Region& region = c.regions[index];
    if ((all & kOffsetMask) + static_cast<u64>(bytes) > region.bytes) {  // too coarse: lane by lane
      const s64 limit = static_cast<s64>(region.bytes) - bytes;
      u64 outside = 0;
      for (int i = 0; i < 32; ++i) {
        outside |= static_cast<u64>(static_cast<s64>(a.address[i] & kOffsetMask) > limit);
      }
      good = outside == 0;
    }
    good = good && !(is_store && region.read_only);
    std::byte* base = region.data - (index << kRegionShift);
    for (int i = 0; i < 32; ++i) a.host[i] = base + a.address[i];
  }
  if (__builtin_expect(!good, 0)) check_global(c, in, a.address, bytes, is_store, a.host);
  if constexpr (Counted == Count::global) {
    count_global<Full>(c, in, a, first, spread, bytes);
    if (__builtin_expect(c.observer != nullptr, 0)) {
      c.observer->access(c, in, Space::global, is_store, a.address, bytes);
    }
  }
}

template <bool Full>
inline void count_shared(Context& c, const Inst& in, const Access& a, u64 first, u64 spread,
                         int bytes) {
  Site& site = c.sites[in.site];
  ++site.shared_requests;
  site.shared_bytes += static_cast<u64>(bytes) *
                       (Full ? 32u : static_cast<u32>(__builtin_popcount(c.mask)));
  Pattern* p = find_pattern(site.shared_patterns, a.address, first, c.mask,
                            static_cast<u32>(first & 3), spread);
  if (p->count == 0) p->count = count_wavefronts(a.address, c.mask, bytes, &p->ideal);
  site.wavefronts += p->count;
  site.ideal += p->ideal;
}

/// `observe` is false where the caller reports the access itself (cp.async).
template <bool Full>
inline void resolve_shared(Context& c, const Inst& in, Access& a, int bytes, bool is_store,
                           bool observe = true) {
  const u64 first = a.address[Full ? 0 : __builtin_ctz(c.mask)];
  u64 spread = 0, all = 0;
  for (int i = 0; i < 32; ++i) {
    spread |= a.address[i] ^ first;
    all |= a.address[i];
  }
  if (__builtin_expect((all & static_cast<u64>(bytes - 1)) != 0 ||
                           all + static_cast<u64>(bytes) > c.shared_bytes || (all >> 32) != 0, 0)) {
    bool bad = (all & static_cast<u64>(bytes - 1)) != 0;
    for (int i = 0; i < 32; ++i) {
      bad |= a.address[i] + static_cast<u64>(bytes) > c.shared_bytes || (a.address[i] >> 32) != 0;
    }
    if (bad) raise_shared(c, in, a.address, bytes, is_store);
  }
  for (int i = 0; i < 32; ++i) a.host[i] = c.shared + a.address[i];
  a.linear = false;
  count_shared<Full>(c, in, a, first, spread, bytes);
  if (__builtin_expect(c.observer != nullptr && observe, 0)) {
    c.observer->access(c, in, Space::shared, is_store, a.address, bytes);
  }
}

// Generic: the window of the first active lane decides; a mix is split lane by lane in no kernel
// that we know, and is a fault of check_global.
template <bool Full>
inline void resolve_generic(Context& c, const Inst& in, Access& a, int bytes, bool is_store) {
  const u64 window = a.address[Full ? 0 : __builtin_ctz(c.mask)] & kWindowMask;
  if (window == kSharedWindow) {
    for (int i = 0; i < 32; ++i) a.address[i] -= kSharedWindow;
    resolve_shared<Full>(c, in, a, bytes, is_store);
  } else if (window == kLocalWindow) {
    for (int i = 0; i < 32; ++i) a.address[i] -= kLocalWindow;
    check_local(c, in, a.address, bytes, a.host);
    a.linear = false;
  } else {
    resolve_global<Full, Count::global>(c, in, a, bytes, is_store);
  }
}

template <Space S, bool Full>
inline void resolve(Context& c, const Inst& in, u32 base, s32 offset, Access& a, int bytes,
                    bool is_store) {
  read_addresses<Full>(c, base, offset, a.address);
  if constexpr (S == Space::global) {
    resolve_global<Full, Count::global>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::shared) {
    resolve_shared<Full>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::constant) {
    resolve_global<Full, Count::none>(c, in, a, bytes, is_store);
  } else if constexpr (S == Space::local) {
    check_local(c, in, a.address, bytes, a.host);
    a.linear = false;
  } else {
    resolve_generic<Full>(c, in, a, bytes, is_store);
  }
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
