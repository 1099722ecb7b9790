// cvt among integers, and between integers and reals; among reals: rows_narrow.cpp.
#include <utility>

#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

enum class ToInteger { nearest, zero, down, up };

template <ToInteger R>
f64 round_whole(f64 a) {
  if constexpr (R == ToInteger::nearest) return __builtin_rint(a);
  if constexpr (R == ToInteger::zero) return __builtin_trunc(a);
  if constexpr (R == ToInteger::down) return __builtin_floor(a);
  return __builtin_ceil(a);
}
template <class T>
struct Limits {
  static constexpr T max = std::is_signed_v<T>
                               ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(~0ull) >> 1)
                               : static_cast<T>(~0ull);
  static constexpr T min = std::is_signed_v<T> ? static_cast<T>(-max - 1) : T{0};
};
// Saturates; NaN becomes 0.
template <class T, ToInteger R>
T to_integer(f64 a) {
  if (a != a) return 0;
  const f64 r = round_whole<R>(a);
  if (r >= static_cast<f64>(Limits<T>::max)) return Limits<T>::max;
  if (r <= static_cast<f64>(Limits<T>::min)) return Limits<T>::min;
  return static_cast<T>(r);
}
template <class D, class S>
D saturated(S a) {
  if (std::cmp_greater(a, Limits<D>::max)) return Limits<D>::max;
  if (std::cmp_less(a, Limits<D>::min)) return Limits<D>::min;
  return static_cast<D>(a);
}
// With at most 53 significant bits, the last of which says whether any were cut off: a second
// rounding to fewer bits is right.
template <class T>
f64 whole_to_odd(T a) {
  if constexpr (sizeof(T) < 8) return static_cast<f64>(a);
  const bool negative = a < 0;
  u64 magnitude = negative ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a);
  if (magnitude >> 53) {
    const int shift = 11 - __builtin_clzll(magnitude);
    const u64 rest = magnitude & ((1ull << shift) - 1);
    magnitude = (magnitude >> shift | (rest != 0 ? 1u : 0u)) << shift;
  }
  return negative ? -static_cast<f64>(magnitude) : static_cast<f64>(magnitude);
}
inline u16 to_half(f64 a, Rounding mode) {
  return float_to_half(static_cast<f32>(round_real<10, -14, 15>(a, mode)));
}
inline u16 to_brain(f64 a, Rounding mode) {
  return float_to_bfloat(static_cast<f32>(round_real<7, -126, 127>(a, mode)));
}
template <class D>
struct Register {  // what a narrow result becomes in a 32- or 64-bit register
  using Word = std::conditional_t<std::is_signed_v<D>, s32, u32>;
  using Wide = std::conditional_t<std::is_signed_v<D>, s64, u64>;
};

// A result narrower than its register is extended by its own sign.
#define INTO64(how, F, D, S, s)                                                                \
  lanes_as<[](S a) -> u64 { return static_cast<u64>(static_cast<Register<D>::Wide>(F(a))); }>( \
      "cvt " how #D " " #S, "L" s)
#define INTO32(how, F, D, S, s)                                                                \
  lanes_as<[](S a) -> u32 { return static_cast<u32>(static_cast<Register<D>::Word>(F(a))); }>( \
      "cvt " how #D " " #S, "R" s),                                                            \
      INTO64(how, F, D, S, s)
#define INTO16(how, F, D, S, s)                                                             \
  lanes_as<[](S a) -> u16 { return static_cast<u16>(F(a)); }>("cvt " how #D " " #S, "H" s), \
      INTO32(how, F, D, S, s)
#define WHOLE(INTO, D, S, s) \
  INTO("", static_cast<D>, D, S, s), INTO("sat ", (saturated<D, S>), D, S, s)
#define WHOLE_FROM(S, s)                                                            \
  WHOLE(INTO16, u8, S, s), WHOLE(INTO16, s8, S, s), WHOLE(INTO16, u16, S, s),       \
      WHOLE(INTO16, s16, S, s), WHOLE(INTO32, u32, S, s), WHOLE(INTO32, s32, S, s), \
      WHOLE(INTO64, u64, S, s), WHOLE(INTO64, s64, S, s)

#define REALS_FROM(S, s, mode, host, rounding)                                               \
  Row{"cvt " mode " f32 " #S,                                                                \
      "F" s,                                                                                 \
      &in_mode<&Lanes<kToF32<S>, f32 (*)(S)>::full, host>,                                   \
      &in_mode<&Lanes<kToF32<S>, f32 (*)(S)>::masked, host>,                                 \
      RowKind::plain,                                                                        \
      0},                                                                                    \
      Row{"cvt " mode " f64 " #S,                                                            \
          "D" s,                                                                             \
          &in_mode<&Lanes<kToF64<S>, f64 (*)(S)>::full, host>,                               \
          &in_mode<&Lanes<kToF64<S>, f64 (*)(S)>::masked, host>,                             \
          RowKind::plain,                                                                    \
          0},                                                                                \
      lanes_as<[](S a) -> u16 { return to_half(whole_to_odd(a), rounding); }>(               \
          "cvt " mode " f16 " #S, "H" s),                                                    \
      lanes_as<[](S a) -> u16 { return to_brain(whole_to_odd(a), rounding); }>(              \
          "cvt " mode " bf16 " #S, "H" s),                                                   \
      lanes_as<[](S a) -> f32 { return (a > 0 ? 1.0f : 0.0f); }>("cvt " mode " sat f32 " #S, \
                                                                 "F" s)
#define REAL_FROM(S, s)                                      \
  REALS_FROM(S, s, "rn", FE_TONEAREST, Rounding::nearest),   \
      REALS_FROM(S, s, "rz", FE_TOWARDZERO, Rounding::zero), \
      REALS_FROM(S, s, "rm", FE_DOWNWARD, Rounding::down),   \
      REALS_FROM(S, s, "rp", FE_UPWARD, Rounding::up)
template <class S>
constexpr auto kToF32 = [](S a) -> f32 { return converted<f32>(a); };
template <class S>
constexpr auto kToF64 = [](S a) -> f64 { return converted<f64>(a); };

#define TO_WHOLE(D, d, mode, R)                                                                    \
  lanes_as<[](f32 a) -> D { return to_integer<D, R>(a); }>("cvt " mode " sat? " #D " f32", d "f"), \
      lanes_as<[](f32 a) -> D { return to_integer<D, R>(flush(a)); }>(                             \
          "cvt " mode " ftz sat? " #D " f32", d "f"),                                              \
      lanes_as<[](f64 a) -> D { return to_integer<D, R>(a); }>("cvt " mode " sat? " #D " f64",     \
                                                               d "d"),                             \
      lanes_as<[](Half a) -> D { return to_integer<D, R>(half_to_float(a.bits)); }>(               \
          "cvt " mode " ftz? sat? " #D " f16", d "h"),                                             \
      lanes_as<[](u16 a) -> D { return to_integer<D, R>(bfloat_to_float(a)); }>(                   \
          "cvt " mode " sat? " #D " bf16", d "h")
// Narrower than the register it goes to.
#define TO_NARROW(D, mode, R)                                                         \
  lanes_as<[](f32 a) -> u32 {                                                         \
    return static_cast<u32>(static_cast<Register<D>::Word>(to_integer<D, R>(a)));     \
  }>("cvt " mode " ftz? sat? " #D " f32", "Rf"),                                      \
      lanes_as<[](f64 a) -> u32 {                                                     \
        return static_cast<u32>(static_cast<Register<D>::Word>(to_integer<D, R>(a))); \
      }>("cvt " mode " sat? " #D " f64", "Rd"),                                       \
      lanes_as<[](Half a) -> u32 {                                                    \
        return static_cast<u32>(                                                      \
            static_cast<Register<D>::Word>(to_integer<D, R>(half_to_float(a.bits)))); \
      }>("cvt " mode " ftz? sat? " #D " f16", "Rh")
#define ROUNDED(mode, R)                                                                           \
  TO_WHOLE(s32, "R", mode, R), TO_WHOLE(u32, "R", mode, R), TO_WHOLE(s64, "L", mode, R),           \
      TO_WHOLE(u64, "L", mode, R), TO_WHOLE(s16, "H", mode, R), TO_WHOLE(u16, "H", mode, R),       \
      TO_WHOLE(s8, "H", mode, R), TO_WHOLE(u8, "H", mode, R), TO_NARROW(s8, mode, R),              \
      TO_NARROW(u8, mode, R), TO_NARROW(s16, mode, R), TO_NARROW(u16, mode, R),                    \
      lanes<[](f32 a) -> f32 { return static_cast<f32>(round_whole<R>(a)); }>("cvt " mode          \
                                                                              " f32 f32"),         \
      lanes<[](f32 a) -> f32 { return static_cast<f32>(round_whole<R>(flush(a))); }>(              \
          "cvt " mode " ftz f32 f32"),                                                             \
      lanes<[](f32 a) -> f32 { return saturate(static_cast<f32>(round_whole<R>(a))); }>(           \
          "cvt " mode " ftz? sat f32 f32"),                                                        \
      lanes<[](f64 a) -> f64 { return round_whole<R>(a); }>("cvt " mode " f64 f64"),               \
      lanes<[](f64 a) -> f64 { return saturate(round_whole<R>(a)); }>("cvt " mode " sat f64 f64"), \
      lanes<[](Half a) -> Half {                                                                   \
        return Half{float_to_half(static_cast<f32>(round_whole<R>(half_to_float(a.bits))))};       \
      }>("cvt " mode " ftz? f16 f16"),                                                             \
      lanes<[](u16 a) -> u16 {                                                                     \
        return float_to_bfloat(static_cast<f32>(round_whole<R>(bfloat_to_float(a))));              \
      }>("cvt " mode " bf16 bf16")

const Row kRows[] = {
    WHOLE_FROM(u8, "z"),
    WHOLE_FROM(s8, "z"),
    WHOLE_FROM(u16, "z"),
    WHOLE_FROM(s16, "z"),
    WHOLE_FROM(u32, "r"),
    WHOLE_FROM(s32, "r"),
    WHOLE_FROM(u64, "l"),
    WHOLE_FROM(s64, "l"),
    REAL_FROM(u8, "z"),
    REAL_FROM(s8, "z"),
    REAL_FROM(u16, "z"),
    REAL_FROM(s16, "z"),
    REAL_FROM(u32, "r"),
    REAL_FROM(s32, "r"),
    REAL_FROM(u64, "l"),
    REAL_FROM(s64, "l"),
    ROUNDED("rni", ToInteger::nearest),
    ROUNDED("rzi", ToInteger::zero),
    ROUNDED("rmi", ToInteger::down),
    ROUNDED("rpi", ToInteger::up),
};

}  // namespace

RowSpan convert_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
