// Reals: NaN, infinities, subnormals, conversions.
#include <cmath>
#include <limits>

#include "support.h"

namespace tilescope::emulator::test::float_file {
namespace {

std::vector<uint64_t> singles() {
  std::vector<uint64_t> v;
  for (float f :
       {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1.5f, -2.5f, 3.0000002f, 1e-38f, -1e-40f, 1e38f, 3.4e38f,
        16777217.0f, 0.1f, std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    v.push_back(bits(f));
  }
  return v;
}
std::vector<uint64_t> doubles() {
  std::vector<uint64_t> v;
  for (double d :
       {0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e300, -1e-300, 4294967296.5, 1e39, 1e-46,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    v.push_back(bits(d));
  }
  return v;
}
const std::vector<uint64_t> kF = singles(), kD = doubles();

float f(uint64_t v) { return as_float(v); }
double d(uint64_t v) { return as_double(v); }
float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

#define EXPR(e)                                        \
  [](uint64_t a, uint64_t b, uint64_t c) -> uint64_t { \
    (void)a, (void)b, (void)c;                         \
    return e;                                          \
  }

TEST(Float, Arithmetic) {
  sweep("add.f32 D, A, B;", "fff", {kF, kF}, EXPR(bits(f(a) + f(b))));
  sweep("sub.f32 D, A, B;", "fff", {kF, kF}, EXPR(bits(f(a) - f(b))));
  sweep("mul.rn.f32 D, A, B;", "fff", {kF, kF}, EXPR(bits(f(a) * f(b))));
  sweep("div.rn.f32 D, A, B;", "fff", {kF, kF}, EXPR(bits(f(a) / f(b))));
  sweep("fma.rn.f32 D, A, B, C;", "ffff", {kF, kF, kF}, EXPR(bits(std::fma(f(a), f(b), f(c)))));
  sweep("add.ftz.f32 D, A, B;", "fff", {kF, kF}, EXPR(bits(flush(flush(f(a)) + flush(f(b))))));
  sweep("neg.f32 D, A;", "ff", {kF}, EXPR(bits(-f(a))));
  sweep("abs.f32 D, A;", "ff", {kF}, EXPR(bits(std::fabs(f(a)))));
  sweep("sqrt.rn.f32 D, A;", "ff", {kF}, EXPR(bits(std::sqrt(f(a)))));
  sweep("add.f64 D, A, B;", "ddd", {kD, kD}, EXPR(bits(d(a) + d(b))));
  sweep("mul.f64 D, A, B;", "ddd", {kD, kD}, EXPR(bits(d(a) * d(b))));
  sweep("fma.rn.f64 D, A, B, C;", "dddd", {kD, kD, kD}, EXPR(bits(std::fma(d(a), d(b), d(c)))));
}

TEST(Float, MulThenAddRoundsTwice) {
  sweep("mul.f32 %f20, A, B; add.f32 D, %f20, C;", "ffff", {kF, kF, kF},
        [](uint64_t a, uint64_t b, uint64_t c) {
          volatile float product = f(a) * f(b);
          return bits(product + f(c));
        });
}

TEST(Float, MinMaxDropNan) {
  sweep("min.f32 D, A, B;", "fff", {kF, kF},
        EXPR(f(a) == f(b) ? a | b : bits(std::fmin(f(a), f(b)))));
  sweep("max.f32 D, A, B;", "fff", {kF, kF},
        EXPR(f(a) == f(b) ? a & b : bits(std::fmax(f(a), f(b)))));
}

TEST(Float, ComparesOrderedAndUnordered) {
  sweep("setp.lt.f32 D, A, B;", "pff", {kF, kF}, EXPR(f(a) < f(b)));
  sweep("setp.neu.f32 D, A, B;", "pff", {kF, kF}, EXPR(f(a) != f(b)));
  sweep("setp.ne.f32 D, A, B;", "pff", {kF, kF}, EXPR(f(a) < f(b) || f(a) > f(b)));
  sweep("setp.geu.f32 D, A, B;", "pff", {kF, kF}, EXPR(!(f(a) < f(b))));
  sweep("setp.nan.f32 D, A, B;", "pff", {kF, kF}, EXPR(std::isnan(f(a)) || std::isnan(f(b))));
  sweep("setp.gt.f64 D, A, B;", "pdd", {kD, kD}, EXPR(d(a) > d(b)));
}

TEST(Float, ConvertsIntegers) {
  const std::vector<uint64_t> n = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 16777217};
  sweep("cvt.rn.f32.s32 D, A;", "fr", {n}, EXPR(bits(static_cast<float>(static_cast<int32_t>(a)))));
  sweep("cvt.rn.f32.u32 D, A;", "fr", {n},
        EXPR(bits(static_cast<float>(static_cast<uint32_t>(a)))));
  sweep("cvt.rzi.s32.f32 D, A;", "rf", {kF}, [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
    const float x = f(a);
    if (std::isnan(x)) return 0;
    if (x >= 2147483648.0f) return 0x7fffffff;
    if (x <= -2147483648.0f) return 0x80000000;
    return static_cast<uint32_t>(static_cast<int32_t>(x));
  });
  sweep("cvt.rni.f32.f32 D, A;", "ff", {kF}, EXPR(bits(std::nearbyint(f(a)))));
  sweep("cvt.rmi.f32.f32 D, A;", "ff", {kF}, EXPR(bits(std::floor(f(a)))));
  sweep("cvt.rn.f32.f64 D, A;", "fd", {kD}, EXPR(bits(static_cast<float>(d(a)))));
  sweep("cvt.f64.f32 D, A;", "df", {kF}, EXPR(bits(static_cast<double>(f(a)))));
  sweep("cvt.sat.f32.f32 D, A;", "ff", {kF},
        EXPR(bits(std::isnan(f(a)) || f(a) <= 0 ? 0.0f
                  : f(a) > 1                    ? 1.0f
                                                : f(a))));
}

TEST(Float, HalfConversions) {
  // Every half goes to float and back; the float is checked by arithmetic on the parts.
  std::vector<uint64_t> all;
  for (uint64_t h = 0; h < 65536; h += 7) all.push_back(h);
  sweep("cvt.f32.f16 D, A;", "fh", {all}, [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
    const int exponent = static_cast<int>(a >> 10 & 31), mantissa = static_cast<int>(a & 1023);
    const float sign = a & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) {
      return bits(mantissa ? std::numeric_limits<float>::quiet_NaN()
                           : sign * std::numeric_limits<float>::infinity());
    }
    return bits(sign * (exponent ? std::ldexp(1024.0f + static_cast<float>(mantissa), exponent - 25)
                                 : std::ldexp(static_cast<float>(mantissa), -24)));
  });
  sweep(
      "cvt.rn.f16.f32 D, A;", "hf",
      {{bits(1.0f), bits(65504.0f), bits(65520.0f), bits(65519.0f), bits(0x1p-24f), bits(0x1p-25f),
        bits(0x1.8p-25f), bits(1.00048828125f), bits(1.00146484375f), bits(-0.0f)}},
      [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
        static const std::map<float, uint16_t> known = {
            {1.0f, 0x3c00},          {65504.0f, 0x7bff},
            {65520.0f, 0x7c00},      {65519.0f, 0x7bff},
            {0x1p-24f, 1},           {0x1p-25f, 0},
            {0x1.8p-25f, 1},         {1.00048828125f, 0x3c00},
            {1.00146484375f, 0x3c02}};
        return f(a) == 0.0f ? 0x8000 : known.at(f(a));
      });
  sweep("cvt.rn.bf16.f32 D, A;", "hf", {{bits(1.0f), 0x3f808000, 0x3f818000, 0x3f80ffff}},
        EXPR(a == 0x3f808000   ? 0x3f80
             : a == 0x3f818000 ? 0x3f82
             : a == 0x3f80ffff ? 0x3f81
                               : 0x3f80));
  sweep("cvt.rna.tf32.f32 D, A;", "rf", {{0x3f801000, 0x3f800fff, 0x3f802000}},
        EXPR(a == 0x3f800fff ? 0x3f800000 : 0x3f802000));
}

TEST(Float, HalfArithmetic) {
  const std::vector<uint64_t> h = {half_of(512), half_of(-256), half_of(1), half_of(1023),
                                   half_of(3)};
  sweep("add.f16 D, A, B;", "hhh", {{half_of(512)}, {half_of(1), half_of(-256)}},
        EXPR(b == half_of(1) ? half_of(513) : half_of(256)));
  sweep("mul.f16 D, A, B;", "hhh", {{half_of(1024)}, h},
        EXPR(b == half_of(512)    ? half_of(1024)
             : b == half_of(-256) ? half_of(-512)
             : b == half_of(1)    ? half_of(2)
             : b == half_of(3)    ? half_of(6)
                                  : 0x43fe));
  sweep("fma.rn.f16x2 D, A, B, C;", "rrrr", {{0x3c003c00}, {0x40003c00}, {0x3c00bc00}},
        EXPR(uint64_t{0x42000000}));
}

}  // namespace
}  // namespace tilescope::emulator::test::float_file
