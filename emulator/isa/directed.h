// Operations in the rounding mode that is set. A CPU has such a mode; WebAssembly rounds to nearest
// alone, so there the result is moved by what was rounded away.
#pragma once
#include <cfenv>
#include <type_traits>

#include "emulator/isa/lanes.h"

namespace tilescope::emulator::TILESCOPE_ISA {

#if defined(__wasm__)
#define TILESCOPE_SOFT_ROUNDING
using f128 = long double;
#else
__extension__ using f128 = __float128;
#endif

#if defined(TILESCOPE_SOFT_ROUNDING)  // tests define it, and compare the two
inline int& rounding_mode() {         // without threads there is one
  static int mode = FE_TONEAREST;
  return mode;
}
inline void set_rounding(int mode) { rounding_mode() = mode; }
#else
inline void set_rounding(int mode) { std::fesetround(mode); }
#endif

/// In which products of two T are exact.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, f64, f128>;

/// `nearest`, or its neighbour on the side of the exact result where the mode says so. `rest()`:
/// the exact result less `nearest`, of which the sign counts.
template <class T, class Rest>
inline T rounded(T nearest, [[maybe_unused]] const Rest& rest) {
#if defined(TILESCOPE_SOFT_ROUNDING)
  const int mode = rounding_mode();
  if (mode == FE_TONEAREST || nearest != nearest) return nearest;
  const auto left = rest();
  const T most = static_cast<T>(__builtin_inf());
  const bool up = left > 0 && (mode == FE_UPWARD || (mode == FE_TOWARDZERO && nearest < 0));
  const bool down = left < 0 && (mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && nearest > 0));
  if (!up && !down) return nearest;
  if constexpr (sizeof(T) == 4) return __builtin_nextafterf(nearest, up ? most : -most);
  return __builtin_nextafter(nearest, up ? most : -most);
#else
  return nearest;
#endif
}

/// x + y less `nearest`, exactly as far as its sign goes.
template <class W>
inline W rest_of_sum(W x, W y, W nearest) {
  const W sum = x + y, far = sum - nearest;
  if (far != 0) return far;  // also of what is no number
  const W second = sum - x;
  return (x - (sum - second)) + (y - second);
}
/// A sum of two that cancel is −0 where it is rounded down.
template <class T, class W>
inline T signed_sum(T sum, [[maybe_unused]] W x, [[maybe_unused]] W y) {
#if defined(TILESCOPE_SOFT_ROUNDING)
  const bool cancel = sum == 0 && x == -y && __builtin_signbit(x) != __builtin_signbit(y);
  if (cancel && rounding_mode() == FE_DOWNWARD) return static_cast<T>(-0.0);
#endif
  return sum;
}

template <class T>
inline T sum(T a, T b) {
  const T nearest = a + b;
  using W = Wide<T>;
  const auto rest = [&] { return rest_of_sum(W{a}, W{b}, W{nearest}); };
  return signed_sum(rounded(nearest, rest), W{a}, W{b});
}
template <class T>
inline T difference(T a, T b) {  // of a NaN the sign stays, so it is no sum with −b
  const T nearest = a - b;
  using W = Wide<T>;
  const auto rest = [&] { return rest_of_sum(W{a}, W{-b}, W{nearest}); };
  return signed_sum(rounded(nearest, rest), W{a}, W{-b});
}
template <class T>
inline T times(T a, T b) {
  const T nearest = a * b;
  using W = Wide<T>;
  return rounded(nearest, [&] { return W{a} * W{b} - W{nearest}; });
}
template <class T>
inline T quotient(T a, T b) {
  const T nearest = a / b;
  using W = Wide<T>;
  return rounded(nearest, [&] {
    const W left = W{a} - W{nearest} * W{b};
    return b < 0 ? -left : left;
  });
}
template <class T>
inline T fused(T a, T b, T c) {
  T nearest;
  if constexpr (sizeof(T) == 8) {
    nearest = __builtin_fma(a, b, c);
  } else {
    nearest = __builtin_fmaf(a, b, c);
  }
  using W = Wide<T>;
  const auto rest = [&] { return rest_of_sum(W{a} * W{b}, W{c}, W{nearest}); };
  return signed_sum(rounded(nearest, rest), W{a} * W{b}, W{c});
}
template <class T>
inline T root(T a) {
  T nearest;
  if constexpr (sizeof(T) == 8) {
    nearest = __builtin_sqrt(a);
  } else {
    nearest = __builtin_sqrtf(a);
  }
  using W = Wide<T>;
  return rounded(nearest, [&] { return W{a} - W{nearest} * W{nearest}; });
}
/// Of an integer, or a wider real.
template <class T, class S>
inline T converted(S a) {
  const T nearest = static_cast<T>(a);
  using W = std::conditional_t<std::is_same_v<S, f64>, f64, f128>;
  return rounded(nearest, [&] { return static_cast<W>(a) - static_cast<W>(nearest); });
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
