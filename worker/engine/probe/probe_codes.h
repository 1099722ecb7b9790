// Numbers that the element types of matrix instructions hold exactly: how probes name an element.
#pragma once
#include <cstdint>

#include "core/layout/element_type.h"

namespace tilescope::worker {

/// A type holds 0 … code_base − 1 exactly, as an input and as a sum of one product.
constexpr int64_t code_base(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::tf32:
      return 2048;
    case ElementType::bf16:
    case ElementType::u8:
      return 256;
    case ElementType::f32:
      return int64_t{1} << 24;
    case ElementType::f64:
    case ElementType::s32:
      return int64_t{1} << 30;
    case ElementType::s8:
      return 128;
    case ElementType::e4m3:
    case ElementType::u4:
      return 16;
    case ElementType::e5m2:
    case ElementType::s4:
      return 8;
    default:
      return 2;
  }
}

/// How many digits the numbers 0 … count − 1 have.
constexpr int digits_of(int64_t count, int64_t base) {
  int digits = 1;
  for (int64_t reach = base; reach < count; reach *= base) ++digits;
  return digits;
}

/// The bits of a number of code_base as an element.
uint64_t code_bits(ElementType type, int64_t number);

/// What stands there if it is no whole number from 0 to 2^31.
inline constexpr int64_t kNoNumber = -1;
/// The number that an accumulator holds.
int64_t code_number(ElementType type, const void* at);

}  // namespace tilescope::worker
