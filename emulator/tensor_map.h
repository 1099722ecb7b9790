// Tensor maps as the emulator has them: 128 bytes that hold the arguments of
// cuTensorMapEncodeTiled. What a card's driver writes there is not documented, so a kernel gets one
// or the other, made from the same arguments.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilescope::emulator {

/// Numbers are those of CUtensorMapDataType.
enum class TensorType : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz
};
inline constexpr int kTensorTypes = 13;
/// "u8", "bf16", …
const char* tensor_type_name(TensorType type);
uint32_t tensor_type_bytes(TensorType type);

/// A tensor of 1 to 5 dimensions in global memory, of which boxes are copied; the first dimension
/// is the one whose elements lie one behind the other.
struct TensorMap {
  TensorType type = TensorType::f16;
  uint32_t rank = 0;
  uint64_t address = 0;               // of the first element
  std::array<uint64_t, 5> dims{};     // elements
  std::array<uint64_t, 4> strides{};  // bytes, from the second dimension on
  std::array<uint32_t, 5> box{};      // elements
  std::array<uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  uint32_t swizzle = 0;   // bytes: 0 (none), 32, 64, 128
  bool nan_fill = false;  // of what lies outside; else zeros

  bool operator==(const TensorMap&) const = default;
};
/// Of these the first 64 are used: what lies behind them may be anything.
inline constexpr size_t kTensorMapBytes = 128, kTensorMapUsed = 64;

/// What cuTensorMapEncodeTiled would refuse, one sentence with the value and the limit; or empty.
std::string wrong_in(const TensorMap& map);
/// Zeros, which are no map, of one that wrong_in() tells of.
std::array<std::byte, kTensorMapBytes> encode(const TensorMap& map);
/// False if the bytes are no tensor map of the emulator's; one that a kernel has made may be
/// illegal.
bool decode(const std::byte* bytes, TensorMap& map);

/// What tensormap.replace replaces, in the ISA's numbers: a rank is one less, types have an order
/// of their own.
enum class TensorField : uint8_t {
  address,
  rank,
  box,     // of a dimension, as the next three
  dim,     // elements
  stride,  // bytes; of the dimension behind
  element_stride,
  type,
  interleave,
  swizzle,
  atomicity,
  fill
};
/// Changes a field of a map's bytes, of one that is only begun, too: zeros. Empty, or what is wrong
/// with the value.
std::string replace_in_map(std::byte* bytes, TensorField field, uint32_t dimension, uint64_t value);

}  // namespace tilescope::emulator
