// Puts the rows together, and runs instructions.
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr u32 kMaxRows = 8192;
struct Tables {
  const Row* rows[kMaxRows];
  Handler full[kMaxRows], masked[kMaxRows];
  RowTable table;
};
Tables g_tables;

// A guard switches lanes off for one instruction.
__attribute__((noinline)) void execute_guarded(Context& c, const Inst& in) {
  const u32 predicate = c.predicates[(in.guard >> 1) - 1u];
  const u32 before = c.mask, active = before & (in.guard & 1u ? ~predicate : predicate);
  c.guarded_off[&in - c.code] += static_cast<u32>(__builtin_popcount(before & ~active));
  if (active == 0) return;
  if (active == 0xffffffffu) {
    g_tables.full[in.row](c, in);
    return;
  }
  set_mask(c, active);
  g_tables.masked[in.row](c, in);
  set_mask(c, before);
}

void execute(Context& c, const Inst* begin, const Inst* end) {
  const Handler* handlers = c.mask == 0xffffffffu ? g_tables.full : g_tables.masked;
  for (const Inst* in = begin; in != end; ++in) {
    if (__builtin_expect(in->guard != 0, 0)) {
      execute_guarded(c, *in);
    } else {
      handlers[in->row](c, *in);
    }
  }
}

bool fill() {
  const RowSpan spans[] = {integer_rows(), logic_rows(),       compare_rows(),  float_rows(),
                           half_rows(),    convert_rows(),     load_rows(),     store_rows(),
                           copy_rows(),    matrix_rows(),      mma_real_rows(), mma_rows(),
                           wmma_rows(),    wmma_memory_rows(), warp_rows(),     atomic_rows(),
                           flow_rows(),    external_rows(),    set_rows(),      carry_rows(),
                           narrow_rows(),  bit_rows(),         mbarrier_rows(), hint_rows()};
  u32 n = 0;
  for (const RowSpan& span : spans) {
    for (u32 i = 0; i < span.count && n < kMaxRows; ++i, ++n) {
      g_tables.rows[n] = span.rows + i;
      g_tables.full[n] = span.rows[i].full;
      g_tables.masked[n] = span.rows[i].masked;
    }
  }
  g_tables.table = RowTable{g_tables.rows, n, &execute};
  return true;
}

}  // namespace

const RowTable& table() {
  static const bool filled = fill();
  (void)filled;
  return g_tables.table;
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
