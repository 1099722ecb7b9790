// The element types of A, B and C that kernels compute, as bits: what a kernel takes is one number.
#pragma once
#include "core/layout/problem.h"

namespace tilescope {

struct Types {
  ElementType a = ElementType::f32, b = ElementType::f32, c = ElementType::f32;
  constexpr bool operator==(const Types&) const = default;
};
constexpr Types types_of(const Problem& p) { return {p.type_a, p.type_b, p.type_c}; }
constexpr void set_types(Problem& p, const Types& t) {
  p.type_a = t.a, p.type_b = t.b, p.type_c = t.c;
}

enum TypeBits : int {
  kFloat = 1,
  kHalfToFloat = 2,
  kBfloatToFloat = 4,
  kHalf = 8,
  kEightBits = 16,     // e4m3, as weights and activations are
  kGradientBits = 32,  // e5m2 × e4m3: gradients have the wider exponent
};
constexpr int kTypeSets = 6;  // bits of TypeBits

/// The types that a bit stands for.
constexpr Types types_of_bit(int bit) {
  switch (bit) {
    case kHalfToFloat:
      return {ElementType::f16, ElementType::f16, ElementType::f32};
    case kBfloatToFloat:
      return {ElementType::bf16, ElementType::bf16, ElementType::f32};
    case kHalf:
      return {ElementType::f16, ElementType::f16, ElementType::f16};
    case kEightBits:
      return {ElementType::e4m3, ElementType::e4m3, ElementType::f32};
    case kGradientBits:
      return {ElementType::e5m2, ElementType::e4m3, ElementType::f32};
    default:
      return {};
  }
}
/// 0 if no bit stands for them.
constexpr int bit_of_types(const Types& types) {
  for (int i = 0; i < kTypeSets; ++i) {
    if (types_of_bit(1 << i) == types) return 1 << i;
  }
  return 0;
}

}  // namespace tilescope
