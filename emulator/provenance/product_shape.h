// Where the operands of a matrix product lie in a warp's registers. Found from the text of the
// instruction, not from core/layout. Provenance follows units along k: 16 bits, or a whole register
// of wider types.
#pragma once
#include <cstdint>
#include <string_view>

namespace tilescope::emulator {

struct Code;

struct ProductShape {
  /// Which element of C and D is element i of a lane.
  enum class Sums : uint8_t {
    core,        // mma.sync, and wmma where n is 8 or 16
    transposed,  // wmma where n is 32: B^T · A^T is computed
    quad_half,   // m8n8k4 of f16: each quad pair of lanes has a product of its own
    quad_float
  };
  uint32_t m = 0, n = 0, units = 0;     // lines of A, lines of B; units along k
  uint32_t d = 0, a = 0, b = 0, c = 0;  // registers
  uint32_t packed = 1;                  // units in a register
  bool half_d = false, half_c = false;  // two 16-bit sums per register
  Sums sums = Sums::core, sums_c = Sums::core;
  bool a_by_column = false, b_by_column = false;  // of a quad's product: the lane's elements
  bool is_quad() const { return sums >= Sums::quad_half; }
};

/// False if it is not known: its result is then an expression of its sources.
bool find_product_shape(const Code& code, uint32_t inst, std::string_view opcode, uint16_t row,
                        ProductShape& shape);

}  // namespace tilescope::emulator
