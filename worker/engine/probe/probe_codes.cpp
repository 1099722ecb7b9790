#include "worker/engine/probe/probe_codes.h"

#include <bit>
#include <cstring>

#include "worker/engine/emulate/half.h"

namespace tilescope::worker {
namespace {

/// Bits of a whole number as a floating-point type with `mantissa` bits, all of which it needs.
uint64_t real_bits(int64_t number, int bias, int mantissa) {
  if (number == 0) return 0;
  const auto value = static_cast<uint64_t>(number);
  const int exponent = std::bit_width(value) - 1;
  const uint64_t fraction = (value << mantissa >> exponent) & ((uint64_t{1} << mantissa) - 1);
  return static_cast<uint64_t>(exponent + bias) << mantissa | fraction;
}

template <class T>
T read(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

int64_t whole(double value) {
  if (!(value >= 0 && value <= 2147483648.0)) return kNoNumber;  // NaN, too
  const auto number = static_cast<int64_t>(value);
  return static_cast<double>(number) == value ? number : kNoNumber;
}

}  // namespace

uint64_t code_bits(ElementType type, int64_t number) {
  switch (type) {
    case ElementType::f16:
      return real_bits(number, 15, 10);
    case ElementType::bf16:
      return real_bits(number, 127, 7);
    case ElementType::f32:
    case ElementType::tf32:
      return real_bits(number, 127, 23);
    case ElementType::f64:
      return real_bits(number, 1023, 52);
    case ElementType::e4m3:
      return real_bits(number, 7, 3);
    case ElementType::e5m2:
      return real_bits(number, 15, 2);
    default:
      return static_cast<uint64_t>(number);
  }
}

int64_t code_number(ElementType type, const void* at) {
  switch (type) {
    case ElementType::f16:
      return whole(static_cast<double>(half_value(read<uint16_t>(at))));
    case ElementType::f32:
      return whole(static_cast<double>(read<float>(at)));
    case ElementType::f64:
      return whole(read<double>(at));
    default: {
      const auto number = read<int32_t>(at);
      return number < 0 ? kNoNumber : number;
    }
  }
}

}  // namespace tilescope::worker
