// How provenance passes each instruction of an entry: found once, from rows and opcodes.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/code.h"
#include "emulator/row.h"

namespace tilescope::emulator {

enum class Pass : uint8_t {
  nothing,      // touches no data
  clear,        // the results are no data
  move,         // halves of the sources, one after the other, are those of the results
  convert,      // one number in another type
  convert_two,  // two numbers into the halves of a register
  choose,       // selp
  product,      // a · b + c
  sum,          // a + b
  factor,       // a · b
  bits,         // shifts by 16, masks and unions of halves; else an expression
  permute,      // prmt
  shuffle,
  expression,
  product_pairs,  // the same of two halves
  expression_pairs,
  load,
  store,
  copy,
  atomic,
  load_matrix,
  store_matrix,
  move_matrix,
  matrix_product,
  load_fragment,
  store_fragment
};

/// Operands of a matrix product, in halves ("units") or, for wider types, whole registers.
struct ProductShape {
  uint32_t m = 0, units = 0;            // rows; units along k
  uint32_t d = 0, a = 0, b = 0, c = 0;  // registers
  uint32_t packed = 1;                  // units in a register
  bool half_sums = false;               // two 16-bit sums a register
  bool wmma = false;                    // m16n16: two products of n8 beside each other
};

struct Step {
  Pass pass = Pass::nothing;
  uint8_t results = 0, operands = 0;  // slots: results first, but for stores
  bool transposed = false;
  uint32_t shape = 0;  // into TrackPlan::shapes
};

struct TrackPlan {
  TrackPlan(const Code& code, const RowTable& rows);

  static constexpr uint32_t kUntracked = 0xffffffffu;
  std::vector<Step> steps;      // by instruction
  std::vector<uint32_t> place;  // by register: words into a warp's shadow, or kUntracked
  std::vector<uint8_t> halves;  // by register: 0 (predicate), 1, 2, 4
  uint32_t words = 0;           // of a warp's shadow
  std::vector<ProductShape> shapes;
};

}  // namespace tilescope::emulator
