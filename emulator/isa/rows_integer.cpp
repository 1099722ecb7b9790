// Integer arithmetic: add, sub, mul, mad, div, rem, min, max, abs, neg, popc, clz, bfe…
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/wide_integer.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
struct Wider;
template <>
struct Wider<u16> {
  using type = u32;
};
template <>
struct Wider<s16> {
  using type = s32;
};
template <>
struct Wider<u32> {
  using type = u64;
};
template <>
struct Wider<s32> {
  using type = s64;
};
template <class T>
using Wide = typename Wider<T>::type;

// Signed overflow wraps in PTX: compute unsigned. 16-bit operands must not be promoted to int.
template <class T>
T add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
T mul_lo(T a, T b) {
  using M = std::conditional_t<sizeof(T) == 8, u64, u32>;
  return static_cast<T>(static_cast<M>(a) * static_cast<M>(b));
}
template <class T>
T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return high_product(a, b);
  else
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (8 * sizeof(T)));
}
template <class T>
Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
}
template <class T>
T divide(T a, T b) {  // by zero: unspecified; all ones, as the hardware gives
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
T extract(T a, u32 position, u32 length) {  // bfe
  constexpr u32 bits = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  u64 sign = 0;
  if constexpr (std::is_signed_v<T>) {
    if (length != 0) {
      const u32 top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
      sign = (static_cast<u64>(static_cast<Unsigned<T>>(a)) >> top) & 1u;
    }
  }
  u64 result = position < bits ? static_cast<u64>(static_cast<Unsigned<T>>(a)) >> position : 0;
  const u32 there = position < bits ? bits - position : 0;
  const u32 valid = length < there ? length : there;
  if (valid < 64) result &= (1ull << valid) - 1;
  if (sign && valid < 64) result |= ~0ull << valid;
  if (length == 0) result = 0;
  return static_cast<T>(result);
}
template <class T>
T insert(T a, T b, u32 position, u32 length) {  // bfi: a into b
  constexpr u32 bits = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (position >= bits || length == 0) return b;
  if (length > bits - position) length = bits - position;
  const T mask = length == bits ? ~T{0} : static_cast<T>(((T{1} << length) - 1) << position);
  return static_cast<T>((b & ~mask) | ((a << position) & mask));
}
template <class T, bool Full>
void insert_lanes(Context& c, const Inst& in) {
  const u32* list = c.lists + in.list;
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    put<T>(c.registers + list[0], i,
           insert<T>(get<T>(c.registers + list[1], i), get<T>(c.registers + list[2], i),
                     get<u32>(c.registers + list[3], i), get<u32>(c.registers + list[4], i)));
  }
}
template <class T>
u32 find_top(T a) {  // bfind
  u64 v = static_cast<u64>(static_cast<s64>(a));
  if constexpr (std::is_signed_v<T>) {
    if (a < 0) v = ~v;
  } else {
    v = static_cast<u64>(a);
  }
  return v == 0 ? 0xffffffffu : 63u - static_cast<u32>(__builtin_clzll(v));
}
inline s32 clamp32(s64 v) {
  return static_cast<s32>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}
u32 reverse(u32 a) {
  a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
  a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
  a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(a);
}
#define FOR_TYPE(T)                                                                       \
  lanes<[](T a, T b) -> T { return add<T>(a, b); }>("add " #T),                           \
      lanes<[](T a, T b) -> T { return sub<T>(a, b); }>("sub " #T),                       \
      lanes<[](T a, T b) -> T { return mul_lo<T>(a, b); }>("mul lo " #T),                 \
      lanes<[](T a, T b) -> T { return mul_hi<T>(a, b); }>("mul hi " #T),                 \
      lanes<[](T a, T b, T c) -> T { return add<T>(mul_lo<T>(a, b), c); }>("mad lo " #T), \
      lanes<[](T a, T b, T c) -> T { return add<T>(mul_hi<T>(a, b), c); }>("mad hi " #T), \
      lanes<[](T a, T b) -> T { return divide<T>(a, b); }>("div " #T),                    \
      lanes<[](T a, T b) -> T { return remainder<T>(a, b); }>("rem " #T),                 \
      lanes<[](T a, T b) -> T { return a < b ? a : b; }>("min " #T),                      \
      lanes<[](T a, T b) -> T { return (a > b ? a : b); }>("max " #T)
#define FOR_NARROW_TYPE(T)                                                                      \
  lanes<[](T a, T b) -> Wide<T> { return mul_wide<T>(a, b); }>("mul wide " #T),                 \
      lanes<[](T a, T b, Wide<T> c) -> Wide<T> { return add<Wide<T>>(mul_wide<T>(a, b), c); }>( \
          "mad wide " #T)
#define FOR_SIGNED_TYPE(T)                                 \
  lanes<[](T a) -> T { return sub<T>(0, a); }>("neg " #T), \
      lanes<[](T a) -> T { return a < 0 ? sub<T>(0, a) : a; }>("abs " #T)
#define FOR_WORD_TYPE(T)                                                                    \
  lanes<[](T a, u32 p, u32 n) -> T { return extract<T>(a, p, n); }>("bfe " #T),             \
      lanes<[](T a) -> u32 { return find_top<T>(a); }>("bfind " #T), lanes<[](T a) -> u32 { \
        const u32 top = find_top<T>(a);                                                     \
        return top == 0xffffffffu ? top : 8 * sizeof(T) - 1 - top;                          \
      }>("bfind shiftamt " #T)

const Row kRows[] = {
    FOR_TYPE(s32),
    FOR_TYPE(u32),
    FOR_TYPE(s64),
    FOR_TYPE(u64),
    FOR_TYPE(s16),
    FOR_TYPE(u16),
    FOR_NARROW_TYPE(s32),
    FOR_NARROW_TYPE(u32),
    FOR_NARROW_TYPE(s16),
    FOR_NARROW_TYPE(u16),
    FOR_SIGNED_TYPE(s32),
    FOR_SIGNED_TYPE(s64),
    FOR_SIGNED_TYPE(s16),
    FOR_WORD_TYPE(s32),
    FOR_WORD_TYPE(u32),
    FOR_WORD_TYPE(s64),
    FOR_WORD_TYPE(u64),
    lanes<[](s32 a, s32 b) -> s32 {
      const s64 v = static_cast<s64>(a) + b;
      return clamp32(v);
    }>("add sat s32"),
    lanes<[](s32 a, s32 b) -> s32 {
      const s64 v = static_cast<s64>(a) - b;
      return clamp32(v);
    }>("sub sat s32"),
    lanes<[](u32 a) -> u32 { return static_cast<u32>(__builtin_popcount(a)); }>("popc b32"),
    lanes<[](u64 a) -> u32 { return static_cast<u32>(__builtin_popcountll(a)); }>("popc b64"),
    lanes<[](u32 a) -> u32 { return a ? static_cast<u32>(__builtin_clz(a)) : 32u; }>("clz b32"),
    lanes<[](u64 a) -> u32 { return a ? static_cast<u32>(__builtin_clzll(a)) : 64u; }>("clz b64"),
    lanes<[](u32 a) -> u32 { return reverse(a); }>("brev b32"),
    lanes<[](u64 a) -> u64 {
      return static_cast<u64>(reverse(static_cast<u32>(a))) << 32 |
             reverse(static_cast<u32>(a >> 32));
    }>("brev b64"),
    Row{"bfi b32", "Rrrrr", &insert_lanes<u32, true>, &insert_lanes<u32, false>},
    Row{"bfi b64", "Lllrr", &insert_lanes<u64, true>, &insert_lanes<u64, false>},
};

}  // namespace

RowSpan integer_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
