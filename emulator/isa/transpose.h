// A register of 16-bit elements over a warp as an 8 × 8 row-major matrix: lane l holds row l/4,
// columns 2(l%4) and +1, and its 128 bytes are the matrix in order.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// `to` may be `from`.
inline void transpose_matrix(const std::byte* from, std::byte* to) {
  u16 old[64], turned[64];
  __builtin_memcpy(old, from, sizeof old);
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) turned[8 * row + col] = old[8 * col + row];
  }
  __builtin_memcpy(to, turned, sizeof turned);
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
