// The double-precision reference, the comparison and the operands' numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "worker/engine/emulate/half.h"
#include "worker/engine/emulate/verify.h"

namespace tilescope::worker {
namespace {

TEST(Half, RoundTripsAndRoundsToNearestEven) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = half_value(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x3ff, 0u);
      continue;
    }
    EXPECT_EQ(half_bits(value), bits);
  }
  EXPECT_EQ(half_bits(1.0f + 0x1p-11f), 0x3c00);  // a tie goes to even
  EXPECT_EQ(half_bits(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(half_bits(65519.0f), 0x7bff);
  EXPECT_EQ(half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(half_bits(0x1p-25f), 0);
  EXPECT_EQ(half_bits(0x1.8p-25f), 1);
  EXPECT_EQ(bfloat_bits(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(bfloat_bits(1.0f + 3 * 0x1p-8f), 0x3f82);
}

TEST(EightBits, RoundTripAndRoundToNearestEven) {
  for (const ElementType type : {ElementType::e4m3, ElementType::e5m2}) {
    const EightBits f = eight_bits(type);
    for (uint32_t bits = 0; bits <= f.largest; ++bits) {
      const float value = eight_bits_value(type, static_cast<uint8_t>(bits));
      EXPECT_EQ(eight_bits_of(type, value), bits);
      EXPECT_EQ(eight_bits_of(type, -value), bits | 0x80);
      if (bits == f.largest) continue;
      // Half way to the next one; all those are exact in float.
      const float next = eight_bits_value(type, static_cast<uint8_t>(bits + 1));
      const float middle = (value + next) / 2;
      EXPECT_EQ(eight_bits_of(type, middle), bits + (bits & 1));
      EXPECT_EQ(eight_bits_of(type, std::nextafter(middle, 0.0f)), bits);
      EXPECT_EQ(eight_bits_of(type, std::nextafter(middle, 1e9f)), bits + 1);
    }
    EXPECT_EQ(eight_bits_of(type, 1e30f), f.largest) << "the largest, as cvt.satfinite";
    EXPECT_TRUE(std::isnan(eight_bits_value(type, eight_bits_of(type, std::nanf("")))));
  }
  EXPECT_EQ(eight_bits_value(ElementType::e4m3, 0x7e), 448);
  EXPECT_EQ(eight_bits_value(ElementType::e5m2, 0x7b), 57344);
  EXPECT_EQ(eight_bits_value(ElementType::e4m3, 0x01), 0x1p-9f);
  EXPECT_EQ(eight_bits_value(ElementType::e5m2, 0x01), 0x1p-16f);
  EXPECT_TRUE(std::isinf(eight_bits_value(ElementType::e5m2, 0x7c)));
}

Problem ragged_problem(Order a, Order b) {
  Problem p;
  p.m = 37, p.n = 141, p.k = 519;
  p.type_a = ElementType::f16, p.type_b = ElementType::bf16;
  p.order_a = a, p.order_b = b;
  p.alpha = 1.5f, p.beta = -0.25f;
  return p;
}

TEST(Reference, EqualsThePlainTripleLoop) {
  for (const Order a_order : {Order::row_major, Order::column_major}) {
    for (const Order b_order : {Order::row_major, Order::column_major}) {
      const Problem p = ragged_problem(a_order, b_order);
      std::vector<std::byte> data[3];
      for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
        auto& buffer = data[static_cast<int>(o)];
        buffer.resize(static_cast<size_t>(operand_size_bytes(p, o)));
        fill_operand(p, o, {DataSpec::Kind::random, 5}, whole_of(p, o), buffer, 2);
      }
      const auto element = [&](Operand o, int row, int col) {
        return static_cast<double>(
            load_element(operand_type(p, o), data[static_cast<int>(o)].data(),
                         static_cast<uint64_t>(element_index(operand_order(p, o),
                                                             leading_dimension(p, o), row, col))));
      };
      const Rect rect{3, 5, 30, 133};
      std::vector<double> out(static_cast<size_t>(rect.rows * rect.cols));
      reference({&p, data[0].data(), data[1].data(), data[2].data()}, rect, out);
      for (int i = 0; i < rect.rows; ++i) {
        for (int j = 0; j < rect.cols; ++j) {
          double sum = 0;
          for (int k = 0; k < p.k; ++k) {
            sum += element(Operand::a, rect.row + i, k) * element(Operand::b, k, rect.col + j);
          }
          const double expected =
              1.5 * sum - 0.25 * element(Operand::c, rect.row + i, rect.col + j);
          EXPECT_NEAR(out[static_cast<size_t>(i * rect.cols + j)], expected, 1e-12);
        }
      }
    }
  }
}

class Compared : public testing::Test {
 protected:
  Compared() : reference_(static_cast<size_t>(p_.m * p_.n), 1.0), out_(reference_.size(), 1.0f) {
    for (size_t i = 0; i < reference_.size(); ++i) {
      reference_[i] = i % 2 ? 1.0 : -1.0;
      out_[i] = static_cast<float>(reference_[i]);
    }
  }
  Verification compare(double tolerance) {
    Comparison comparison(most_difference(tolerance, 1));
    comparison.add(p_, {0, 0, p_.m, p_.n}, reference_,
                   reinterpret_cast<const std::byte*>(out_.data()));
    return comparison.result(tolerance, 1);
  }
  static Problem problem() {
    Problem p;
    p.m = 512, p.n = 512, p.k = 512;
    return p;
  }
  Problem p_ = problem();
  std::vector<double> reference_;
  std::vector<float> out_;
};

TEST_F(Compared, EqualIsRight) {
  const Verification v = compare(1e-6);
  EXPECT_TRUE(v.ok);
  EXPECT_EQ(v.norm, 0);
  EXPECT_EQ(v.elements, 512u * 512u);
}

TEST_F(Compared, OneWrongElementIsWrongThoughTheNormIsSmall) {
  out_[100 * 512 + 7] += 4e-4f;
  const Verification v = compare(1e-5);
  EXPECT_LT(v.norm, v.tolerance);
  EXPECT_FALSE(v.ok);
  EXPECT_EQ(v.worst_row, 100);
  EXPECT_EQ(v.worst_col, 7);
  EXPECT_EQ(v.first_row, 100);
  EXPECT_EQ(v.first_col, 7);
}

TEST_F(Compared, TheFirstWrongElementIsNotTheWorst) {
  out_[100 * 512 + 7] += 1e-2f, out_[200 * 512 + 3] += 1.0f, out_[99 * 512 + 500] += 1e-6f;
  const Verification v = compare(1e-5);
  EXPECT_EQ(v.first_row, 100);
  EXPECT_EQ(v.first_col, 7);
  EXPECT_EQ(v.worst_row, 200);
  EXPECT_EQ(v.worst_col, 3);
}

TEST_F(Compared, NanNeverPasses) {
  out_[511 * 512 + 511] = std::numeric_limits<float>::quiet_NaN();
  const Verification v = compare(1e30);
  EXPECT_FALSE(v.ok);
  EXPECT_EQ(v.worst_row, 511);
  EXPECT_EQ(v.worst_col, 511);
  EXPECT_TRUE(std::isnan(v.norm));
  EXPECT_EQ(error_words(v), "1 element is NaN, C[511, 511]");
}

TEST_F(Compared, WhatIsNoNumberIsCountedByKind) {
  fill_untouched(ElementType::f32,
                 std::as_writable_bytes(std::span(out_).subspan(130 * 512, 1024)));
  out_[200 * 512] = out_[300 * 512] = std::numeric_limits<float>::quiet_NaN();
  out_[129 * 512 + 8] = -std::numeric_limits<float>::infinity();
  out_[0] += 1;
  const Verification v = compare(1e-5);
  EXPECT_FALSE(v.ok);
  EXPECT_EQ(v.none, (NoNumbers{2, 1, 1024, 129, 8}));
  EXPECT_EQ(v.elements, 512u * 512u);
  EXPECT_EQ(v.first_row, 129) << "what is no number, before what is merely off";
  EXPECT_EQ(error_words(v),
            "1,024 elements were never written, 2 elements are NaN, 1 element is infinite, the "
            "first at C[129, 8]");
}

TEST_F(Compared, NanIsKeptWhenPartsAreAdded) {
  out_[3] = std::numeric_limits<float>::quiet_NaN();
  Comparison first, second;
  const auto* out = reinterpret_cast<const std::byte*>(out_.data());
  first.add(p_, {0, 0, 1, 512}, std::span(reference_).first(512), out);
  second.add(p_, {1, 0, 1, 512}, std::span(reference_).subspan(512, 512), out);
  Comparison sum = second;
  sum.add(first.sums());
  EXPECT_FALSE(sum.result(1e30, 1).ok);
  sum = first;
  sum.add(second.sums());
  EXPECT_FALSE(sum.result(1e30, 1).ok);
  EXPECT_EQ(sum.result(1e30, 1).first_col, 3);
}

TEST_F(Compared, ZeroReferenceTakesOnlyZero) {
  std::fill(reference_.begin(), reference_.end(), 0.0);
  EXPECT_FALSE(compare(1e-3).ok);
  std::fill(out_.begin(), out_.end(), 0.0f);
  EXPECT_TRUE(compare(1e-3).ok);
  out_[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare(1e-3).ok);
}

// 1×1×1 with beta: terms that nearly cancel out leave the rounding of the terms.
TEST(Comparison, FewElementsThatCancelOutAreNotHeldToTheirOwnSize) {
  Problem p;
  p.m = p.n = p.k = 1;
  p.beta = 0.5f;
  const double reference[] = {1e-3};
  const float out[] = {static_cast<float>(1e-3 + 0x1p-26)};  // u of terms of 0.3
  const auto compared = [&](float by) {
    const float wrong[] = {out[0] + by};
    Comparison one;
    one.add(p, {0, 0, 1, 1}, reference, reinterpret_cast<const std::byte*>(wrong));
    return one.result(tolerance_of(p, false), usual_square(p));
  };
  EXPECT_TRUE(compared(0).ok) << compared(0).norm;
  EXPECT_GT(0x1p-26 / 1e-3, tolerance_of(p, false)) << "or this tests nothing";
  EXPECT_FALSE(compared(1e-4f).ok);
  EXPECT_FALSE(compared(-1e-3f).ok);  // nothing was computed
}

// What is usual is what random data give.
TEST(Comparison, TheUsualIsThatOfRandomData) {
  Problem p;
  p.m = p.n = 64, p.k = 40;
  p.alpha = 0.5f, p.beta = 2.0f;
  std::vector<std::byte> a(64 * 40 * 4), b(64 * 40 * 4), c(64 * 64 * 4);
  const DataSpec data{DataSpec::Kind::random, 7};
  fill_operand(p, Operand::a, data, whole_of(p, Operand::a), a, 1);
  fill_operand(p, Operand::b, data, whole_of(p, Operand::b), b, 1);
  fill_operand(p, Operand::c, data, whole_of(p, Operand::c), c, 1);
  std::vector<double> expected(64 * 64);
  reference({&p, a.data(), b.data(), c.data()}, {0, 0, 64, 64}, expected);
  double sum = 0;
  for (const double e : expected) sum += e * e / (64 * 64);
  EXPECT_NEAR(sum / usual_square(p), 1, 0.2);
}

TEST(Joined, CoversTheSameElementsOnce) {
  std::vector<Rect> tiles;
  for (int row = 0; row < 700; row += 64) {
    for (int col = 0; col < 900; col += 128) {
      if (row == 128 && col == 256) continue;  // a hole
      tiles.push_back({row, col, std::min(64, 700 - row), std::min(128, 900 - col)});
    }
  }
  const auto count = [](const std::vector<Rect>& rects) {
    std::vector<int> times(700 * 900);
    for (const Rect& r : rects) {
      for (int row = r.row; row < r.row + r.rows; ++row) {
        for (int col = r.col; col < r.col + r.cols; ++col)
          ++times[static_cast<size_t>(row * 900 + col)];
      }
    }
    return times;
  };
  const std::vector<Rect> few = joined(tiles);
  EXPECT_EQ(count(few), count(tiles));
  EXPECT_LT(few.size(), tiles.size() / 4);
}

TEST(Tolerance, GrowsWithKAndCatchesALostSlice) {
  Problem p;
  for (const int k : {1, 16, 1024, 8192}) {
    p.k = k;
    EXPECT_LT(tolerance_of(p, false), tolerance_of(p, true));
    // A lost k slice of one element is √(1/k) of the norm.
    EXPECT_LT(tolerance_of(p, true) * 50, std::sqrt(1.0 / k)) << k;
  }
}

TEST(Operands, ExactDataSumsExactlyInFloat) {
  float forward = 0, backward = 0;
  const DataSpec data{DataSpec::Kind::exact, 9};
  const int k = 1 << 16;
  for (int i = 0; i < k; ++i) {
    forward += operand_value(data, Operand::a, static_cast<uint64_t>(i)) *
               operand_value(data, Operand::b, static_cast<uint64_t>(i));
    backward += operand_value(data, Operand::a, static_cast<uint64_t>(k - 1 - i)) *
                operand_value(data, Operand::b, static_cast<uint64_t>(k - 1 - i));
  }
  EXPECT_EQ(forward, backward);
}

TEST(Operands, RandomDataIsFreshByOperandAndSeed) {
  const DataSpec one{DataSpec::Kind::random, 1}, two{DataSpec::Kind::random, 2};
  int equal = 0;
  double sum = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    const float a = operand_value(one, Operand::a, i);
    EXPECT_GE(a, -1.0f);
    EXPECT_LT(a, 1.0f);
    sum += a;
    equal += a == operand_value(two, Operand::a, i) || a == operand_value(one, Operand::b, i);
  }
  EXPECT_LT(equal, 5);
  EXPECT_NEAR(sum / 10000, 0, 0.03);
}

}  // namespace
}  // namespace tilescope::worker
