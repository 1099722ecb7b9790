// Products of 128 bits and sums with carries: by halves, by the compiler's integers and by digits.
#define TILESCOPE_ISA isa_of_tests
#include "emulator/isa/wide_integer.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wide_reference.h"

namespace tilescope::emulator::test::wide_integer_file {
namespace {

namespace isa = isa_of_tests;

std::vector<uint64_t> numbers() {
  std::vector<uint64_t> v = {0,
                             1,
                             2,
                             0xffffffff,
                             0x100000000,
                             0x100000001,
                             ~0ull,
                             ~0ull - 1,
                             0x7fffffffffffffff,
                             0x8000000000000000,
                             0x8000000000000001,
                             0xffffffff00000000,
                             0xffffffff00000001,
                             0x7fffffff80000000};
  std::mt19937_64 random(20261122);
  for (int i = 0; i < 200; ++i) v.push_back(random() >> (random() % 64));
  return v;
}

TEST(WideIntegers, ProductsByHalvesAreTheDigits) {
  for (const uint64_t a : numbers()) {
    for (const uint64_t b : numbers()) {
      const uint64_t high = static_cast<uint64_t>(Digits128(a) * Digits128(b) >> 64);
      ASSERT_EQ(isa::by_halves::high_product(a, b), high) << a << " " << b;
      ASSERT_EQ(isa::high_product(a, b), high) << a << " " << b;
      const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
      ASSERT_EQ(static_cast<uint64_t>(isa::by_halves::high_product(x, y)), signed_high(a, b))
          << x << " " << y;
      ASSERT_EQ(isa::high_product(x, y), isa::by_halves::high_product(x, y)) << x << " " << y;
    }
  }
}

TEST(WideIntegers, Carries) {
  for (const uint64_t a : numbers()) {
    for (const uint64_t b : numbers()) {
      for (const bool one : {false, true}) {
        const Digits128 sum = Digits128(a) + Digits128(b) + Digits128(one);
        const auto s = isa::add_carry(a, b, one);
        ASSERT_EQ(s.value, static_cast<uint64_t>(sum));
        ASSERT_EQ(uint64_t{s.carry}, static_cast<uint64_t>(sum >> 64)) << a << " " << b;
        const auto d = isa::sub_borrow(a, b, one);
        ASSERT_EQ(d.value + b + one, a);
        ASSERT_EQ(d.carry,
                  static_cast<uint64_t>((Digits128(b) + Digits128(one)) >> 64) != 0 || b + one > a);
      }
    }
  }
}

// The references' own integers: a wrong one would be found by no other test of a 32-bit build.
TEST(WideIntegers, DigitsCount) {
  const Digits128 all = Digits128(~0ull) * Digits128(~0ull);  // 2^128 - 2^65 + 1
  EXPECT_EQ(static_cast<uint64_t>(all), 1u);
  EXPECT_EQ(static_cast<uint64_t>(all >> 64), ~0ull - 1);
  EXPECT_EQ(static_cast<uint64_t>((Digits128(5) << 70) >> 68), 20u);
  EXPECT_EQ(signed_high(~0ull, 3), ~0ull);
  EXPECT_EQ(signed_high(0x8000000000000000, 0x8000000000000000), 0x4000000000000000u);
  EXPECT_EQ(signed_high(0x8000000000000000, 2), ~0ull);
}

}  // namespace
}  // namespace tilescope::emulator::test::wide_integer_file
