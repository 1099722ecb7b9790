// ldmatrix, stmatrix and movmatrix. A register of 16-bit elements over a warp *is* an 8 × 8
// row-major half tile: lane l holds row l/4, columns 2(l%4) and +1, and its 128 bytes are that tile
// in order.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// Lanes 8q … 8q+7 address the rows of matrix q; the lanes above do nothing.
template <int Matrices, bool Store>
void matrix_addresses(Context& c, const Inst& in, u32 base, Access& a) {
  need_whole_warp(c, in, Store ? "stmatrix" : "ldmatrix");
  if constexpr (Matrices == 4) {
    read_addresses<true>(c, base, in.imm, 16, a);
    resolve_shared<true>(c, in, a, 16, Store);
  } else {
    set_mask(c, Matrices == 2 ? 0xffffu : 0xffu);
    read_addresses<false>(c, base, in.imm, 16, a);
    resolve_shared<false>(c, in, a, 16, Store);
    set_mask(c, 0xffffffffu);
  }
}

template <int Matrices, bool Transposed>
void load_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 3 ? c.lists + in.list : in.r;
  Access a;
  matrix_addresses<Matrices, false>(c, in, r[Matrices], a);
  for (int q = 0; q < Matrices; ++q) {
    u16* tile = reinterpret_cast<u16*>(c.registers + r[q]);
    for (int row = 0; row < 8; ++row) {
      if constexpr (Transposed) {
        u16 line[8];
        __builtin_memcpy(line, a.at(8 * q + row), 16);
        for (int col = 0; col < 8; ++col) tile[8 * col + row] = line[col];
      } else {
        __builtin_memcpy(tile + 8 * row, a.at(8 * q + row), 16);
      }
    }
  }
}
template <int Matrices, bool Transposed>
void store_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 2 ? c.lists + in.list : in.r;  // the address, then registers
  Access a;
  matrix_addresses<Matrices, true>(c, in, r[0], a);
  for (int q = 0; q < Matrices; ++q) {
    const u16* tile = reinterpret_cast<const u16*>(c.registers + r[1 + q]);
    for (int row = 0; row < 8; ++row) {
      u16 line[8];
      for (int col = 0; col < 8; ++col)
        line[col] = Transposed ? tile[8 * col + row] : tile[8 * row + col];
      __builtin_memcpy(a.at(8 * q + row), line, 16);
    }
  }
}

#define MATRIX(n, letters)                                                                         \
  warp_row("ldmatrix sync aligned m8n8 x" #n " shared|shared::cta b16", "R" letters "A",           \
           &load_matrix<n, false>, RowKind::load_shared, 16),                                      \
      warp_row("ldmatrix sync aligned m8n8 x" #n " trans shared|shared::cta b16", "R" letters "A", \
               &load_matrix<n, true>, RowKind::load_shared, 16),                                   \
      warp_row("stmatrix sync aligned m8n8 x" #n " shared|shared::cta b16", "Ar" letters,          \
               &store_matrix<n, false>, RowKind::store_shared, 16),                                \
      warp_row("stmatrix sync aligned m8n8 x" #n " trans shared|shared::cta b16", "Ar" letters,    \
               &store_matrix<n, true>, RowKind::store_shared, 16)
const Row kRows[] = {
    MATRIX(1, "1"),
    MATRIX(2, "2"),
    MATRIX(4, "4"),
};

}  // namespace

RowSpan matrix_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
