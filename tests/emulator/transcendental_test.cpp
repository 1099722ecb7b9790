// ex2.approx and tanh.approx of all 65536 f16 and bf16 values, alone and in pairs, against the
// host's double precision functions: within the PTX ISA's bounds, and (as each result is rounded
// once from f32) within a thousandth more than half a unit of the last place.
#include <cmath>

#include "support.h"

namespace tilescope::emulator::test::transcendental_file {
namespace {

struct Format {
  int fraction, bias;  // bits of the fraction
  int exponents() const { return 1 << (15 - fraction); }
  double least_normal() const { return std::ldexp(1.0, 1 - bias); }
  double greatest() const {
    return std::ldexp(2.0 - std::ldexp(1.0, -fraction), exponents() - 2 - bias);
  }
  double value(uint32_t h) const {
    const int exponent = static_cast<int>(h >> fraction) & (exponents() - 1);
    const double part = std::ldexp(static_cast<double>(h & ((1u << fraction) - 1)), -fraction);
    double v = exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias);
    if (exponent == exponents() - 1) v = part == 0 ? INFINITY : NAN;
    return h >> 15 ? -v : v;
  }
  double unit_at(double v) const {  // of the last place
    int exponent = 0;
    std::frexp(std::max(std::fabs(v), least_normal()), &exponent);
    return std::ldexp(1.0, exponent - 1 - fraction);
  }
};
constexpr Format kF16{10, 15}, kBf16{7, 127};

// The ISA's: 2^-9.9 and 2^-10.987 for f16, 2^-7 and 2^-8 for bf16.
constexpr double kEx2F16 = 1.0466e-3, kTanhF16 = 4.9268e-4;

struct Form {
  const char* opcode;
  Format format;
  bool pair, flushes, tangent;
  double bound;  // of the ISA: relative for ex2, absolute for tanh
};
const Form kForms[] = {
    {"ex2.approx.f16", kF16, false, false, false, kEx2F16},
    {"ex2.approx.f16x2", kF16, true, false, false, kEx2F16},
    {"ex2.approx.ftz.f16", kF16, false, true, false, kEx2F16},
    {"ex2.approx.ftz.f16x2", kF16, true, true, false, kEx2F16},
    {"ex2.approx.ftz.bf16", kBf16, false, true, false, 0x1p-7},
    {"ex2.approx.ftz.bf16x2", kBf16, true, true, false, 0x1p-7},
    {"tanh.approx.f16", kF16, false, false, true, kTanhF16},
    {"tanh.approx.f16x2", kF16, true, false, true, kTanhF16},
    {"tanh.approx.bf16", kBf16, false, false, true, 0x1p-8},
    {"tanh.approx.bf16x2", kBf16, true, false, true, 0x1p-8},
};

// Each value meets another one in the upper half.
uint32_t partner(uint32_t h) { return (h * 40503u + 12345u) & 0xffffu; }

void expect_value(const Form& form, uint32_t input, uint32_t got) {
  const Format& f = form.format;
  const double x = f.value(input), result = f.value(got);
  const double exact = form.tangent ? std::tanh(x) : std::exp2(x);
  const auto words = [&] {
    return std::string(form.opcode) + " of " + std::to_string(x) + " (" + std::to_string(input) +
           ") gave " + std::to_string(result) + ", not " + std::to_string(exact);
  };
  if (std::isnan(x)) {
    ASSERT_TRUE(std::isnan(result)) << words();
    return;
  }
  // What is rounded beyond the greatest value is infinite.
  if (exact >= f.greatest() + f.unit_at(f.greatest()) / 2) {
    ASSERT_EQ(result, INFINITY) << words();
    return;
  }
  const double unit = f.unit_at(exact);
  if (form.flushes && exact < f.least_normal() - unit / 2) {
    ASSERT_EQ(got, 0u) << words();
    return;
  }
  ASSERT_LE(std::fabs(result - exact), 0.501 * unit) << words();
  const double limit = form.tangent                ? form.bound
                       : exact >= f.least_normal() ? form.bound * exact
                                                   : unit;
  ASSERT_LE(std::fabs(result - exact), limit) << words();
  if (form.tangent) {
    ASSERT_EQ(std::signbit(result), std::signbit(x)) << words();
  }
}

TEST(Transcendental, AllHalves) {
  for (const Form& form : kForms) {
    std::string body = "mov.u32 %r5, %r1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd1, %rd5;\n";
    if (form.pair) {
      body += "mad.lo.u32 %r6, %r5, 40503, 12345;\nshl.b32 %r6, %r6, 16;\nor.b32 %r5, %r5, %r6;\n" +
              std::string(form.opcode) + " %r7, %r5;\n";
    } else {
      body += "cvt.u16.u32 %h1, %r5;\n" + std::string(form.opcode) +
              " %h2, %h1;\ncvt.u32.u16 %r7, %h2;\n";
    }
    const Outcome o =
        run_kernel(kernel(body + "st.global.u32 [%rd5], %r7;\n"), 256, 65536, {}, {}, 256);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    for (uint32_t h = 0; h < 65536; ++h) {
      expect_value(form, h, o.out[h] & 0xffffu);
      if (form.pair) expect_value(form, partner(h), o.out[h] >> 16);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::transcendental_file
