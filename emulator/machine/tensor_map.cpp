#include "emulator/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMagic = 0x0031'70616d'727354ull;  // and a version

struct ElementInfo {
  const char* name;
  uint32_t bytes;
  bool is_real;
};
constexpr ElementInfo kTensorElements[kTensorTypes] = {
    {"u8", 1, false},     {"u16", 2, false}, {"u32", 4, false},    {"s32", 4, false},
    {"u64", 8, false},    {"s64", 8, false}, {"f16", 2, true},     {"f32", 4, true},
    {"f64", 8, true},     {"bf16", 2, true}, {"f32_ftz", 4, true}, {"tf32", 4, true},
    {"tf32_ftz", 4, true}};

const ElementInfo& element_info(TensorType type) {
  return kTensorElements[static_cast<size_t>(type)];
}

struct Encoded {
  uint64_t magic, address, dims[5], strides[4];
  uint16_t box[5];
  uint8_t element_strides[5], type, rank, swizzle, nan_fill;
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

std::string in_words(uint64_t n) { return std::to_string(n); }

}  // namespace

const char* tensor_type_name(TensorType type) { return element_info(type).name; }
uint32_t tensor_type_bytes(TensorType type) { return element_info(type).bytes; }

std::string wrong_in(const TensorMap& m) {
  if (static_cast<int>(m.type) >= kTensorTypes) return "the element type is none of a tensor map's";
  const uint32_t size = tensor_type_bytes(m.type);
  if (m.rank < 1 || m.rank > 5) return "the rank " + in_words(m.rank) + " is not within 1 to 5";
  if (m.address % 16) return "the address " + in_words(m.address) + " is no multiple of 16";
  for (uint32_t i = 0; i < m.rank; ++i) {
    const std::string at = " of dimension " + in_words(i);
    if (m.dims[i] < 1 || m.dims[i] > 1ull << 32) {
      return "the size " + in_words(m.dims[i]) + at + " is not within 1 to 2^32";
    }
    if (m.box[i] < 1 || m.box[i] > 256) {
      return "the box's size " + in_words(m.box[i]) + at + " is not within 1 to 256";
    }
    if (m.element_strides[i] < 1 || m.element_strides[i] > 8) {
      return "the element stride " + in_words(m.element_strides[i]) + at + " is not within 1 to 8";
    }
    if (i == 0) continue;
    const uint64_t stride = m.strides[i - 1];
    if (stride % 16 || stride >= 1ull << 40) {
      return "the stride of " + in_words(stride) + " bytes" + at +
             " is no multiple of 16 below 2^40";
    }
  }
  const uint32_t line = m.box[0] * size;
  if (line % 16) {
    return "the box's first dimension has " + in_words(line) + " bytes, no multiple of 16";
  }
  if (m.swizzle != 0 && m.swizzle != 32 && m.swizzle != 64 && m.swizzle != 128) {
    return "the swizzle of " + in_words(m.swizzle) + " bytes is none of 0, 32, 64, 128";
  }
  if (m.swizzle != 0 && line > m.swizzle) {
    return "the box's first dimension has " + in_words(line) + " bytes, above the swizzle's " +
           in_words(m.swizzle);
  }
  if (m.nan_fill && !element_info(m.type).is_real) {
    return std::string("NaN fills only what lies outside of reals, not of ") +
           element_info(m.type).name;
  }
  return {};
}

std::array<std::byte, kTensorMapBytes> encode(const TensorMap& m) {
  Encoded e{};
  e.magic = kMagic, e.address = m.address;
  std::ranges::copy(m.dims, e.dims);
  std::ranges::copy(m.strides, e.strides);
  for (size_t i = 0; i < 5; ++i) {
    e.box[i] = static_cast<uint16_t>(m.box[i]);
    e.element_strides[i] = static_cast<uint8_t>(m.element_strides[i]);
  }
  e.type = static_cast<uint8_t>(m.type), e.rank = static_cast<uint8_t>(m.rank);
  e.swizzle = static_cast<uint8_t>(m.swizzle), e.nan_fill = m.nan_fill;
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &e, sizeof e);
  return bytes;
}

bool decode(const std::byte* bytes, TensorMap& m) {
  Encoded e;
  std::memcpy(&e, bytes, sizeof e);
  if (e.magic != kMagic) return false;
  m.address = e.address;
  std::ranges::copy(e.dims, m.dims.begin());
  std::ranges::copy(e.strides, m.strides.begin());
  std::ranges::copy(e.box, m.box.begin());
  std::ranges::copy(e.element_strides, m.element_strides.begin());
  m.type = static_cast<TensorType>(e.type), m.rank = e.rank;
  m.swizzle = e.swizzle, m.nan_fill = e.nan_fill != 0;
  return wrong_in(m).empty();
}

}  // namespace tilescope::emulator
