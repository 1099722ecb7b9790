// Groups block tiles into classes that cost the same: those of one shape (whole, or cut off by the
// matrix's edge) that start at the same place within a 128-byte line. One tile of each class is
// walked and counted as often as there are such tiles, so that counting takes as long for a large
// problem as for a small one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/layout/layout.h"
#include "core/model/global_access.h"

namespace tilescope::model {

/// Blocks along one dimension: `full` whole ones, then perhaps one that is cut off.
struct Blocks {
  int block = 1;
  int full = 0;
  int edge = 0;  // elements of the cut-off one; 0 = there is none
  int count() const { return full + (edge > 0 ? 1 : 0); }
};
constexpr Blocks blocks_of(int extent, int block) {
  return {block, extent / block, extent % block};
}

/// A class of starting points along one dimension.
struct Start {
  int valid = 0;       // elements inside the matrix
  int64_t offset = 0;  // bytes from the matrix's start, modulo a line
  uint64_t times = 0;
};

/// Calls f(Start) for each class; `step` is the bytes from one block to the next.
template <class F>
void for_each_start(const Blocks& blocks, int64_t step, F&& f) {
  const int period = min_of(blocks.full, kLineBytes);  // offsets repeat after at most a line
  for (int i = 0; i < period; ++i) {
    const uint64_t times = static_cast<uint64_t>((blocks.full - i + kLineBytes - 1) / kLineBytes);
    f(Start{blocks.block, i * step % kLineBytes, times});
  }
  if (blocks.edge > 0) f(Start{blocks.edge, blocks.full * step % kLineBytes, 1});
}

/// How many blocks of one shape begin at each byte of a 128-byte line.
using Phases = std::array<uint64_t, kLineBytes>;

/// Calls f(valid_row, valid_col, phases) for each shape of blocks in a matrix that begins `base`
/// bytes behind a line's start.
template <class F>
void for_each_class(int64_t base, const Blocks& rows, int64_t row_step, const Blocks& cols,
                    int64_t col_step, F&& f) {
  Phases times[2][2] = {};
  for_each_start(rows, row_step, [&](const Start& r) {
    for_each_start(cols, col_step, [&](const Start& c) {
      const auto phase = static_cast<size_t>((base + r.offset + c.offset) % kLineBytes);
      times[r.valid != rows.block][c.valid != cols.block][phase] += r.times * c.times;
    });
  });
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) {
      const bool present = (r ? rows.edge : rows.full) > 0 && (c ? cols.edge : cols.full) > 0;
      if (present) f(r ? rows.edge : rows.block, c ? cols.edge : cols.block, times[r][c]);
    }
  }
}

}  // namespace tilescope::model
