// Rarer integer work: fns, szext, bmsk, mul24, mad24, sad, dp2a, dp4a, saturating and packed forms.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class A, class B>
u32 dot4(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (8 * i))) *
                          static_cast<s32>(static_cast<B>(b >> (8 * i))));
  }
  return c;
}
// Two 16-bit values of a with the low or high two bytes of b.
template <class A, class B, bool High>
u32 dot2(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; ++i) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (16 * i))) *
                          static_cast<s32>(static_cast<B>(b >> (8 * i + (High ? 16 : 0)))));
  }
  return c;
}
// The position of the n-th set bit from `base` on, upwards for n > 0, downwards for n < 0.
u32 find_nth(u32 mask, u32 base, s32 n) {
  if (n == 0) return base < 32 && ((mask >> base) & 1u) ? base : 0xffffffffu;
  const s64 step = n > 0 ? 1 : -1;
  s64 left = n > 0 ? n : -static_cast<s64>(n);
  for (s64 i = base; i >= 0 && i < 32; i += step) {
    if (((mask >> i) & 1u) && --left == 0) return static_cast<u32>(i);
  }
  return 0xffffffffu;
}
template <bool Wrap>
u32 mask_from(u32 position, u32 length) {  // bmsk
  if (Wrap) {
    position &= 31u;
    length &= 31u;
  }
  if (position >= 32 || length == 0) return 0;
  const u64 ones = length >= 32 ? 0xffffffffull : (1ull << length) - 1;
  return static_cast<u32>(ones << position);
}
template <bool Signed, bool Wrap>
u32 extend(u32 a, u32 bits) {  // szext
  if (Wrap) bits &= 31u;
  if (bits >= 32) return a;
  if (bits == 0) return 0;
  const u32 up = a << (32 - bits);
  return Signed ? static_cast<u32>(static_cast<s32>(up) >> (32 - bits)) : up >> (32 - bits);
}
inline s64 signed24(s32 a) { return static_cast<s32>(static_cast<u32>(a) << 8) >> 8; }
inline u64 unsigned24(u32 a) { return a & 0xffffffu; }
// 48-bit products: .lo are the low 32 bits, .hi the bits 16 … 47.
inline u32 low48(s64 p) { return static_cast<u32>(p); }
inline u32 high48(s64 p) { return static_cast<u32>(static_cast<u64>(p) >> 16); }
inline s32 clamp32(s64 v) {
  return static_cast<s32>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}
template <class T>
T difference(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(a > b ? static_cast<U>(a) - static_cast<U>(b)
                              : static_cast<U>(b) - static_cast<U>(a));
}
template <class T, auto F>
u32 packed(u32 a, u32 b) {
  return static_cast<u16>(F(static_cast<T>(a), static_cast<T>(b))) |
         static_cast<u32>(static_cast<u16>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16))))
             << 16;
}
template <class T>
constexpr auto kAdd = [](T a, T b) { return static_cast<T>(a + b); };
template <class T>
constexpr auto kMin = [](T a, T b) { return a < b ? a : b; };
template <class T>
constexpr auto kMax = [](T a, T b) { return a > b ? a : b; };
constexpr auto kRelu = [](s16 a) { return a < 0 ? s16{0} : a; };
constexpr auto kMinRelu = [](s16 a, s16 b) { return kRelu(a < b ? a : b); };
constexpr auto kMaxRelu = [](s16 a, s16 b) { return kRelu(a > b ? a : b); };

#define SAD(T)                                                                                   \
  lanes<[](T a, T b, T c) -> T {                                                                 \
    using U = std::make_unsigned_t<T>;                                                           \
    return static_cast<T>(static_cast<U>(static_cast<U>(c) + static_cast<U>(difference(a, b)))); \
  }>("sad " #T)
#define DOT(A, a, B, b) \
  lanes<[](u32 x, u32 y, u32 z) -> u32 { return dot4<A, B>(x, y, z); }>("dp4a " a " " b)
#define DOT2(A, a, B, b)                                                                       \
  lanes<[](u32 x, u32 y, u32 z) -> u32 { return dot2<A, B, false>(x, y, z); }>("dp2a lo " a    \
                                                                               " " b),         \
      lanes<[](u32 x, u32 y, u32 z) -> u32 { return dot2<A, B, true>(x, y, z); }>("dp2a hi " a \
                                                                                  " " b)
#define PACKED(name, T, F) lanes<[](u32 a, u32 b) -> u32 { return packed<T, F>(a, b); }>(name)

const Row kRows[] = {
    lanes<[](u32 a, u32 b, s32 n) -> u32 { return find_nth(a, b, n); }>("fns b32"),
    lanes<[](u32 a, u32 b) -> u32 { return mask_from<false>(a, b); }>("bmsk clamp b32"),
    lanes<[](u32 a, u32 b) -> u32 { return mask_from<true>(a, b); }>("bmsk wrap b32"),
    lanes<[](u32 a, u32 b) -> u32 { return extend<false, false>(a, b); }>("szext clamp u32"),
    lanes<[](u32 a, u32 b) -> u32 { return extend<true, false>(a, b); }>("szext clamp s32"),
    lanes<[](u32 a, u32 b) -> u32 { return extend<false, true>(a, b); }>("szext wrap u32"),
    lanes<[](u32 a, u32 b) -> u32 { return extend<true, true>(a, b); }>("szext wrap s32"),
    lanes<[](s32 a, s32 b) -> u32 { return low48(signed24(a) * signed24(b)); }>("mul24 lo s32"),
    lanes<[](s32 a, s32 b) -> u32 { return high48(signed24(a) * signed24(b)); }>("mul24 hi s32"),
    lanes<[](u32 a, u32 b) -> u32 {
      return low48(static_cast<s64>(unsigned24(a) * unsigned24(b)));
    }>("mul24 lo u32"),
    lanes<[](u32 a, u32 b) -> u32 {
      return high48(static_cast<s64>(unsigned24(a) * unsigned24(b)));
    }>("mul24 hi u32"),
    lanes<[](s32 a, s32 b, u32 c) -> u32 { return low48(signed24(a) * signed24(b)) + c; }>(
        "mad24 lo s32"),
    lanes<[](s32 a, s32 b, u32 c) -> u32 { return high48(signed24(a) * signed24(b)) + c; }>(
        "mad24 hi s32"),
    lanes<[](s32 a, s32 b, s32 c) -> s32 {
      return clamp32(static_cast<s64>(static_cast<s32>(high48(signed24(a) * signed24(b)))) + c);
    }>("mad24 hi sat s32"),
    lanes<[](u32 a, u32 b, u32 c) -> u32 {
      return low48(static_cast<s64>(unsigned24(a) * unsigned24(b))) + c;
    }>("mad24 lo u32"),
    lanes<[](u32 a, u32 b, u32 c) -> u32 {
      return high48(static_cast<s64>(unsigned24(a) * unsigned24(b))) + c;
    }>("mad24 hi u32"),
    lanes<[](s32 a, s32 b, s32 c) -> s32 {
      return clamp32(((static_cast<s64>(a) * b) >> 32) + c);
    }>("mad hi sat s32"),
    SAD(u16),
    SAD(s16),
    SAD(u32),
    SAD(s32),
    SAD(u64),
    SAD(s64),
    DOT(s8, "s32", s8, "s32"),
    DOT(u8, "u32", u8, "u32"),
    DOT(s8, "s32", u8, "u32"),
    DOT(u8, "u32", s8, "s32"),
    DOT2(s16, "s32", s8, "s32"),
    DOT2(u16, "u32", u8, "u32"),
    DOT2(s16, "s32", u8, "u32"),
    DOT2(u16, "u32", s8, "s32"),
    PACKED("add u16x2|s16x2", u16, kAdd<u16>),
    PACKED("min u16x2", u16, kMin<u16>),
    PACKED("max u16x2", u16, kMax<u16>),
    PACKED("min s16x2", s16, kMin<s16>),
    PACKED("max s16x2", s16, kMax<s16>),
    PACKED("min relu s16x2", s16, kMinRelu),
    PACKED("max relu s16x2", s16, kMaxRelu),
    lanes<[](s32 a, s32 b) -> s32 {
      const s32 m = a < b ? a : b;
      return (m > 0 ? m : 0);
    }>("min relu s32"),
    lanes<[](s32 a, s32 b) -> s32 {
      const s32 m = (a > b ? a : b);
      return (m > 0 ? m : 0);
    }>("max relu s32"),
};

}  // namespace

RowSpan bit_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
