#include "core/sheet/tensor_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {

constexpr const char* kTensorForm =
    "write tensormap:ARGUMENT:TYPE:DIMS:BOX, as in tensormap:0:f16:4096x512:64x128, and perhaps "
    ":swizzle=128, :strides=BYTES, :steps=1x2, :offset=BYTES or :fill=nan";

constexpr TensorElement kTensorElements[] = {
    {"u8", 1, 0},  {"u16", 2, 1}, {"u32", 4, 2}, {"i32", 4, 3},  {"u64", 8, 4},  {"i64", 8, 5},
    {"f16", 2, 6}, {"f32", 4, 7}, {"f64", 8, 8}, {"bf16", 2, 9}, {"tf32", 4, 11}};

const TensorElement* tensor_element_named(const std::string& name) {
  for (const TensorElement& element : kTensorElements) {
    if (name == element.name) return &element;
  }
  std::string names;
  for (const TensorElement& element : kTensorElements) {
    names += (names.empty() ? "" : " ") + std::string(element.name);
  }
  throw SheetError(fmt::format("'{}' is no element of a tensor map; choose one of {}",
                               name.substr(0, 60), names));
}

// Dimensions and strides may be as large as a number: what does not fit is too large for any
// buffer.
constexpr uint64_t kTooLarge = std::numeric_limits<uint64_t>::max();
uint64_t times(uint64_t a, uint64_t b) { return b != 0 && a > kTooLarge / b ? kTooLarge : a * b; }
uint64_t plus(uint64_t a, uint64_t b) { return a > kTooLarge - b ? kTooLarge : a + b; }

std::vector<std::string> tensor_parts(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

uint64_t whole_of(const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) {
    throw SheetError(
        fmt::format("'{}' is not a whole number; {}", text.substr(0, 60), kTensorForm));
  }
  return value;
}

/// "64x128", one number for each dimension.
template <class T, size_t N>
void read_tensor_extents(const std::string& text, const char* what, size_t wanted,
                         std::array<T, N>& to) {
  const std::vector<std::string> parts = tensor_parts(text, 'x');
  if (parts.size() != wanted) {
    throw SheetError(fmt::format("the {} '{}' has {} numbers; the tensor needs {}", what,
                                 text.substr(0, 60), parts.size(), wanted));
  }
  for (size_t i = 0; i < wanted; ++i) {
    const uint64_t value = whole_of(parts[i]);
    if (value > std::numeric_limits<T>::max()) {
      throw SheetError(
          fmt::format("{} of the {} is above {}", value, what, std::numeric_limits<T>::max()));
    }
    to[i] = static_cast<T>(value);
  }
}

}  // namespace

std::span<const TensorElement> tensor_elements() { return kTensorElements; }

uint64_t TensorMapSpec::bytes() const {
  uint64_t end = plus(offset, times(dims[0], element->bytes));
  for (size_t d = 1; d < rank; ++d) end = plus(end, times(dims[d] - 1, strides[d - 1]));
  return end;
}

TensorMapSpec parse_tensor_map(const std::string& text) {
  const std::vector<std::string> parts = tensor_parts(text, ':');
  if (parts.size() < 4) throw SheetError(kTensorForm);
  TensorMapSpec map;
  map.argument = static_cast<size_t>(whole_of(parts[0]));
  map.element = tensor_element_named(parts[1]);
  const size_t rank = tensor_parts(parts[2], 'x').size();
  if (rank > kMostTensorDims) {
    throw SheetError(
        fmt::format("{} dimensions; a tensor map has at most {}", rank, kMostTensorDims));
  }
  map.rank = static_cast<uint32_t>(rank);
  read_tensor_extents(parts[2], "dimensions", rank, map.dims);
  read_tensor_extents(parts[3], "box", rank, map.box);
  constexpr uint64_t kMostExtent = uint64_t{1} << 32;
  for (size_t d = 0; d < rank; ++d) {
    if (map.dims[d] < 1 || map.dims[d] > kMostExtent) {
      throw SheetError(
          fmt::format("the size {} of dimension {} is not within 1 to 2^32", map.dims[d], d));
    }
  }
  bool has_strides = false;
  for (size_t i = 4; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : parts[i].substr(equals + 1);
    if (key == "swizzle") {
      const uint64_t bytes = whole_of(value);
      if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128) {
        throw SheetError(fmt::format("swizzle={}; choose 0, 32, 64 or 128 bytes", bytes));
      }
      map.swizzle = static_cast<uint32_t>(bytes);
    } else if (key == "strides") {
      read_tensor_extents(value, "strides", rank - 1, map.strides);
      has_strides = true;
    } else if (key == "steps") {
      read_tensor_extents(value, "steps", rank, map.steps);
    } else if (key == "offset") {
      map.offset = whole_of(value);
    } else if (key == "fill" && (value == "nan" || value == "zeros")) {
      map.nan_fill = value == "nan";
    } else {
      throw SheetError(
          fmt::format("'{}' is nothing of a tensor map; {}", parts[i].substr(0, 60), kTensorForm));
    }
  }
  if (!has_strides) {
    for (size_t d = 1; d < rank; ++d) {
      map.strides[d - 1] = times(d == 1 ? map.element->bytes : map.strides[d - 2], map.dims[d - 1]);
    }
  }
  constexpr uint64_t kMostStride = uint64_t{1} << 40;
  for (size_t d = 1; d < rank; ++d) {
    if (map.strides[d - 1] >= kMostStride) {
      throw SheetError(fmt::format("the stride {} is not below 2^40 bytes", map.strides[d - 1]));
    }
  }
  return map;
}

}  // namespace tilescope::sheet
