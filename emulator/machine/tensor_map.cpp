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

// What a kernel copies of a map, as CuTe does, may be its first 64 bytes alone: they hold all of
// it. Zeros are a map of one element that lacks its magic number.
struct Encoded {
  uint64_t magic, address;
  uint32_t last[5];          // by dimension: its size less one
  uint32_t stride_low[4];    // units of 16 bytes; 36 bits
  uint16_t element_strides;  // less one, three bits each
  uint8_t stride_high[2];    // four bits each
  uint8_t box[5];            // less one
  uint8_t type_and_rank;     // the rank less one above four bits
  uint8_t swizzle_and_fill;  // the swizzle's number, two bits
};
static_assert(sizeof(Encoded) <= kTensorMapUsed);

constexpr uint32_t kSpans[] = {0, 32, 64, 128};  // by the swizzle's number
constexpr uint64_t kStrideUnit = 16, kMostStride = 1ull << 40;

void put_stride(Encoded& e, uint32_t i, uint64_t bytes) {
  const uint64_t units = bytes / kStrideUnit;
  e.stride_low[i] = static_cast<uint32_t>(units);
  const uint32_t shift = i % 2 * 4;
  uint8_t& high = e.stride_high[i / 2];
  high = static_cast<uint8_t>((high & ~(15u << shift)) | (units >> 32 & 15u) << shift);
}
uint64_t stride_of(const Encoded& e, uint32_t i) {
  const uint64_t high = e.stride_high[i / 2] >> (i % 2 * 4) & 15u;
  return (high << 32 | e.stride_low[i]) * kStrideUnit;
}
void put_element_stride(Encoded& e, uint32_t i, uint32_t stride) {
  const uint32_t shift = 3 * i;
  e.element_strides =
      static_cast<uint16_t>((e.element_strides & ~(7u << shift)) | ((stride - 1) & 7u) << shift);
}

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
  if (!wrong_in(m).empty()) return {};
  Encoded e{};
  e.magic = kMagic, e.address = m.address;
  for (uint32_t i = 0; i < m.rank; ++i) {
    e.last[i] = static_cast<uint32_t>(m.dims[i] - 1);
    e.box[i] = static_cast<uint8_t>(m.box[i] - 1);
    put_element_stride(e, i, m.element_strides[i]);
    if (i > 0) put_stride(e, i - 1, m.strides[i - 1]);
  }
  e.type_and_rank = static_cast<uint8_t>(static_cast<uint32_t>(m.type) | (m.rank - 1) << 4);
  const auto span = std::ranges::find(kSpans, m.swizzle) - kSpans;
  e.swizzle_and_fill = static_cast<uint8_t>(span | (m.nan_fill ? 4 : 0));
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &e, sizeof e);
  return bytes;
}

bool decode(const std::byte* bytes, TensorMap& m) {
  Encoded e;
  std::memcpy(&e, bytes, sizeof e);
  if (e.magic != kMagic) return false;
  m = {};
  m.address = e.address;
  m.type = static_cast<TensorType>(e.type_and_rank & 15u), m.rank = (e.type_and_rank >> 4 & 7u) + 1;
  for (uint32_t i = 0; i < std::min(m.rank, 5u); ++i) {
    m.dims[i] = uint64_t{e.last[i]} + 1;
    m.box[i] = e.box[i] + 1u;
    m.element_strides[i] = (e.element_strides >> (3 * i) & 7u) + 1;
    if (i > 0) m.strides[i - 1] = stride_of(e, i - 1);
  }
  m.swizzle = kSpans[e.swizzle_and_fill & 3u], m.nan_fill = (e.swizzle_and_fill & 4u) != 0;
  return true;
}

std::string replace_in_map(std::byte* bytes, TensorField field, uint32_t dimension,
                           uint64_t value) {
  Encoded e;
  std::memcpy(&e, bytes, sizeof e);
  const bool is_blank =
      std::all_of(bytes, bytes + kTensorMapUsed, [](std::byte b) { return b == std::byte{0}; });
  if (e.magic != kMagic && !is_blank) {
    return "what lies there is neither a tensor map of the emulator's nor zeros";
  }
  e.magic = kMagic;
  if (dimension >= (field == TensorField::stride ? 4u : 5u)) {
    return "dimension " + in_words(dimension) +
           " is none of a tensor map's, which has 5 and 4 strides";
  }
  const std::string at = " of dimension " + in_words(dimension);
  constexpr TensorType kTypes[] = {
      TensorType::u8,   TensorType::u16,  TensorType::u32,     TensorType::s32,     TensorType::u64,
      TensorType::s64,  TensorType::f16,  TensorType::f32,     TensorType::f32_ftz, TensorType::f64,
      TensorType::bf16, TensorType::tf32, TensorType::tf32_ftz};
  switch (field) {
    case TensorField::address:
      e.address = value;
      break;
    case TensorField::rank:
      if (value > 4) return "the rank " + in_words(value) + ", which counts from 0, is above 4";
      e.type_and_rank = static_cast<uint8_t>((e.type_and_rank & 15u) | value << 4);
      break;
    case TensorField::box:
      if (value < 1 || value > 256) {
        return "the box's size " + in_words(value) + at + " is not within 1 to 256";
      }
      e.box[dimension] = static_cast<uint8_t>(value - 1);
      break;
    case TensorField::dim:
      if (value < 1) return "the size 0" + at + " is not within 1 to 2^32";
      e.last[dimension] = static_cast<uint32_t>(value - 1);
      break;
    case TensorField::stride:
      if (value % kStrideUnit || value >= kMostStride) {
        return "the stride of " + in_words(value) + " bytes" + at +
               " is no multiple of 16 below 2^40";
      }
      put_stride(e, dimension, value);
      break;
    case TensorField::element_stride:
      if (value < 1 || value > 8) {
        return "the element stride " + in_words(value) + at + " is not within 1 to 8";
      }
      put_element_stride(e, dimension, static_cast<uint32_t>(value));
      break;
    case TensorField::type:
      if (value >= std::size(kTypes)) {
        return "the element type " + in_words(value) + " has fewer than 8 bits, or is none";
      }
      e.type_and_rank =
          static_cast<uint8_t>((e.type_and_rank & ~15u) | static_cast<uint32_t>(kTypes[value]));
      break;
    case TensorField::interleave:
      if (value != 0) return "interleaved layouts are not there yet: " + in_words(value);
      break;
    case TensorField::swizzle:
      if (value >= std::size(kSpans))
        return "the swizzle mode " + in_words(value) + " is above 3, which sm_90 has";
      e.swizzle_and_fill = static_cast<uint8_t>((e.swizzle_and_fill & ~3u) | value);
      break;
    case TensorField::atomicity:
      if (value != 0)
        return "the swizzle atomicity " + in_words(value) + " is not 0, as sm_90 has it";
      break;
    case TensorField::fill:
      if (value > 1) return "the fill mode " + in_words(value) + " is neither 0, zeros, nor 1, NaN";
      e.swizzle_and_fill = static_cast<uint8_t>((e.swizzle_and_fill & 3u) | value << 2);
      break;
  }
  std::memcpy(bytes, &e, sizeof e);
  return {};
}

}  // namespace tilescope::emulator
