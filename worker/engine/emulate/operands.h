// The numbers that kernels are run on. An element's value follows from seed, operand and index
// alone, so any part of a matrix can be filled, on any machine, without the rest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/layout/problem.h"
#include "worker/messages/bounds.h"

namespace tilescope::worker {

struct DataSpec {
  using Kind = OperandData;
  Kind kind = Kind::random;
  uint64_t seed = 1;
};

/// Rows and columns of a matrix.
struct Rect {
  int row = 0, col = 0, rows = 0, cols = 0;
};
constexpr Rect whole_of(const Problem& p, Operand o) {
  return {0, 0, operand_rows(p, o), operand_cols(p, o)};
}

/// The number that is mixed with an element's index.
uint64_t operand_seed(const DataSpec& data, Operand operand);
/// One value of the data: of a kind, by a seed that has been mixed and an index.
float data_value(DataSpec::Kind kind, uint64_t seed_mixed, uint64_t index);
/// The mixed seed of a matrix that is no operand of a GEMM; `which` tells such matrices apart.
uint64_t mixed_seed(const DataSpec& data, uint64_t which);
uint64_t bias_seed(const DataSpec& data);
float operand_value(const DataSpec& data, Operand operand, uint64_t index);

/// Fills a rectangle of an operand's buffer (as long as the operand).
void fill_operand(const Problem& problem, Operand operand, const DataSpec& data, const Rect& rect,
                  std::span<std::byte> buffer, int threads);

/// Fills a bias of the problem's n.
void fill_bias(const Problem& problem, const DataSpec& data, std::span<std::byte> buffer);

/// Copies a rectangle of an operand from its buffer to one with other lines.
void copy_elements(const Problem& from, std::span<const std::byte> source, const Problem& to,
                   std::span<std::byte> target, Operand operand, const Rect& rect);

/// Element of a buffer, as float, which is exact.
float load_element(ElementType type, const std::byte* buffer, uint64_t index);
/// What fills C before a run: two elements of 16 bits or one of 32. It is a NaN that no arithmetic
/// has as its result (signalling), so where it still stands nothing was written.
constexpr uint32_t untouched_word(ElementType type) {
  return type == ElementType::f16 ? 0x7d5a7d5au : 0x7fa57fa5u;
}
void fill_untouched(ElementType type, std::span<std::byte> buffer);
bool is_untouched_element(ElementType type, const std::byte* buffer, uint64_t index);
void store_element(ElementType type, std::byte* buffer, uint64_t index, float value);

uint64_t random_seed();

}  // namespace tilescope::worker
