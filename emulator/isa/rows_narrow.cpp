// cvt among reals: f64, f32, tf32, f16, bf16, e4m3, e5m2 and pairs of them; cvt.pack of integers.
#include "emulator/isa/matrix_elements.h"
#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

inline u16 to_half(f64 a, Rounding mode) {
  if (a != a) return 0x7fff;
  return float_to_half(static_cast<f32>(round_real<10, -14, 15>(a, mode)));
}
inline u16 to_brain(f64 a, Rounding mode) {
  if (a != a) return 0x7fff;
  return float_to_bfloat(static_cast<f32>(round_real<7, -126, 127>(a, mode)));
}
inline f64 rectified(f64 a) { return a < 0 || (a == 0 && __builtin_signbit(a)) ? 0.0 : a; }
inline f64 within(f64 a, f64 largest) {  // .satfinite; a NaN stays
  return a > largest ? largest : a < -largest ? -largest : a;
}
constexpr f64 kLargestHalf = 65504, kLargestBrain = 0x1.fep127;

// tf32: 13 low bits of an f32 dropped. .rna: halves away from zero.
inline u32 to_tf32(f64 a, Rounding mode) {
  if (a != a) return 0x7fffffff;
  return float_bits(static_cast<f32>(round_real<10, -126, 127>(a, mode)));
}
inline u32 tf32_away(f32 a) {
  const u32 x = float_bits(a);
  if ((x & 0x7f800000u) == 0x7f800000u) return a != a ? 0x7fffffffu : x;
  return (x + 0x1000u) & 0xffffe000u;
}

/// An 8-bit real of Mantissa bits, the smallest normal 2^Lowest; always saturated.
template <int Mantissa, int Lowest, int Highest>
u32 to_real8(f64 a, f64 largest, u32 nan) {
  if (a != a) return nan;
  const u32 sign = __builtin_signbit(a) ? 0x80u : 0u;
  const f64 m =
      __builtin_fabs(within(round_real<Mantissa, Lowest, Highest>(a, Rounding::nearest), largest));
  const u32 steps = static_cast<u32>(__builtin_ldexp(m, Mantissa - Lowest));  // of subnormals
  if (steps < (1u << Mantissa)) return sign | steps;
  int exponent = 0;
  const f64 fraction =
      __builtin_frexp(m, &exponent) * 2 - 1;  // m = (1 + fraction) · 2^(exponent-1)
  return sign | static_cast<u32>(exponent - Lowest) << Mantissa |
         static_cast<u32>(__builtin_ldexp(fraction, Mantissa));
}
inline u32 to_e4m3(f64 a) { return to_real8<3, -6, 8>(a, 448, 0x7f); }
inline u32 to_e5m2(f64 a) { return to_real8<2, -14, 15>(a, 57344, 0x7f); }
inline f64 half(u32 h) { return half_to_float(static_cast<u16>(h)); }

template <s32 Low, s32 High>
u32 packed(s32 a) {
  return static_cast<u32>(a < Low ? Low : a > High ? High : a);
}

// name: the mode; its `rounding` of an f64 source that is exact.
#define FROM_F64(mode, rounding)                                                                   \
  lanes<[](f64 a) -> u16 { return to_half(a, rounding); }>("cvt " mode " f16 f64"),                \
      lanes<[](f64 a) -> u16 { return to_half(saturate(a), rounding); }>("cvt " mode               \
                                                                         " sat f16 f64"),          \
      lanes<[](f64 a) -> u16 { return to_brain(a, rounding); }>("cvt " mode " bf16 f64"),          \
      lanes<[](f32 a) -> u16 { return to_half(a, rounding); }>("cvt " mode " f16 f32"),            \
      lanes<[](f32 a) -> u16 { return to_half(flush(a), rounding); }>("cvt " mode " ftz f16 f32"), \
      lanes<[](f32 a) -> u16 { return to_half(saturate(a), rounding); }>("cvt " mode               \
                                                                         " ftz? sat f16 f32"),     \
      lanes<[](f32 a) -> u16 { return to_half(rectified(a), rounding); }>("cvt " mode              \
                                                                          " relu f16 f32"),        \
      lanes<[](f32 a) -> u16 { return to_half(within(a, kLargestHalf), rounding); }>(              \
          "cvt " mode " satfinite f16 f32"),                                                       \
      lanes<[](f32 a) -> u16 { return to_half(within(rectified(a), kLargestHalf), rounding); }>(   \
          "cvt " mode " relu satfinite f16 f32"),                                                  \
      lanes<[](f32 a) -> u16 { return to_brain(a, rounding); }>("cvt " mode " bf16 f32"),          \
      lanes<[](f32 a) -> u16 { return to_brain(flush(a), rounding); }>("cvt " mode                 \
                                                                       " ftz bf16 f32"),           \
      lanes<[](f32 a) -> u16 { return to_brain(rectified(a), rounding); }>("cvt " mode             \
                                                                           " relu bf16 f32"),      \
      lanes<[](f32 a) -> u16 { return to_brain(within(a, kLargestBrain), rounding); }>(            \
          "cvt " mode " satfinite bf16 f32"),                                                      \
      lanes<[](f32 a) -> u16 { return to_brain(within(rectified(a), kLargestBrain), rounding); }>( \
          "cvt " mode " relu satfinite bf16 f32"),                                                 \
      lanes<[](Half a) -> u16 { return to_brain(half(a.bits), rounding); }>("cvt " mode            \
                                                                            " bf16 f16"),          \
      lanes<[](u16 a) -> u16 { return to_half(bfloat_to_float(a), rounding); }>("cvt " mode        \
                                                                                " f16 bf16")
// Two f32 into a pair, the first into the upper half.
#define PAIR(mode, rounding, words, before)                                                     \
  lanes<[](f32 a, f32 b) -> u32 {                                                               \
    const auto f = [](f64 v) { return u32{to_half(before(v, kLargestHalf), rounding)}; };       \
    return f(a) << 16 | f(b);                                                                   \
  }>("cvt " mode " " words "f16x2 f32"),                                                        \
      lanes<[](f32 a, f32 b) -> u32 {                                                           \
        const auto f = [](f64 v) { return u32{to_brain(before(v, kLargestBrain), rounding)}; }; \
        return f(a) << 16 | f(b);                                                               \
      }>("cvt " mode " " words "bf16x2 f32")
#define PAIRS(mode, rounding)                                           \
  PAIR(mode, rounding, "", as_is), PAIR(mode, rounding, "relu ", relu), \
      PAIR(mode, rounding, "satfinite ", within),                       \
      PAIR(mode, rounding, "relu satfinite ", relu_within)
inline f64 as_is(f64 a, f64) { return a; }
inline f64 relu(f64 a, f64) { return rectified(a); }
inline f64 relu_within(f64 a, f64 largest) { return within(rectified(a), largest); }

#define REAL8(F, T, name)                                                                       \
  lanes<[](f32 a, f32 b) -> u16 { return static_cast<u16>(F(a) << 8 | F(b)); }>(                \
      "cvt rn satfinite " name " f32"),                                                         \
      lanes<[](f32 a, f32 b) -> u16 {                                                           \
        return static_cast<u16>(F(rectified(a)) << 8 | F(rectified(b)));                        \
      }>("cvt rn satfinite relu " name " f32"),                                                 \
      lanes<[](u32 a) -> u16 { return static_cast<u16>(F(half(a >> 16)) << 8 | F(half(a))); }>( \
          "cvt rn satfinite " name " f16x2"),                                                   \
      lanes<[](u32 a) -> u16 {                                                                  \
        return static_cast<u16>(F(rectified(half(a >> 16))) << 8 | F(rectified(half(a))));      \
      }>("cvt rn satfinite relu " name " f16x2"),                                               \
      lanes<[](u16 a) -> u32 {                                                                  \
        return u32{to_half(T::widen(a >> 8), Rounding::nearest)} << 16 |                        \
               to_half(T::widen(a & 255u), Rounding::nearest);                                  \
      }>("cvt rn f16x2 " name),                                                                 \
      lanes<[](u16 a) -> u32 {                                                                  \
        return u32{to_half(rectified(T::widen(a >> 8)), Rounding::nearest)} << 16 |             \
               to_half(rectified(T::widen(a & 255u)), Rounding::nearest);                       \
      }>("cvt rn relu f16x2 " name)
#define TF32(mode, rounding)                                                                 \
  lanes<[](f32 a) -> u32 { return to_tf32(a, rounding); }>("cvt " mode " tf32 f32"),         \
      lanes<[](f32 a) -> u32 { return to_tf32(rectified(a), rounding); }>("cvt " mode        \
                                                                          " relu tf32 f32"), \
      lanes<[](f32 a) -> u32 { return to_tf32(within(a, 0x1.ffcp127), rounding); }>(         \
          "cvt " mode " satfinite tf32 f32")
#define F64_TO_F32(mode, host)                                                                    \
  lanes_rounded<[](f64 a) -> f32 { return converted<f32>(a); }, host>("cvt " mode " f32 f64"),    \
      lanes_rounded<[](f64 a) -> f32 { return flush(converted<f32>(a)); }, host>("cvt " mode      \
                                                                                 " ftz f32 f64"), \
      lanes_rounded<[](f64 a) -> f32 { return converted<f32>(saturate(a)); }, host>(              \
          "cvt " mode " ftz? sat f32 f64")
#define PACK16(D, low, high)                                              \
  lanes<[](s32 a, s32 b) -> u32 {                                         \
    return packed<low, high>(a) << 16 | (packed<low, high>(b) & 0xffffu); \
  }>("cvt pack sat " D " s32")
#define PACK(D, bits, low, high)                                     \
  lanes<[](s32 a, s32 b, u32 c) -> u32 {                             \
    constexpr u32 mask = (1u << bits) - 1;                           \
    return c << (2 * bits) | (packed<low, high>(a) & mask) << bits | \
           (packed<low, high>(b) & mask);                            \
  }>("cvt pack sat " D " s32 b32")

const Row kRows[] = {
    // Without a rounding, as ptxas takes them: to nearest.
    lanes<[](Half a) -> u16 { return to_brain(half(a.bits), Rounding::nearest); }>("cvt bf16 f16"),
    lanes<[](u16 a) -> u16 { return to_half(bfloat_to_float(a), Rounding::nearest); }>(
        "cvt f16 bf16"),
    F64_TO_F32("rn", FE_TONEAREST),
    F64_TO_F32("rz", FE_TOWARDZERO),
    F64_TO_F32("rm", FE_DOWNWARD),
    F64_TO_F32("rp", FE_UPWARD),
    FROM_F64("rn", Rounding::nearest),
    FROM_F64("rz", Rounding::zero),
    FROM_F64("rm", Rounding::down),
    FROM_F64("rp", Rounding::up),
    PAIRS("rn", Rounding::nearest),
    PAIRS("rz", Rounding::zero),
    TF32("rn", Rounding::nearest),
    TF32("rz", Rounding::zero),
    lanes<[](f32 a) -> u32 { return tf32_away(a); }>("cvt rna tf32 f32"),
    lanes<[](f32 a) -> u32 { return tf32_away(static_cast<f32>(within(a, 0x1.ffcp127))); }>(
        "cvt rna satfinite tf32 f32"),
    REAL8(to_e4m3, E4m3, "e4m3x2"),
    REAL8(to_e5m2, E5m2, "e5m2x2"),
    // Widening, and values that keep their type.
    lanes<[](f32 a) -> f64 { return a; }>("cvt f64 f32"),
    lanes<[](f32 a) -> f64 { return flush(a); }>("cvt ftz f64 f32"),
    lanes<[](f32 a) -> f64 { return saturate(a); }>("cvt ftz? sat f64 f32"),
    lanes<[](f32 a) -> f32 { return a; }>("cvt f32 f32"),
    lanes<[](f32 a) -> f32 { return saturate(a); }>("cvt sat f32 f32"),
    lanes<[](f32 a) -> f32 { return saturate(flush(a)); }>("cvt ftz sat f32 f32"),
    lanes<[](f32 a) -> f32 { return flush(a); }>("cvt ftz f32 f32"),
    lanes<[](f64 a) -> f64 { return saturate(a); }>("cvt sat f64 f64"),
    lanes<[](f64 a) -> f64 { return a; }>("cvt f64 f64"),
    lanes<[](Half a) -> f32 { return half_to_float(a.bits); }>("cvt ftz? f32 f16"),
    lanes<[](Half a) -> f32 { return saturate(half_to_float(a.bits)); }>("cvt ftz? sat f32 f16"),
    lanes<[](Half a) -> f64 { return half_to_float(a.bits); }>("cvt f64 f16"),
    lanes<[](Half a) -> Half { return a; }>("cvt ftz? f16 f16"),
    lanes<[](Half a) -> u16 { return to_half(saturate(half(a.bits)), Rounding::nearest); }>(
        "cvt ftz? sat f16 f16"),
    lanes<[](u16 a) -> f32 { return bfloat_to_float(a); }>("cvt ftz? f32 bf16"),
    lanes<[](u16 a) -> f64 { return bfloat_to_float(a); }>("cvt f64 bf16"),
    PACK16("s16", -32768, 32767),
    PACK16("u16", 0, 65535),
    PACK("s8", 8, -128, 127),
    PACK("u8", 8, 0, 255),
    PACK("s4", 4, -8, 7),
    PACK("u4", 4, 0, 15),
    PACK("s2", 2, -2, 1),
    PACK("u2", 2, 0, 3),
};

}  // namespace

RowSpan narrow_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
