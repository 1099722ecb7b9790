// ldmatrix, stmatrix and movmatrix. A register over a warp is an 8 × 8 matrix (transpose.h).
#include "emulator/isa/lanes.h"
#include "emulator/isa/shape.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/transpose.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// Without a state space the addresses are generic; they have to point into the shared window, and
// fault below if they do not.
template <Space S, bool Full>
inline void shared_rows(Context& c, const Inst& in, u32 base, Access& a, bool is_store) {
  read_addresses<Full>(c, base, in.imm, 16, a);
  if constexpr (S == Space::generic) {
    a.all = 0;
    for (u64& address : a.address) a.all |= address -= kSharedWindow;
    a.first -= kSharedWindow;
  }
  resolve_shared<Full>(c, in, a, 16, is_store, false, true);
}

// Lanes 8q … 8q+7 address the rows of matrix q; the lanes above do nothing.
template <Space S, int Matrices, bool Store>
void matrix_addresses(Context& c, const Inst& in, u32 base, Access& a) {
  need_whole_warp(c, in, Store ? "stmatrix" : "ldmatrix");
  if constexpr (Matrices == 4) {
    shared_rows<S, true>(c, in, base, a, Store);
  } else {
    set_mask(c, Matrices == 2 ? 0xffffu : 0xffu);
    shared_rows<S, false>(c, in, base, a, Store);
    set_mask(c, 0xffffffffu);
  }
}

template <Space S, int Matrices, bool Transposed>
void load_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 3 ? c.lists + in.list : in.r;
  if constexpr (S == Space::shared && Matrices == 4 && !Transposed) {
    need_whole_warp(c, in, "ldmatrix");
    if (const Recalled rows = enter<S>(c, in, r[4], in.imm, 16, false)) {
      for (int q = 0; q < 4; ++q) {
        std::byte* tile = c.registers + r[q];
        for (int row = 0; row < 8; ++row) {
          __builtin_memcpy(tile + 16 * row, rows.at(8 * q + row), 16);
        }
      }
      return;
    }
  }
  Access a;
  matrix_addresses<S, Matrices, false>(c, in, r[Matrices], a);
  if constexpr (S == Space::shared && Matrices == 4) learn<S>(c, c.sites[in.site], a);
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
template <Space S, int Matrices, bool Transposed>
void store_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 2 ? c.lists + in.list : in.r;  // the address, then registers
  Access a;
  matrix_addresses<S, Matrices, true>(c, in, r[0], a);
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

void move_matrix(Context& c, const Inst& in) {
  need_whole_warp(c, in, "movmatrix");
  transpose_matrix(c.registers + in.r[1], c.registers + in.r[0]);
}

#define MATRIX_IN(S, n, space)                                                                    \
  warp_row("ldmatrix sync aligned m8n8 x" #n space " b16", "R" #n "A", &load_matrix<S, n, false>, \
           RowKind::load_shared, 16),                                                             \
      warp_row("ldmatrix sync aligned m8n8 x" #n " trans" space " b16", "R" #n "A",               \
               &load_matrix<S, n, true>, RowKind::load_shared, 16),                               \
      warp_row("stmatrix sync aligned m8n8 x" #n space " b16", "Ar" #n,                           \
               &store_matrix<S, n, false>, RowKind::store_shared, 16),                            \
      warp_row("stmatrix sync aligned m8n8 x" #n " trans" space " b16", "Ar" #n,                  \
               &store_matrix<S, n, true>, RowKind::store_shared, 16)
#define MATRIX(n) \
  MATRIX_IN(Space::shared, n, " shared|shared::cta"), MATRIX_IN(Space::generic, n, "")

const Row kRows[] = {
    MATRIX(1),
    MATRIX(2),
    MATRIX(4),
    warp_row("movmatrix sync aligned m8n8 trans b16", "Rr", &move_matrix),
};

}  // namespace

RowSpan matrix_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
