// What each instruction of an entry does to where values came from: found once per entry, from its
// rows and opcodes.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/compile/row.h"
#include "emulator/provenance/product_shape.h"

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
  product_pairs,  // the same of two values in one register
  expression_pairs,
  load,
  store,
  copy,
  atomic,
  load_matrix,
  store_matrix,
  move_matrix,
  matrix_product,
  warpgroup_product,
  load_fragment,
  store_fragment
};

struct Step {
  Pass pass = Pass::nothing;
  uint8_t results = 0, operands = 0;  // slots: results first, but for stores
  bool transposed = false;            // 8 × 8 matrices of halves, on their way into registers
  uint8_t element_bytes = 4;          // of wmma.load and .store, in registers: 2, 4 or 8
  uint32_t shape = 0;                 // into TrackPlan::shapes
  // d = a · b + c of 32 bits, all of which may hold data: where their shadows are.
  bool direct = false;
  std::array<uint32_t, 4> at{};
  std::array<uint32_t, 4> whole{};  // and their numbers among the tracked registers
};

struct TrackPlan {
  TrackPlan(const Code& code, const RowTable& rows);

  static constexpr uint32_t kUntracked = 0xffffffffu;
  std::vector<Step> steps;       // by instruction
  std::vector<uint32_t> place;   // by register: words into a warp's shadow, or kUntracked
  std::vector<uint8_t> halves;   // by register: 0 (predicate), 1, 2, 4
  uint32_t words = 0;            // of a warp's shadow
  std::vector<uint32_t> number;  // by register: among those that are tracked
  uint32_t tracked = 0;
  /// By instruction: so many from it on are direct, none of them guarded, in its block.
  std::vector<uint16_t> direct_run;
  std::vector<ProductShape> shapes;
};

}  // namespace tilescope::emulator
