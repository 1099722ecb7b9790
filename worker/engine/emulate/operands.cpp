#include "worker/engine/emulate/operands.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "worker/engine/emulate/half.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {
namespace {

uint64_t mix(uint64_t x) {  // splitmix64's finalizer
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

}  // namespace

uint64_t operand_seed(const DataSpec& data, Operand operand) {
  return mix(data.seed * 4 + static_cast<uint64_t>(operand));
}

uint64_t bias_seed(const DataSpec& data) { return mix(data.seed * 4 + 3); }

uint64_t mixed_seed(const DataSpec& data, uint64_t which) { return mix(mix(data.seed) + which); }

float data_value(DataSpec::Kind kind, uint64_t seed_mixed, uint64_t index) {
  const uint64_t bits = mix(index ^ seed_mixed);
  if (kind == DataSpec::Kind::exact) {
    return (static_cast<float>(bits % 17) - 8.0f) / 8.0f;
  }
  return static_cast<float>(static_cast<int>(bits >> 40) - (1 << 23)) * 0x1p-23f;
}

float operand_value(const DataSpec& data, Operand operand, uint64_t index) {
  return data_value(data.kind, operand_seed(data, operand), index);
}

void fill_bias(const Problem& p, const DataSpec& data, std::span<std::byte> buffer) {
  for (int i = 0; i < p.n; ++i) {
    const auto at = static_cast<uint64_t>(i);
    store_element(p.type_c, buffer.data(), at, data_value(data.kind, bias_seed(data), at));
  }
}

float load_element(ElementType type, const std::byte* buffer, uint64_t index) {
  if (type == ElementType::f32) {
    float value;
    std::memcpy(&value, buffer + index * 4, 4);
    return value;
  }
  if (element_bytes(type) == 1) {
    return eight_bits_value(type, static_cast<uint8_t>(buffer[index]));
  }
  uint16_t bits;
  std::memcpy(&bits, buffer + index * 2, 2);
  return type == ElementType::f16 ? half_value(bits) : bfloat_value(bits);
}

void fill_untouched(ElementType type, std::span<std::byte> buffer) {
  const uint32_t word = untouched_word(type);
  std::byte* to = buffer.data();
  for (size_t left = buffer.size(); left > 0;) {
    const size_t bytes = std::min(left, sizeof word);
    std::memcpy(to, &word, bytes);
    to += bytes, left -= bytes;
  }
}

bool is_untouched_element(ElementType type, const std::byte* buffer, uint64_t index) {
  const uint32_t word = untouched_word(type);
  const auto bytes = static_cast<uint64_t>(element_bytes(type));
  return bytes <= sizeof word && std::memcmp(buffer + index * bytes, &word, bytes) == 0;
}

void store_element(ElementType type, std::byte* buffer, uint64_t index, float value) {
  if (type == ElementType::f32) {
    std::memcpy(buffer + index * 4, &value, 4);
    return;
  }
  if (element_bytes(type) == 1) {
    buffer[index] = static_cast<std::byte>(eight_bits_of(type, value));
    return;
  }
  const uint16_t bits = type == ElementType::f16 ? half_bits(value) : bfloat_bits(value);
  std::memcpy(buffer + index * 2, &bits, 2);
}

void fill_operand(const Problem& problem, Operand operand, const DataSpec& data, const Rect& rect,
                  std::span<std::byte> buffer, int threads) {
  const Order order = operand_order(problem, operand);
  const ElementType type = operand_type(problem, operand);
  const bool by_rows = order == Order::row_major;
  const int lines = by_rows ? rect.rows : rect.cols, along = by_rows ? rect.cols : rect.rows;
  parallel_for(threads, static_cast<size_t>(lines), [&](size_t line) {
    const int i = static_cast<int>(line);
    const int row = by_rows ? rect.row + i : rect.row, col = by_rows ? rect.col : rect.col + i;
    const auto first =
        static_cast<uint64_t>(global_offset(problem, operand, {row, col}) / element_bytes(type));
    for (uint64_t e = first; e < first + static_cast<uint64_t>(along); ++e) {
      store_element(type, buffer.data(), e, operand_value(data, operand, e));
    }
  });
}

void copy_elements(const Problem& from, std::span<const std::byte> source, const Problem& to,
                   std::span<std::byte> target, Operand operand, const Rect& rect) {
  const auto bytes = static_cast<size_t>(element_bytes(operand_type(from, operand)));
  const bool by_rows = operand_order(from, operand) == Order::row_major;
  const int lines = by_rows ? rect.rows : rect.cols, along = by_rows ? rect.cols : rect.rows;
  for (int i = 0; i < lines; ++i) {
    const Coord first = by_rows ? Coord{rect.row + i, rect.col} : Coord{rect.row, rect.col + i};
    std::memcpy(target.data() + global_offset(to, operand, first),
                source.data() + global_offset(from, operand, first),
                static_cast<size_t>(along) * bytes);
  }
}

uint64_t random_seed() {
  std::random_device device;
  // 53 bits: JSON numbers keep them whatever reads them.
  return (static_cast<uint64_t>(device()) << 32 | device()) >> 11;
}

}  // namespace tilescope::worker
