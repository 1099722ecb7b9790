// Rounding without the host's rounding mode, as WebAssembly needs it, against the host's: the same
// bits for random numbers of every size, near ties, near the ends of the range.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#if !defined(__wasm__)
#define TILESCOPE_SOFT_ROUNDING
#define TILESCOPE_ISA isa_soft_rounding
#include "emulator/isa/directed.h"

namespace tilescope::emulator {
namespace {

namespace soft = isa_soft_rounding;

template <class T>
T random_real(std::mt19937_64& random) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr T kSpecial[] = {0,
                            T(-0.0),
                            1,
                            -1,
                            std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::denorm_min(),
                            T(0.1),
                            T(3),
                            1 + std::numeric_limits<T>::epsilon()};
  switch (random() % 4) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:  // any bits
      return std::bit_cast<T>(static_cast<Bits>(random()));
    case 2:  // near one: sums cancel
      return T(1) + T(static_cast<int>(random() % 33) - 16) * std::numeric_limits<T>::epsilon();
    default:
      return std::ldexp(T(static_cast<int32_t>(random())), static_cast<int>(random() % 120) - 60);
  }
}

/// The host's, behind volatiles so that nothing is folded or moved.
template <class T, class Run>
T by_host(int mode, const Run& run, T x, T y, T z) {
  volatile T a = x, b = y, c = z;
  std::fesetround(mode);
  volatile T r = run(a, b, c);
  std::fesetround(FE_TONEAREST);
  return r;
}
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T, class Soft, class Host>
void compare(const char* what, const Soft& run_soft, const Host& run_host) {
  std::mt19937_64 random(sizeof(T));
  for (int i = 0; i < 100000; ++i) {
    const T a = random_real<T>(random), b = random_real<T>(random), c = random_real<T>(random);
    for (const int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}) {
      soft::set_rounding(mode);
      const T here = run_soft(a, b, c);
      soft::set_rounding(FE_TONEAREST);
      const T there = by_host<T>(mode, run_host, a, b, c);
      ASSERT_TRUE(same(here, there)) << what << ", mode " << mode << std::hexfloat << ", of " << a
                                     << ", " << b << ", " << c << ": " << here << ", not " << there;
    }
  }
}

template <class T>
void compare_all() {
  compare<T>(
      "+", [](T a, T b, T) { return soft::sum(a, b); }, [](T a, T b, T) { return a + b; });
  compare<T>(
      "-", [](T a, T b, T) { return soft::difference(a, b); }, [](T a, T b, T) { return a - b; });
  compare<T>(
      "*", [](T a, T b, T) { return soft::times(a, b); }, [](T a, T b, T) { return a * b; });
  compare<T>(
      "/", [](T a, T b, T) { return soft::quotient(a, b); }, [](T a, T b, T) { return a / b; });
  compare<T>(
      "fma", [](T a, T b, T c) { return soft::fused(a, b, c); },
      [](T a, T b, T c) { return std::fma(a, b, c); });
  compare<T>(
      "sqrt", [](T a, T, T) { return soft::root(a); }, [](T a, T, T) { return std::sqrt(a); });
}

TEST(SoftRounding, SinglesAreRoundedAsTheHostRoundsThem) { compare_all<float>(); }
TEST(SoftRounding, DoublesAreRoundedAsTheHostRoundsThem) { compare_all<double>(); }

TEST(SoftRounding, SoAreConversions) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto whole = static_cast<int64_t>(random() >> (random() % 64));
    const auto real = random_real<double>(random);
    for (const int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}) {
      soft::set_rounding(mode);
      const float of_whole = soft::converted<float>(whole), of_real = soft::converted<float>(real);
      const double wide = soft::converted<double>(whole);
      soft::set_rounding(FE_TONEAREST);
      volatile int64_t w = whole;
      volatile double r = real;
      std::fesetround(mode);
      volatile float host_whole = static_cast<float>(w), host_real = static_cast<float>(r);
      volatile double host_wide = static_cast<double>(w);
      std::fesetround(FE_TONEAREST);
      ASSERT_TRUE(same<float>(of_whole, host_whole)) << whole << ", mode " << mode;
      ASSERT_TRUE(same<double>(wide, host_wide)) << whole << ", mode " << mode;
      ASSERT_TRUE(same<float>(of_real, host_real)) << std::hexfloat << real << ", mode " << mode;
    }
  }
}

}  // namespace
}  // namespace tilescope::emulator
#endif
