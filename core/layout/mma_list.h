// Every dense matrix instruction of the PTX ISA 9.0 for sm_70 to sm_90: one line a family of forms
// that differ in types, operand orders, saturation and bit operation alone. Not here: mma.sp and
// wgmma.mma_async.sp (sparse), block-scaled and f6/f4 kinds, tcgen05.
// Source: PTX ISA 9.0, the tables "Shapes and types" of wmma, mma and wgmma.
#pragma once
#include "core/layout/mma.h"

namespace tilescope {

constexpr unsigned type_bit(ElementType type) { return 1u << static_cast<int>(type); }

/// Types of C and D: equal, D at least as wide as C, or any two.
enum class Accumulators : int { equal, d_not_narrower, any };
/// n of an instruction: one value, or wgmma's lists: each multiple of 8, or beyond 32 of 16.
enum class Widths : int { one, eights, eights_then_sixteens };

struct MmaFamily {
  MmaKind kind;
  int m, n, k;
  Widths widths;
  unsigned inputs;  // types of A and B
  bool mixed;       // may A and B differ?
  unsigned accumulators;
  Accumulators pairing;
  bool any_order;  // row- and column-major A and B in each mix; else row.col
  bool saturates;  // .satfinite may be given
  unsigned ops;    // bits of BitOp
  int min_sm;      // compute capability × 10; wgmma: sm_90a alone
};

namespace families {
constexpr unsigned kF16 = type_bit(ElementType::f16), kBf16 = type_bit(ElementType::bf16),
                   kF32 = type_bit(ElementType::f32), kTf32 = type_bit(ElementType::tf32),
                   kF64 = type_bit(ElementType::f64), kS32 = type_bit(ElementType::s32),
                   kFp8 = type_bit(ElementType::e4m3) | type_bit(ElementType::e5m2),
                   kInt8 = type_bit(ElementType::s8) | type_bit(ElementType::u8),
                   kInt4 = type_bit(ElementType::s4) | type_bit(ElementType::u4),
                   kB1 = type_bit(ElementType::b1);
constexpr unsigned kPlain = 1u << static_cast<int>(BitOp::none),
                   kXor = 1u << static_cast<int>(BitOp::xor_popc),
                   kAnd = 1u << static_cast<int>(BitOp::and_popc);
constexpr auto kSync = MmaKind::mma_sync;
constexpr auto kWgmma = MmaKind::wgmma;
constexpr auto kWmma = MmaKind::wmma;
constexpr auto kOne = Widths::one;
constexpr auto kEqual = Accumulators::equal;
}  // namespace families

/// The number of lines in mma_family().
constexpr int kMmaFamilies = 32;

constexpr MmaFamily mma_family(int index) {
  using namespace families;
  constexpr auto kEights = Widths::eights, kSixteens = Widths::eights_then_sixteens;
  constexpr MmaFamily kFamilies[kMmaFamilies] = {
      {kSync, 16, 8, 16, kOne, kF16, false, kF32 | kF16, kEqual, false, false, kPlain, 80},
      {kSync, 16, 8, 8, kOne, kF16, false, kF32 | kF16, kEqual, false, false, kPlain, 75},
      {kSync, 16, 8, 16, kOne, kBf16, false, kF32, kEqual, false, false, kPlain, 80},
      {kSync, 16, 8, 8, kOne, kBf16, false, kF32, kEqual, false, false, kPlain, 80},
      {kSync, 16, 8, 8, kOne, kTf32, false, kF32, kEqual, false, false, kPlain, 80},
      {kSync, 16, 8, 4, kOne, kTf32, false, kF32, kEqual, false, false, kPlain, 80},
      {kSync, 16, 8, 32, kOne, kFp8, true, kF32 | kF16, kEqual, false, false, kPlain, 89},
      {kSync, 16, 8, 16, kOne, kFp8, true, kF32 | kF16, kEqual, false, false, kPlain, 89},
      {kSync, 16, 8, 32, kOne, kInt8, true, kS32, kEqual, false, true, kPlain, 80},
      {kSync, 16, 8, 16, kOne, kInt8, true, kS32, kEqual, false, true, kPlain, 80},
      {kSync, 8, 8, 16, kOne, kInt8, true, kS32, kEqual, false, true, kPlain, 75},
      {kSync, 16, 8, 64, kOne, kInt4, true, kS32, kEqual, false, true, kPlain, 80},
      {kSync, 16, 8, 32, kOne, kInt4, true, kS32, kEqual, false, true, kPlain, 80},
      {kSync, 8, 8, 32, kOne, kInt4, true, kS32, kEqual, false, true, kPlain, 75},
      {kSync, 16, 8, 256, kOne, kB1, false, kS32, kEqual, false, false, kXor | kAnd, 80},
      {kSync, 16, 8, 128, kOne, kB1, false, kS32, kEqual, false, false, kXor | kAnd, 80},
      {kSync, 8, 8, 128, kOne, kB1, false, kS32, kEqual, false, false, kXor, 75},
      {kSync, 8, 8, 128, kOne, kB1, false, kS32, kEqual, false, false, kAnd, 80},
      {kSync, 16, 8, 16, kOne, kF64, false, kF64, kEqual, false, false, kPlain, 90},
      {kSync, 16, 8, 8, kOne, kF64, false, kF64, kEqual, false, false, kPlain, 90},
      {kSync, 16, 8, 4, kOne, kF64, false, kF64, kEqual, false, false, kPlain, 90},
      {kSync, 8, 8, 4, kOne, kF64, false, kF64, kEqual, false, false, kPlain, 80},
      {kSync, 8, 8, 4, kOne, kF16, false, kF32 | kF16, Accumulators::d_not_narrower, true, false,
       kPlain, 70},
      {kWgmma, 64, 256, 16, kEights, kF16, false, kF32 | kF16, kEqual, false, false, kPlain, 90},
      {kWgmma, 64, 256, 16, kEights, kBf16, false, kF32, kEqual, false, false, kPlain, 90},
      {kWgmma, 64, 256, 8, kEights, kTf32, false, kF32, kEqual, false, false, kPlain, 90},
      {kWgmma, 64, 256, 32, kEights, kFp8, true, kF32 | kF16, kEqual, false, false, kPlain, 90},
      {kWgmma, 64, 256, 32, kSixteens, kInt8, true, kS32, kEqual, false, true, kPlain, 90},
      {kWgmma, 64, 256, 256, kSixteens, kB1, false, kS32, kEqual, false, false, kAnd, 90},
      {kWmma, 16, 16, 16, kOne, kF16, false, kF32 | kF16, Accumulators::any, true, false, kPlain,
       70},
      {kWmma, 32, 8, 16, kOne, kF16, false, kF32 | kF16, Accumulators::any, true, false, kPlain,
       70},
      {kWmma, 8, 32, 16, kOne, kF16, false, kF32 | kF16, Accumulators::any, true, false, kPlain,
       70},
  };
  return kFamilies[index];
}

/// True if the family has an instruction of this n.
constexpr bool has_width(const MmaFamily& f, int n) {
  if (f.widths == Widths::one) return n == f.n;
  return n >= 8 && n <= f.n && n % (f.widths == Widths::eights || n <= 32 ? 8 : 16) == 0;
}

/// Calls visit(spec, family) for each instruction of a family, the plainest first.
template <class Visit>
constexpr void for_each_mma(const MmaFamily& f, Visit&& visit) {
  const auto in = [](unsigned set, int bit) { return (set >> bit & 1u) != 0; };
  constexpr int kTypes = static_cast<int>(ElementType::count);
  constexpr ElementType kWide[] = {ElementType::f32, ElementType::f16, ElementType::f64,
                                   ElementType::s32};
  constexpr Order kOrders[] = {Order::row_major, Order::column_major};
  for (int n = 8; n <= f.n; n += 8) {
    if (!has_width(f, n)) continue;
    for (ElementType d : kWide) {
      for (ElementType c : kWide) {
        if (!in(f.accumulators, static_cast<int>(d)) || !in(f.accumulators, static_cast<int>(c)))
          continue;
        if (f.pairing == Accumulators::equal && d != c) continue;
        if (f.pairing == Accumulators::d_not_narrower && element_bits(d) < element_bits(c))
          continue;
        for (int a = 0; a < kTypes; ++a) {
          for (int b = 0; b < kTypes; ++b) {
            if (!in(f.inputs, a) || !in(f.inputs, b) || (a != b && !f.mixed)) continue;
            for (Order order_a : kOrders) {
              for (int j = 1; j >= 0; --j) {
                const Order order_b = kOrders[j];
                const bool row_col = order_a == Order::row_major && order_b == Order::column_major;
                if (!f.any_order && !row_col) continue;
                for (int saturate = 0; saturate <= (f.saturates ? 1 : 0); ++saturate) {
                  for (int op = 0; op < 3; ++op) {
                    if (!in(f.ops, op)) continue;
                    visit(MmaSpec{f.kind, f.m, n, f.k, d, static_cast<ElementType>(a),
                                  static_cast<ElementType>(b), c, order_a, order_b, saturate == 1,
                                  static_cast<BitOp>(op)},
                          f);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace tilescope
