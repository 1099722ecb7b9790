// Comparisons of setp and set: the condition is a lambda on one lane's values, the results of 32
// lanes are a mask of bits.
#pragma once
#include "emulator/isa/reals.h"

namespace tilescope::emulator::TILESCOPE_ISA {

struct Half2 {  // two f16 in a register; compared half by half
  u32 bits;
};
struct Brain {  // bf16
  u16 bits;
};
struct Brain2 {
  u32 bits;
};

inline f32 real_of(f32 a) { return a; }
inline f64 real_of(f64 a) { return a; }
inline f32 real_of(Half a) { return half_to_float(a.bits); }
inline f32 real_of(Brain a) { return bfloat_to_float(a.bits); }
template <class T>
requires std::is_integral_v<T> T real_of(T a) { return a; }
template <class T>
inline constexpr bool is_pair = std::is_same_v<T, Half2> || std::is_same_v<T, Brain2>;

template <class T>
T read_operand(const std::byte* slot, int lane) {
  if constexpr (std::is_same_v<T, Brain>) {
    return Brain{get<u16>(slot, lane)};
  } else {
    return get<T>(slot, lane);
  }
}

/// Bits of the lanes for which F(a, b) holds; of the high halves, if T is a pair and High is set.
template <class T, auto F, bool Ftz, bool High = false>
__attribute__((noinline)) u32 compare_bits(const std::byte* a, const std::byte* b) {
  alignas(32) u32 words[32];
  for (int i = 0; i < 32; ++i) {
    if constexpr (is_pair<T>) {
      using Single = std::conditional_t<std::is_same_v<T, Half2>, Half, Brain>;
      const u32 shift = High ? 16 : 0;
      const Single x{static_cast<u16>(get<u32>(a, i) >> shift)};
      const Single y{static_cast<u16>(get<u32>(b, i) >> shift)};
      words[i] = F(real_of(x), real_of(y)) ? 0xffffffffu : 0u;
    } else {
      auto x = real_of(read_operand<T>(a, i)), y = real_of(read_operand<T>(b, i));
      if constexpr (Ftz) x = flush(x), y = flush(y);
      words[i] = F(x, y) ? 0xffffffffu : 0u;
    }
  }
  return pack_bits(words);
}

enum class Combine { none, both, either, one };  // .and, .or, .xor with a third predicate

template <Combine How>
u32 combined(u32 bits, u32 with) {
  if constexpr (How == Combine::both) return bits & with;
  if constexpr (How == Combine::either) return bits | with;
  if constexpr (How == Combine::one) return bits ^ with;
  return bits;
}

inline void put_predicate(Context& c, u32 index, u32 bits) {
  u32& p = c.predicates[index];
  p = (p & ~c.mask) | (bits & c.mask);
}

/// p|q, a, b[, c]: q has the opposite of the comparison, or the one of a pair's high halves.
template <class T, auto F, bool Ftz, Combine How>
void set_predicates(Context& c, const Inst& in) {
  const u32* r = How == Combine::none ? in.r : c.lists + in.list;
  const u32 with = How == Combine::none ? 0 : c.predicates[r[4]];
  const u32 p = compare_bits<T, F, Ftz>(c.registers + r[2], c.registers + r[3]);
  u32 q = ~p;
  if constexpr (is_pair<T>) {
    q = compare_bits<T, F, Ftz, true>(c.registers + r[2], c.registers + r[3]);
  }
  put_predicate(c, r[0], combined<How>(p, with));
  put_predicate(c, r[1], combined<How>(q, with));
}

/// `yes` in the lanes of `low`, and shifted up to the other half in those of `high`.
inline __attribute__((noinline)) void put_selected(Context& c, u32 slot, u32 low, u32 high,
                                                   u32 yes) {
  for (u32 i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    put<u32>(c.registers + slot, static_cast<int>(i),
             ((low >> i) & 1u ? yes : 0u) | ((high >> i) & 1u ? yes << 16 : 0u));
  }
}

/// `set`: True is what it writes where the comparison holds.
template <class T, auto F, bool Ftz, u32 True, Combine How>
void set_register(Context& c, const Inst& in) {
  const u32 with = How == Combine::none ? 0 : c.predicates[in.r[3]];
  const std::byte *a = c.registers + in.r[1], *b = c.registers + in.r[2];
  const u32 low = combined<How>(compare_bits<T, F, Ftz>(a, b), with);
  u32 high = 0;
  if constexpr (is_pair<T>) high = combined<How>(compare_bits<T, F, Ftz, true>(a, b), with);
  put_selected(c, in.r[0], low, high, True);
}

constexpr Row compare_row(const char* pattern, const char* operands, Handler handler) {
  return Row{pattern, operands, handler, handler, RowKind::plain, 0};
}

/// Conditions over any pair of values: `ne` is true only for ordered ones, `neu` also for NaN.
struct Conditions {
  template <class T>
  static bool unordered(T a, T b) {
    return a != a || b != b;
  }
  static constexpr auto eq = [](auto a, auto b) { return a == b; };
  static constexpr auto ne = [](auto a, auto b) { return (a != b) & !unordered(a, b); };
  static constexpr auto lt = [](auto a, auto b) { return a < b; };
  static constexpr auto le = [](auto a, auto b) { return a <= b; };
  static constexpr auto gt = [](auto a, auto b) { return a > b; };
  static constexpr auto ge = [](auto a, auto b) { return a >= b; };
  static constexpr auto equ = [](auto a, auto b) { return (a == b) | unordered(a, b); };
  static constexpr auto neu = [](auto a, auto b) { return a != b; };
  static constexpr auto ltu = [](auto a, auto b) { return !(a >= b); };
  static constexpr auto leu = [](auto a, auto b) { return !(a > b); };
  static constexpr auto gtu = [](auto a, auto b) { return !(a <= b); };
  static constexpr auto geu = [](auto a, auto b) { return !(a < b); };
  static constexpr auto num = [](auto a, auto b) { return !unordered(a, b); };
  static constexpr auto nan = [](auto a, auto b) { return unordered(a, b); };
};

#define TILESCOPE_INTEGER_CONDITIONS(ROW, ...)                                              \
  ROW("eq", Conditions::eq, __VA_ARGS__), ROW("ne", Conditions::neu, __VA_ARGS__),          \
      ROW("lt|lo", Conditions::lt, __VA_ARGS__), ROW("le|ls", Conditions::le, __VA_ARGS__), \
      ROW("gt|hi", Conditions::gt, __VA_ARGS__), ROW("ge|hs", Conditions::ge, __VA_ARGS__)
#define TILESCOPE_REAL_CONDITIONS(ROW, ...)                                               \
  ROW("eq", Conditions::eq, __VA_ARGS__), ROW("ne", Conditions::ne, __VA_ARGS__),         \
      ROW("lt", Conditions::lt, __VA_ARGS__), ROW("le", Conditions::le, __VA_ARGS__),     \
      ROW("gt", Conditions::gt, __VA_ARGS__), ROW("ge", Conditions::ge, __VA_ARGS__),     \
      ROW("equ", Conditions::equ, __VA_ARGS__), ROW("neu", Conditions::neu, __VA_ARGS__), \
      ROW("ltu", Conditions::ltu, __VA_ARGS__), ROW("leu", Conditions::leu, __VA_ARGS__), \
      ROW("gtu", Conditions::gtu, __VA_ARGS__), ROW("geu", Conditions::geu, __VA_ARGS__), \
      ROW("num", Conditions::num, __VA_ARGS__), ROW("nan", Conditions::nan, __VA_ARGS__)

}  // namespace tilescope::emulator::TILESCOPE_ISA
