// The element types of matrix instructions and matrices, in the PTX ISA's names.
#pragma once

namespace tilescope {

enum class ElementType : int {
  f16,
  bf16,
  f32,
  tf32,
  f64,
  e4m3,
  e5m2,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  count
};

/// Bits of one element as a fragment holds it; tf32 takes a whole 32-bit register.
constexpr int element_bits(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 64;
    case ElementType::f32:
    case ElementType::tf32:
    case ElementType::s32:
      return 32;
    case ElementType::f16:
    case ElementType::bf16:
      return 16;
    case ElementType::e4m3:
    case ElementType::e5m2:
    case ElementType::s8:
    case ElementType::u8:
      return 8;
    case ElementType::s4:
    case ElementType::u4:
      return 4;
    case ElementType::b1:
      return 1;
    default:
      return 0;
  }
}
/// Bytes of an element of a matrix in memory; types under 8 bits have none of their own: 0.
constexpr int element_bytes(ElementType type) { return element_bits(type) / 8; }

}  // namespace tilescope
