#include "emulator/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <iterator>

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

bool decode(const std::byte* bytes, TensorMap& m, std::string* wrong) {
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
  const std::string words = wrong_in(m);
  if (wrong) *wrong = words;
  return words.empty() || wrong;
}

const char* replace_in_map(std::byte* bytes, TensorField field, uint32_t dimension,
                           uint64_t value) {
  Encoded e;
  std::memcpy(&e, bytes, sizeof e);
  const bool is_blank =
      std::all_of(bytes, bytes + kTensorMapBytes, [](std::byte b) { return b == std::byte{0}; });
  if (e.magic != kMagic && !is_blank) {
    return "what lies there is neither a tensor map of the emulator's nor zeros";
  }
  e.magic = kMagic;
  const uint32_t most = field == TensorField::stride ? 4 : 5;
  if (dimension >= most) return "a tensor map has no such dimension";
  constexpr uint64_t kMost16 = 0xffff,
                     kMost8 = 0xff;  // beyond what is legal: said where it is used
  constexpr TensorType kTypes[] = {
      TensorType::u8,   TensorType::u16,  TensorType::u32,     TensorType::s32,     TensorType::u64,
      TensorType::s64,  TensorType::f16,  TensorType::f32,     TensorType::f32_ftz, TensorType::f64,
      TensorType::bf16, TensorType::tf32, TensorType::tf32_ftz};
  constexpr uint8_t kSpans[] = {0, 32, 64, 128};
  switch (field) {
    case TensorField::address:
      e.address = value;
      break;
    case TensorField::rank:
      e.rank = static_cast<uint8_t>(std::min(value + 1, kMost8));
      break;
    case TensorField::box:
      e.box[dimension] = static_cast<uint16_t>(std::min(value, kMost16));
      break;
    case TensorField::dim:
      e.dims[dimension] = value;
      break;
    case TensorField::stride:
      e.strides[dimension] = value;
      break;
    case TensorField::element_stride:
      e.element_strides[dimension] = static_cast<uint8_t>(std::min(value, kMost8));
      break;
    case TensorField::type:
      if (value >= std::size(kTypes)) return "an element type of fewer than 8 bits, or none";
      e.type = static_cast<uint8_t>(kTypes[value]);
      break;
    case TensorField::interleave:
      if (value != 0) return "an interleaved layout, which the emulator does not have yet";
      break;
    case TensorField::swizzle:
      if (value >= std::size(kSpans)) return "a swizzle that sm_90 does not have";
      e.swizzle = kSpans[value];
      break;
    case TensorField::atomicity:
      if (value != 0) return "a swizzle of 32 or 64 bytes at once, which sm_90 does not have";
      break;
    case TensorField::fill:
      if (value > 1) return "a fill that is neither zeros nor NaN";
      e.nan_fill = static_cast<uint8_t>(value);
      break;
  }
  std::memcpy(bytes, &e, sizeof e);
  return nullptr;
}

}  // namespace tilescope::emulator
