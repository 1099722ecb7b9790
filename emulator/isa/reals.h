// Real arithmetic that several row files share: what .ftz and .sat do, minimum and maximum, and
// rounding an exact f64 to any narrower format in any direction.
#pragma once
#include <cfenv>

#include "emulator/isa/directed.h"
#include "emulator/isa/lanes.h"

namespace tilescope::emulator::TILESCOPE_ISA {

inline f32 not_a_number() { return bits_float(0x7fffffffu); }  // as instructions make it

inline f32 flush(f32 a) {  // .ftz: a subnormal becomes a zero of its sign
  const u32 bits = float_bits(a);
  return bits_float((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
inline f64 flush(f64 a) { return a; }  // there is no .ftz of f64
template <class T>
T saturate(T a) {  // NaN → 0
  return a > T(0) ? (a < T(1) ? a : T(1)) : T(0);
}
template <class T>
T minimum(T a, T b) {  // a NaN is dropped, −0 lies below +0
  if (b != b) return a;
  if (a != a) return b;
  return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
template <class T>
T maximum(T a, T b) {
  if (b != b) return a;
  if (a != a) return b;
  return a > b || (a == b && __builtin_signbit(b)) ? a : b;
}

/// Runs a row's lanes in another rounding mode of the host: exact results, rounded once.
template <Handler Run, int Mode>
void in_mode(Context& c, const Inst& in) {
  set_rounding(Mode);
  Run(c, in);  // reads and writes memory, so that no arithmetic moves across the calls
  set_rounding(FE_TONEAREST);
}
template <auto F, int Mode>
constexpr Row lanes_rounded(const char* pattern, RowKind kind = RowKind::plain) {
  using L = Lanes<F, decltype(+F)>;
  return Row{pattern, L::Letters::text, &in_mode<&L::full, Mode>, &in_mode<&L::masked, Mode>, kind,
             0};
}

enum class Rounding { nearest, away, zero, down, up };

/// A value of at most 53 significant bits as one with `Mantissa` bits behind the point and
/// exponents from `Lowest` (of the smallest normal) to `Highest`; beyond the range it is infinite,
/// or the largest value where the direction says so. The result is exact in f64.
template <int Mantissa, int Lowest, int Highest>
inline f64 round_real(f64 a, Rounding mode) {
  if (a != a || a == 0 || __builtin_isinf(a)) return a;
  int exponent = 0;
  (void)__builtin_frexp(a, &exponent);  // |a| in [2^(exponent-1), 2^exponent)
  const int last = (exponent - 1 < Lowest ? Lowest : exponent - 1) - Mantissa;
  const f64 scaled = __builtin_ldexp(a, -last), floor = __builtin_floor(scaled);
  const f64 rest = scaled - floor;
  bool up = false;
  if (rest != 0) {
    switch (mode) {
      case Rounding::nearest:
        up = rest > 0.5 || (rest == 0.5 && __builtin_fmod(floor, 2) != 0);
        break;
      case Rounding::away:
        up = rest > 0.5 || (rest == 0.5 && a > 0);
        break;
      case Rounding::zero:
        up = a < 0;
        break;
      case Rounding::down:
        break;
      case Rounding::up:
        up = true;
        break;
    }
  }
  f64 result = __builtin_ldexp(up ? floor + 1 : floor, last);
  if (result == 0) return __builtin_copysign(0.0, a);
  const f64 largest = __builtin_ldexp(2.0 - __builtin_ldexp(1.0, -Mantissa), Highest);
  if (__builtin_fabs(result) > largest) {
    const bool to_largest = mode == Rounding::zero || (mode == Rounding::down && a > 0) ||
                            (mode == Rounding::up && a < 0);
    result = __builtin_copysign(to_largest ? largest : __builtin_inf(), a);
  }
  return result;
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
