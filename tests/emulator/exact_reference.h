// References for arithmetic in any rounding mode, in binary128 with the rest of a sum beside it.
// They share nothing with the emulator, and ask for no rounding mode of the host: WebAssembly has
// one.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilescope::emulator::test {

__extension__ typedef __float128 Wide;

/// hi + lo, exactly, |lo| far below |hi|.
struct Exact {
  Wide hi = 0, lo = 0;
  static Exact sum(Wide a, Wide b) {
    const Wide s = a + b, t = s - a;
    const Wide rest = (a - (s - t)) + (b - t);
    return {s, rest == rest ? rest : Wide(0)};
  }
  int sign_above(Wide c) const {  // of hi + lo − c
    const Wide d = (hi - c) + lo;
    return d > 0 ? 1 : d < 0 ? -1 : 0;
  }
};

enum class Mode { nearest, zero, down, up };

/// `nearest`, moved to its neighbour if the exact value lies `above` it (1, 0 or −1) and the mode
/// says so.
template <class T>
T directed(T nearest, int above, Mode mode) {
  if (mode == Mode::nearest || above == 0 || nearest != nearest) return nearest;
  const T inf = std::numeric_limits<T>::infinity();
  const bool negative = nearest < 0 || (nearest == 0 && above < 0);
  const bool up = mode == Mode::up || (mode == Mode::zero && negative);
  if (above > 0 && up) return std::nextafter(nearest, inf);
  if (above < 0 && !up) return std::nextafter(nearest, -inf);
  return nearest;
}

/// What cancels is −0 when rounding down, else +0.
template <class T>
T zero_of(bool negative, bool other_negative, Mode m) {
  return negative == other_negative ? (negative ? T(-0.0) : T(0))
         : m == Mode::down          ? T(-0.0)
                                    : T(0);
}
template <class T>
T directed_fma(T a, T b, T c, Mode m) {
  const T n = std::fma(a, b, c);
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return n;
  if (n == 0 && Wide(a) * b == -Wide(c)) {
    return zero_of<T>(std::signbit(a) != std::signbit(b), std::signbit(c), m);
  }
  return directed(n, std::isfinite(n) ? Exact::sum(Wide(a) * b, c).sign_above(n) : (n > 0 ? -1 : 1),
                  m);
}

/// A 16- or 8-bit real: all its values, by which anything is rounded to it.
class SmallReal {
 public:
  SmallReal(int bits, int mantissa, int bias, bool infinities)
      : sign_(1u << (bits - 1)),
        infinite_(infinities ? ((1u << (bits - 1 - mantissa)) - 1u) << mantissa : 0) {
    const uint32_t top = infinities ? infinite_ : sign_ - 1;  // the largest code with a value, + 1
    for (uint32_t x = 0; x < top; ++x) {
      const int e = static_cast<int>(x >> mantissa);
      const double m = x & ((1u << mantissa) - 1u);
      values_.push_back(e == 0 ? std::ldexp(m, 1 - bias - mantissa)
                               : std::ldexp(m + (1u << mantissa), e - bias - mantissa));
    }
  }
  double value(uint32_t x) const {
    const uint32_t m = x & (sign_ - 1u);
    double v = m < values_.size()                 ? values_[m]
               : m == infinite_ && infinite_ != 0 ? HUGE_VAL
                                                  : std::nan("");
    return x & sign_ ? -v : v;
  }
  bool is_nan(uint32_t x) const { return std::isnan(value(x)); }
  /// `saturate`: the largest value where infinity would come.
  uint32_t round(Exact exact, Mode mode, bool saturate = false) const {
    const bool negative =
        exact.hi < 0 || (exact.hi == 0 && std::signbit(static_cast<double>(exact.hi)));
    if (negative) exact = {-exact.hi, -exact.lo};
    const bool away = mode == (negative ? Mode::down : Mode::up);
    // the last value that is not above the exact one
    const auto it = std::upper_bound(values_.begin(), values_.end(), 0,
                                     [&](int, double v) { return exact.sign_above(v) < 0; });
    uint32_t x = static_cast<uint32_t>(it - values_.begin()) - 1;
    const double low = values_[x],
                 step = x + 1 < values_.size() ? values_[x + 1] - low : low - values_[x - 1];
    if (exact.sign_above(low) > 0) {
      const int half = exact.sign_above(Wide(low) + Wide(step) / 2);
      if (mode == Mode::nearest ? half > 0 || (half == 0 && (x & 1u)) : away) ++x;
    }
    if (x == values_.size() && saturate) --x;
    return x | (negative ? sign_ : 0);
  }

 private:
  uint32_t sign_, infinite_;
  std::vector<double> values_;
};
inline const SmallReal& f16() {
  static const SmallReal type(16, 10, 15, true);
  return type;
}
inline const SmallReal& bf16() {
  static const SmallReal type(16, 7, 127, true);
  return type;
}
inline const SmallReal& e4m3() {
  static const SmallReal type(8, 3, 7, false);
  return type;
}
inline const SmallReal& e5m2() {
  static const SmallReal type(8, 2, 15, true);
  return type;
}

}  // namespace tilescope::emulator::test
