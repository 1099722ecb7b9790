// cvt between integers, reals and the 16-bit reals.
#include "emulator/isa/lanes.h"
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
  const s64 v = static_cast<s64>(a);
  if (v > static_cast<s64>(Limits<D>::max)) return Limits<D>::max;
  if (v < static_cast<s64>(Limits<D>::min)) return Limits<D>::min;
  return static_cast<D>(v);
}
inline f32 flush(f32 a) {
  const u32 bits = float_bits(a);
  return bits_float((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
inline f32 saturate(f32 a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }  // NaN → 0
inline u16 half_to_zero(f32 f) {  // f16, rounded towards zero
  const u16 h = float_to_half(f);
  const f32 back = half_to_float(h);
  if (__builtin_fabsf(back) > __builtin_fabsf(f) && f == f) return static_cast<u16>(h - 1);
  return h;
}
inline u16 double_to_half(f64 a) {  // to odd on the way: see rows_half.cpp
  f32 f = static_cast<f32>(a);
  if (static_cast<f64>(f) != a && a == a && !__builtin_isinf(f)) {
    u32 bits = float_bits(f);
    if (__builtin_fabs(static_cast<f64>(f)) > __builtin_fabs(a)) --bits;
    f = bits_float(bits | 1u);
  }
  return float_to_half(f);
}
template <bool Up, bool Down>
f32 narrow_directed(f64 a) {
  f32 f = static_cast<f32>(a);
  if (a != a || __builtin_isinf(a)) return f;
  const bool toward_zero = !Up && !Down;
  if (static_cast<f64>(f) > a && (Down || (toward_zero && a > 0))) {
    f = __builtin_nextafterf(f, -__builtin_inff());
  } else if (static_cast<f64>(f) < a && (Up || (toward_zero && a < 0))) {
    f = __builtin_nextafterf(f, __builtin_inff());
  }
  return f;
}
inline u32 tf32_away(f32 a) {  // nearest, halves away from zero; drops 13 bits
  const u32 x = float_bits(a);
  if ((x & 0x7f800000u) == 0x7f800000u) return x;
  return (x + 0x1000u) & 0xffffe000u;
}
inline u32 tf32_even(f32 a) {
  const u32 x = float_bits(a);
  if ((x & 0x7f800000u) == 0x7f800000u) return x;
  return (x + 0xfffu + ((x >> 13) & 1u)) & 0xffffe000u;
}

#define WHOLE(D, S)                                                     \
  lanes_as<[](S a) -> D { return static_cast<D>(a); }>(                 \
      "cvt " #D " " #S, sizeof(D) == 8   ? sizeof(S) == 8 ? "Ll" : "Lz" \
                        : sizeof(S) == 8 ? "Zl"                         \
                                         : "Zz")
#define WHOLE_FROM(S)                                                                     \
  WHOLE(u8, S), WHOLE(s8, S), WHOLE(u16, S), WHOLE(s16, S), WHOLE(u32, S), WHOLE(s32, S), \
      WHOLE(u64, S), WHOLE(s64, S)
#define SATURATED(D, S)                                                       \
  lanes_as<[](S a) -> D { return saturated<D, S>(a); }>("cvt sat " #D " " #S, \
                                                        sizeof(S) == 8 ? "Zl" : "Zz")
#define REAL_FROM(S, letter)                                                                  \
  lanes_as<[](S a) -> f32 { return static_cast<f32>(a); }>("cvt rn f32 " #S, "F" letter),     \
      lanes_as<[](S a) -> f64 { return static_cast<f64>(a); }>("cvt rn f64 " #S, "D" letter), \
      lanes_as<[](S a) -> Half { return Half{double_to_half(static_cast<f64>(a))}; }>(        \
          "cvt rn f16 " #S, "H" letter)
#define TO_WHOLE(D, letter, mode, R)                                                           \
  lanes_as<[](f32 a) -> D { return to_integer<D, R>(a); }>("cvt " mode " sat? " #D " f32",     \
                                                           letter "f"),                        \
      lanes_as<[](f32 a) -> D { return to_integer<D, R>(flush(a)); }>(                         \
          "cvt " mode " ftz sat? " #D " f32", letter "f"),                                     \
      lanes_as<[](f64 a) -> D { return to_integer<D, R>(a); }>("cvt " mode " sat? " #D " f64", \
                                                               letter "d"),                    \
      lanes_as<[](Half a) -> D { return to_integer<D, R>(half_to_float(a.bits)); }>(           \
          "cvt " mode " sat? " #D " f16", letter "h")
#define ROUNDED(mode, R)                                                                     \
  TO_WHOLE(s32, "R", mode, R), TO_WHOLE(u32, "R", mode, R), TO_WHOLE(s64, "L", mode, R),     \
      TO_WHOLE(u64, "L", mode, R), TO_WHOLE(s16, "H", mode, R), TO_WHOLE(u16, "H", mode, R), \
      lanes<[](f32 a) -> f32 { return static_cast<f32>(round_whole<R>(a)); }>("cvt " mode    \
                                                                              " f32 f32"),   \
      lanes<[](f32 a) -> f32 { return static_cast<f32>(round_whole<R>(flush(a))); }>(        \
          "cvt " mode " ftz f32 f32"),                                                       \
      lanes<[](f64 a) -> f64 { return round_whole<R>(a); }>("cvt " mode " f64 f64"),         \
      lanes<[](Half a) -> Half {                                                             \
        return Half{float_to_half(static_cast<f32>(round_whole<R>(half_to_float(a.bits))))}; \
      }>("cvt " mode " f16 f16")

const Row kRows[] = {
    WHOLE_FROM(u8),
    WHOLE_FROM(s8),
    WHOLE_FROM(u16),
    WHOLE_FROM(s16),
    WHOLE_FROM(u32),
    WHOLE_FROM(s32),
    WHOLE_FROM(u64),
    WHOLE_FROM(s64),
    SATURATED(u8, s32),
    SATURATED(s8, s32),
    SATURATED(u8, u32),
    SATURATED(s16, s32),
    SATURATED(u16, s32),
    SATURATED(s32, s64),
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
    lanes<[](f64 a) -> f32 { return static_cast<f32>(a); }>("cvt rn f32 f64"),
    lanes<[](f64 a) -> f32 { return flush(static_cast<f32>(a)); }>("cvt rn ftz f32 f64"),
    lanes<[](f64 a) -> f32 { return narrow_directed<false, false>(a); }>("cvt rz f32 f64"),
    lanes<[](f64 a) -> f32 { return narrow_directed<false, true>(a); }>("cvt rm f32 f64"),
    lanes<[](f64 a) -> f32 { return narrow_directed<true, false>(a); }>("cvt rp f32 f64"),
    lanes<[](f32 a) -> f64 { return a; }>("cvt f64 f32"),
    lanes<[](f32 a) -> f64 { return flush(a); }>("cvt ftz f64 f32"),
    lanes<[](f32 a) -> f32 { return saturate(a); }>("cvt ftz? sat f32 f32"),
    lanes<[](f32 a) -> f32 { return flush(a); }>("cvt ftz f32 f32"),
    lanes<[](f32 a) -> Half { return Half{float_to_half(a)}; }>("cvt rn ftz? f16 f32"),
    lanes<[](f32 a) -> Half { return Half{half_to_zero(a)}; }>("cvt rz ftz? f16 f32"),
    lanes<[](f64 a) -> Half { return Half{double_to_half(a)}; }>("cvt rn f16 f64"),
    lanes<[](Half a) -> f32 { return half_to_float(a.bits); }>("cvt ftz? f32 f16"),
    lanes<[](Half a) -> f64 { return half_to_float(a.bits); }>("cvt f64 f16"),
    lanes<[](f32 a) -> u16 { return float_to_bfloat(a); }>("cvt rn bf16 f32"),
    lanes<[](u16 a) -> f32 { return bfloat_to_float(a); }>("cvt f32 bf16"),
    lanes<[](f32 a) -> u32 { return tf32_away(a); }>("cvt rna tf32 f32"),
    lanes<[](f32 a) -> u32 { return tf32_even(a); }>("cvt rn tf32 f32"),
    lanes<[](f32 a, f32 b) -> u32 {
      return static_cast<u32>(float_to_half(a)) << 16 | float_to_half(b);
    }>("cvt rn f16x2 f32"),
    lanes<[](f32 a, f32 b) -> u32 {
      return static_cast<u32>(float_to_bfloat(a)) << 16 | float_to_bfloat(b);
    }>("cvt rn bf16x2 f32"),
};

}  // namespace

RowSpan convert_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
