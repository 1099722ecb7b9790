// Every dense matrix instruction of the PTX ISA 9.0 for sm_70 to sm_90: one line per family of
// forms that differ in types, operand orders, saturation and bit operation alone. Not here: mma.sp
// and wgmma.mma_async.sp (sparse), block-scaled and f6/f4 kinds, tcgen05. Source: PTX ISA 9.0, the
// tables "Shapes and types" of wmma, mma and wgmma.
#pragma once
#include "core/layout/mma.h"

namespace tilescope {

constexpr unsigned type_bit(ElementType type) { return 1u << static_cast<int>(type); }

/// Types of C and D: equal, D at least as wide as C, or any two.
enum class Accumulators : int { equal, d_not_narrower, any };
/// n of an instruction: one value, or wgmma's lists: each multiple of 8, or beyond 32 of 16.
enum class Widths : int { one, eights, eights_then_sixteens };

struct MmaFamily {
  MmaKind kind = MmaKind::mma_sync;
  int m = 0, n = 0, k = 0;
  Widths widths = Widths::one;
  unsigned inputs = 0;  // types of A and B
  bool mixed = false;   // may A and B differ?
  unsigned accumulators = 0;
  Accumulators pairing = Accumulators::equal;
  bool any_order = false;  // row- and column-major A and B in each mix; else row.col
  bool saturates = false;  // .satfinite may be given
  unsigned ops = 1u << static_cast<int>(BitOp::none);  // bits of BitOp
  int min_sm = 0;  // compute capability × 10; wgmma: sm_90a alone

  // A line of the list says what is not as above.
  constexpr MmaFamily takes(unsigned types) const {
    MmaFamily f = *this;
    f.inputs = types;
    return f;
  }
  constexpr MmaFamily takes_mixed(unsigned types) const {
    MmaFamily f = takes(types);
    f.mixed = true;
    return f;
  }
  constexpr MmaFamily sums(unsigned types, Accumulators pairs = Accumulators::equal) const {
    MmaFamily f = *this;
    f.accumulators = types, f.pairing = pairs;
    return f;
  }
  constexpr MmaFamily in_any_order() const {
    MmaFamily f = *this;
    f.any_order = true;
    return f;
  }
  constexpr MmaFamily saturating() const {
    MmaFamily f = *this;
    f.saturates = true;
    return f;
  }
  constexpr MmaFamily by(unsigned bit_ops) const {
    MmaFamily f = *this;
    f.ops = bit_ops;
    return f;
  }
  constexpr MmaFamily since(int sm) const {
    MmaFamily f = *this;
    f.min_sm = sm;
    return f;
  }
};

namespace families {
constexpr unsigned kF16 = type_bit(ElementType::f16), kBf16 = type_bit(ElementType::bf16),
                   kF32 = type_bit(ElementType::f32), kTf32 = type_bit(ElementType::tf32),
                   kF64 = type_bit(ElementType::f64), kS32 = type_bit(ElementType::s32),
                   kFp8 = type_bit(ElementType::e4m3) | type_bit(ElementType::e5m2),
                   kInt8 = type_bit(ElementType::s8) | type_bit(ElementType::u8),
                   kInt4 = type_bit(ElementType::s4) | type_bit(ElementType::u4),
                   kB1 = type_bit(ElementType::b1);
constexpr unsigned kXor = 1u << static_cast<int>(BitOp::xor_popc),
                   kAnd = 1u << static_cast<int>(BitOp::and_popc);
constexpr MmaFamily sync(int m, int n, int k) {
  return {.kind = MmaKind::mma_sync, .m = m, .n = n, .k = k};
}
constexpr MmaFamily wgmma(int k, Widths widths) {
  return {.kind = MmaKind::wgmma, .m = 64, .n = 256, .k = k, .widths = widths};
}
constexpr MmaFamily wmma(int m, int n, int k) {
  return {.kind = MmaKind::wmma, .m = m, .n = n, .k = k};
}
}  // namespace families

/// The number of lines in mma_family().
constexpr int kMmaFamilies = 32;

constexpr MmaFamily mma_family(int index) {
  using namespace families;
  constexpr auto kEights = Widths::eights, kSixteens = Widths::eights_then_sixteens;
  constexpr auto kWider = Accumulators::d_not_narrower, kAny = Accumulators::any;
  constexpr MmaFamily kFamilies[kMmaFamilies] = {
      sync(16, 8, 16).takes(kF16).sums(kF32 | kF16).since(80),
      sync(16, 8, 8).takes(kF16).sums(kF32 | kF16).since(75),
      sync(16, 8, 16).takes(kBf16).sums(kF32).since(80),
      sync(16, 8, 8).takes(kBf16).sums(kF32).since(80),
      sync(16, 8, 8).takes(kTf32).sums(kF32).since(80),
      sync(16, 8, 4).takes(kTf32).sums(kF32).since(80),
      sync(16, 8, 32).takes_mixed(kFp8).sums(kF32 | kF16).since(89),
      sync(16, 8, 16).takes_mixed(kFp8).sums(kF32 | kF16).since(89),
      sync(16, 8, 32).takes_mixed(kInt8).sums(kS32).saturating().since(80),
      sync(16, 8, 16).takes_mixed(kInt8).sums(kS32).saturating().since(80),
      sync(8, 8, 16).takes_mixed(kInt8).sums(kS32).saturating().since(75),
      sync(16, 8, 64).takes_mixed(kInt4).sums(kS32).saturating().since(80),
      sync(16, 8, 32).takes_mixed(kInt4).sums(kS32).saturating().since(80),
      sync(8, 8, 32).takes_mixed(kInt4).sums(kS32).saturating().since(75),
      sync(16, 8, 256).takes(kB1).sums(kS32).by(kXor | kAnd).since(80),
      sync(16, 8, 128).takes(kB1).sums(kS32).by(kXor | kAnd).since(80),
      sync(8, 8, 128).takes(kB1).sums(kS32).by(kXor).since(75),
      sync(8, 8, 128).takes(kB1).sums(kS32).by(kAnd).since(80),
      sync(16, 8, 16).takes(kF64).sums(kF64).since(90),
      sync(16, 8, 8).takes(kF64).sums(kF64).since(90),
      sync(16, 8, 4).takes(kF64).sums(kF64).since(90),
      sync(8, 8, 4).takes(kF64).sums(kF64).since(80),
      sync(8, 8, 4).takes(kF16).sums(kF32 | kF16, kWider).in_any_order().since(70),
      wgmma(16, kEights).takes(kF16).sums(kF32 | kF16).since(90),
      wgmma(16, kEights).takes(kBf16).sums(kF32).since(90),
      wgmma(8, kEights).takes(kTf32).sums(kF32).since(90),
      wgmma(32, kEights).takes_mixed(kFp8).sums(kF32 | kF16).since(90),
      wgmma(32, kSixteens).takes_mixed(kInt8).sums(kS32).saturating().since(90),
      wgmma(256, kSixteens).takes(kB1).sums(kS32).by(kAnd).since(90),
      wmma(16, 16, 16).takes(kF16).sums(kF32 | kF16, kAny).in_any_order().since(70),
      wmma(32, 8, 16).takes(kF16).sums(kF32 | kF16, kAny).in_any_order().since(70),
      wmma(8, 32, 16).takes(kF16).sums(kF32 | kF16, kAny).in_any_order().since(70),
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
                    visit(MmaSpec{.kind = f.kind,
                                  .m = f.m,
                                  .n = n,
                                  .k = f.k,
                                  .type_d = d,
                                  .type_a = static_cast<ElementType>(a),
                                  .type_b = static_cast<ElementType>(b),
                                  .type_c = c,
                                  .order_a = order_a,
                                  .order_b = order_b,
                                  .saturate = saturate == 1,
                                  .op = static_cast<BitOp>(op)},
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
