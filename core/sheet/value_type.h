// The types of numbers that SPECs name, and how a number of each lies in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope::sheet {

struct ValueType {
  enum class Kind : uint8_t { signed_integer, unsigned_integer, real } kind{};
  const char* name = "";  // in a SPEC: "f32"
  uint32_t bytes = 0;
  const char* numpy = "";  // its descr in a .npy file, little-endian; "" = numpy has none
  std::span<const char* const> cpp{};  // what C++ calls it

  bool is_real() const { return kind == Kind::real; }
};

/// Each once.
std::span<const ValueType> value_types();
/// Null: there is none of this name.
const ValueType* value_type_named(std::string_view name);
/// Of C++'s name without const and volatile ("unsigned int", "__half"); null: none of these.
const ValueType* value_type_of_cpp(std::string_view cpp);

/// A real number as one of a type: rounded to nearest even; f16, bf16, f32 or f64.
std::vector<std::byte> real_bytes(const ValueType& type, double value);
/// The low bytes of an integer; a real type gets the nearest number.
std::vector<std::byte> integer_bytes(const ValueType& type, int64_t value);

/// IEEE half and bfloat16 nearest to a value, ties to even.
uint16_t to_half(double value);
uint16_t to_bfloat(double value);

}  // namespace tilescope::sheet
