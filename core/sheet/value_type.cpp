#include "core/sheet/value_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace tilescope::sheet {
namespace {

using NumberKind = ValueType::Kind;

constexpr const char* kI8[] = {"signed char", "char", "int8_t"};
constexpr const char* kU8[] = {"unsigned char", "uint8_t", "bool"};
constexpr const char* kI16[] = {"short", "short int", "int16_t"};
constexpr const char* kU16[] = {"unsigned short", "uint16_t", "ushort"};
constexpr const char* kI32[] = {"int", "int32_t", "signed", "signed int"};
constexpr const char* kU32[] = {"unsigned int", "unsigned", "uint32_t", "uint"};
constexpr const char* kI64[] = {"long", "long long", "int64_t", "ptrdiff_t", "long int", "ssize_t"};
constexpr const char* kU64[] = {"unsigned long", "unsigned long long", "uint64_t",
                                "size_t",        "std::size_t",        "ulong"};
constexpr const char* kF16[] = {"__half", "half", "half_t"};
constexpr const char* kBf16[] = {"__nv_bfloat16", "nv_bfloat16", "bfloat16"};
constexpr const char* kF32[] = {"float"};
constexpr const char* kF64[] = {"double"};

constexpr ValueType kTypes[] = {
    {NumberKind::signed_integer, "i8", 1, "|i1", kI8},
    {NumberKind::unsigned_integer, "u8", 1, "|u1", kU8},
    {NumberKind::signed_integer, "i16", 2, "<i2", kI16},
    {NumberKind::unsigned_integer, "u16", 2, "<u2", kU16},
    {NumberKind::signed_integer, "i32", 4, "<i4", kI32},
    {NumberKind::unsigned_integer, "u32", 4, "<u4", kU32},
    {NumberKind::signed_integer, "i64", 8, "<i8", kI64},
    {NumberKind::unsigned_integer, "u64", 8, "<u8", kU64},
    {NumberKind::real, "f16", 2, "<f2", kF16},
    {NumberKind::real, "bf16", 2, "", kBf16},
    {NumberKind::real, "f32", 4, "<f4", kF32},
    {NumberKind::real, "f64", 8, "<f8", kF64},
};

template <class T>
std::vector<std::byte> bits_of(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// Nearest number with `digits` bits of mantissa (the first one counted), as steps of 2^lowest; the
/// exponent of the smallest subnormal bounds `lowest`.
struct Rounded {
  int lowest = 0;
  double steps = 0;
};
Rounded rounded(double size, int digits, int smallest) {
  int exponent = 0;
  std::frexp(size, &exponent);  // size = f · 2^exponent, f in [0.5, 1)
  const int lowest = std::max(exponent - digits, smallest);
  return {lowest, std::nearbyint(std::ldexp(size, -lowest))};
}

}  // namespace

std::span<const ValueType> value_types() { return kTypes; }

const ValueType* value_type_named(std::string_view name) {
  const auto found = std::ranges::find_if(kTypes, [&](const auto& t) { return t.name == name; });
  return found == std::end(kTypes) ? nullptr : found;
}

const ValueType* value_type_of_cpp(std::string_view cpp) {
  const auto found = std::ranges::find_if(
      kTypes, [&](const auto& t) { return std::ranges::find(t.cpp, cpp) != t.cpp.end(); });
  return found == std::end(kTypes) ? nullptr : found;
}

uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double size = std::abs(value);
  if (size >= 65520) return sign | 0x7c00;  // rounds beyond the largest, 65504
  const auto [lowest, steps] = rounded(size, 11, -24);
  const int bits = static_cast<int>(steps);
  if (lowest == -24 && bits < 1024) return static_cast<uint16_t>(sign | bits);  // subnormal
  // A carry out of the mantissa lands in the exponent, where it belongs.
  return static_cast<uint16_t>(sign | (((lowest + 24) << 10) + bits));
}

uint16_t to_bfloat(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7fc0;
  const double size = std::abs(value);
  if (size >= 0x1.ffp127) return sign | 0x7f80;  // rounds beyond the largest, 0x1.fep127
  const auto [lowest, steps] = rounded(size, 8, -133);
  const int bits = static_cast<int>(steps);
  if (lowest == -133 && bits < 128) return static_cast<uint16_t>(sign | bits);
  return static_cast<uint16_t>(sign | (((lowest + 133) << 7) + bits));
}

std::vector<std::byte> real_bytes(const ValueType& type, double value) {
  const std::string_view name = type.name;
  if (name == "f16") return bits_of(to_half(value));
  if (name == "bf16") return bits_of(to_bfloat(value));
  if (name == "f32") return bits_of(static_cast<float>(value));
  return bits_of(value);
}

std::vector<std::byte> integer_bytes(const ValueType& type, int64_t value) {
  if (type.is_real()) return real_bytes(type, static_cast<double>(value));
  std::vector<std::byte> bytes = bits_of(value);
  bytes.resize(type.bytes);  // little-endian, as the card is
  return bytes;
}

}  // namespace tilescope::sheet
