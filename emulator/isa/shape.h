// The fast way to memory for whole warps. In nearly every access the lanes' addresses differ from
// each other as they did when the same instruction ran before; only where lane 0 points has
// changed. So the differences are remembered (Shape) with what they cost. One comparison with them
// replaces reading, checking and counting 32 addresses, and the shape says how to move the data.
#pragma once
#include "emulator/isa/access.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// Where a recalled access goes: lane i to first + shape->difference[i].
struct Recalled {
  const Shape* shape = nullptr;  // null: not known, go the long way
  u64 address = 0;               // lane 0's
  std::byte* first = nullptr;    // the same on the host
  std::byte* at(int lane) const { return first + shape->difference[lane]; }
  explicit operator bool() const { return shape != nullptr; }
};

typedef s32 V8Narrow __attribute__((vector_size(32)));
typedef s32 V4Signed __attribute__((vector_size(16)));
typedef s64 V4Wide __attribute__((vector_size(32)));

inline V4Wide widen4(const s32* from) {
#if defined(__AVX2__)  // g++ 12 makes four instructions of the other
  return reinterpret_cast<V4Wide>(
      _mm256_cvtepi32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(from))));
#else
  V4Signed v;
  __builtin_memcpy(&v, from, 16);
  return __builtin_convertvector(v, V4Wide);
#endif
}
inline bool is_zero(V4Wide v) {
#if defined(__AVX2__)
  return _mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v)) != 0;
#else
  return (v[0] | v[1] | v[2] | v[3]) == 0;
#endif
}

inline bool same_differences(const std::byte* slot, bool narrow, const s32* difference) {
  if (narrow) {
    const s32 first = get<s32>(slot, 0);
    V8Narrow other = {};
    for (int i = 0; i < 32; i += 8) {
      V8Narrow v, known;
      __builtin_memcpy(&v, slot + 4 * i, 32);
      __builtin_memcpy(&known, difference + i, 32);
      other |= (v - first) ^ known;
    }
    return is_zero(reinterpret_cast<V4Wide>(other));
  }
  const s64 first = get<s64>(slot, 0);
  V4Wide other = {};
  for (int i = 0; i < 32; i += 4) {
    V4Wide v;
    __builtin_memcpy(&v, slot + 8 * i, 32);
    other |= (v - first) ^ widen4(difference + i);
  }
  return is_zero(other);
}

/// Compares with the remembered shapes: an access that is legal in all lanes, or nothing. Changes
/// nothing.
template <Space S>
__attribute__((always_inline)) inline Recalled recall(const Context& c, const Site& site, u32 base,
                                                      s32 offset, int bytes, bool is_store) {
  static_assert(S == Space::global || S == Space::shared);
  const Shape& s = site.shapes[c.warp % kShapes];
  const std::byte* slot = c.registers + (base & ~kNarrowBase);
  const bool narrow = base & kNarrowBase;
  if (!s.known || !same_differences(slot, narrow, s.difference)) return {};
  const u64 address = narrow ? get<u32>(slot, 0) + static_cast<u32>(offset)
                             : get<u64>(slot, 0) + static_cast<u64>(static_cast<s64>(offset));
  if (((address | s.bits) & static_cast<u64>(bytes - 1)) != 0) return {};
  if constexpr (S == Space::global) {
    const u64 index = address >> kRegionShift;
    if (index >= c.region_count) return {};
    const Region& region = c.regions[index];
    const s64 at = static_cast<s64>(address & kOffsetMask);
    if (at + s.low < 0 || at + s.high + bytes > static_cast<s64>(region.bytes) ||
        (is_store && region.read_only) ||
        (!s.linear && s.equal < 32 && (address & 31u) != s.phase)) {
      return {};
    }
    return {&s, address, region.data + at};
  } else {
    const s64 at = static_cast<s64>(address);
    if (at + s.low < 0 || at > static_cast<s64>(c.shared_bytes) ||
        at + s.high + bytes > static_cast<s64>(c.shared_bytes) || (address & 3u) != s.phase) {
      return {};
    }
    return {&s, address, c.shared + at};
  }
}

template <Space S>
inline void count(Site& site, const Recalled& r, int bytes) {
  const u64 all = 32u * static_cast<u64>(bytes);
  if constexpr (S == Space::global) {
    ++site.requests;
    site.bytes += all;
    site.sectors +=
        r.shape->linear ? ((r.address + all - 1) >> 5) - (r.address >> 5) + 1 : r.shape->count;
  } else {
    ++site.shared_requests;
    site.shared_bytes += all;
    site.wavefronts += r.shape->count;
    site.ideal += r.shape->ideal;
  }
}

/// Remembers the addresses of a whole warp that went the long way, once they have been counted.
template <Space S>
__attribute__((noinline)) void learn(Context& c, Site& site, const Access& a) {
  Shape& s = site.shapes[c.warp % kShapes];
  if (a.base == 0 || (s.known && ++s.misses % 8 != 0)) return;
  s.known = false;
  s.low = s.high = 0;
  s.bits = 0;
  for (int i = 0; i < 32; ++i) {
    const s64 d = static_cast<s64>(a.address[i] - a.first);
    if (d != static_cast<s32>(d)) return;
    s.difference[i] = static_cast<s32>(d);
    s.low = s.difference[i] < s.low ? s.difference[i] : s.low;
    s.high = s.difference[i] > s.high ? s.difference[i] : s.high;
    s.bits |= static_cast<u32>(s.difference[i]);
  }
  const auto repeats = [&](int mask_of_lane) {
    for (int i = 0; i < 32; ++i) {
      if (s.difference[i] != s.difference[i & mask_of_lane]) return false;
    }
    return true;
  };
  s.equal = 1;
  s.period = 32;
  while (s.equal < 32 && repeats(~(2 * s.equal - 1))) s.equal = static_cast<u8>(2 * s.equal);
  while (s.period > 1 && repeats(s.period / 2 - 1)) s.period = static_cast<u8>(s.period / 2);
  s.linear = a.linear;
  s.phase = static_cast<u32>(a.first & (S == Space::global ? 31u : 3u));
  if (S == Space::global && (a.linear || a.spread == 0)) {
    s.count = 1;  // of one address; a line of them is counted anew each time
  } else {
    const Pattern* p = find_pattern(site.patterns, a, c.mask, s.phase);
    s.count = p->count;
    s.ideal = p->ideal;
  }
  s.known = true;
}

/// Shows a recalled access to the observer.
__attribute__((noinline)) inline void show(Context& c, const Inst& in, Space space, bool is_store,
                                           const Recalled& r, int bytes) {
  u64 address[32];
  for (int i = 0; i < 32; ++i) {
    address[i] = r.address + static_cast<u64>(static_cast<s64>(r.shape->difference[i]));
  }
  c.observer->access(c, in, space, is_store, address, bytes);
}

/// A whole warp's access: recalled, counted and shown; or nothing, and the long way remains.
template <Space S>
__attribute__((always_inline)) inline Recalled enter(Context& c, const Inst& in, u32 base,
                                                     s32 offset, int bytes, bool is_store) {
  Site& site = c.sites[in.site];
  const Recalled r = recall<S>(c, site, base, offset, bytes, is_store);
  if (__builtin_expect(!r, 0)) return r;
  count<S>(site, r, bytes);
  if (__builtin_expect(c.observer != nullptr, 0)) show(c, in, S, is_store, r, bytes);
  return r;
}

constexpr bool has_shapes(Space s) { return s == Space::global || s == Space::shared; }

}  // namespace tilescope::emulator::TILESCOPE_ISA
