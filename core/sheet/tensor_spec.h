// A tensor map by value (CUtensorMap, 128 bytes): what cuTensorMapEncodeTiled would be told of a
// tensor that lies in another argument's buffer, and of the boxes that are copied of it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilescope::sheet {

inline constexpr uint32_t kTensorMapBytes = 128;
inline constexpr size_t kMostTensorDims = 5;

/// What a tensor map may hold: a type as SPECs name it, or tf32.
struct TensorElement {
  const char* name;
  uint32_t bytes;
  int code;  // CUtensorMapDataType
};
std::span<const TensorElement> tensor_elements();

struct TensorMapSpec {
  size_t argument = 0;  // whose buffer it lies in
  uint64_t offset = 0;  // bytes from the buffer's beginning
  const TensorElement* element = nullptr;
  // From the dimension on whose elements lie one behind the other; elements, but strides in bytes.
  uint32_t rank = 0;
  std::array<uint64_t, kMostTensorDims> dims{};
  std::array<uint64_t, kMostTensorDims - 1> strides{};  // of the second dimension on
  std::array<uint32_t, kMostTensorDims> box{}, steps{1, 1, 1, 1, 1};
  uint32_t swizzle = 0;  // bytes
  bool nan_fill = false;

  /// From the buffer's beginning to behind its last element; what does not fit 64 bits is all ones.
  uint64_t bytes() const;
};

/// "0:f16:64x256:64x128:swizzle=128": argument, type, dimensions, box; then, in any order,
/// swizzle=32|64|128, strides=BYTESx…, steps=1x2, offset=BYTES, fill=nan. Without strides it is
/// dense. Throws SheetError.
TensorMapSpec parse_tensor_map(const std::string& text);

}  // namespace tilescope::sheet
