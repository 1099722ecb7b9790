// Puts the rows together, and runs instructions.
#include "emulator/isa/tables.h"
#include "emulator/isa/wider.h"

#if defined(TILESCOPE_HAS_V4)
namespace tilescope::emulator::isa_v4 {
RowSpan fma_rows();
RowSpan mma_real_rows();
RowSpan wgmma_rows();
}  // namespace tilescope::emulator::isa_v4
#endif

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr u32 kMaxRows = 8192;
struct Tables {
  const Row* rows[kMaxRows];
  Handler full[kMaxRows], masked[kMaxRows];
  RunHandler run[kMaxRows];
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

void execute_masked(Context& c, const Inst* begin, const Inst* end) {
  for (const Inst* in = begin; in != end; ++in) {
    if (__builtin_expect(in->guard != 0, 0)) {
      execute_guarded(c, *in);
    } else {
      g_tables.masked[in->row](c, *in);
    }
  }
}

void execute(Context& c, const Inst* begin, const Inst* end) {
  if (c.mask != 0xffffffffu) return execute_masked(c, begin, end);
  for (const Inst* in = begin; in != end;) {
    if (__builtin_expect(in->guard != 0, 0)) {
      execute_guarded(c, *in++);
    } else if (const RunHandler run = g_tables.run[in->row]) {
      in = run(c, in, end);
    } else {
      g_tables.full[in->row](c, *in);
      ++in;
    }
  }
}

bool fill([[maybe_unused]] bool avx512) {
  RowSpan fma = fma_rows(), mma_real = mma_real_rows(), wgmma = wgmma_rows();
#if defined(TILESCOPE_HAS_V4)
  if (avx512) {
    fma = isa_v4::fma_rows();
    mma_real = isa_v4::mma_real_rows();
    wgmma = isa_v4::wgmma_rows();
  }
#endif
  const RowSpan spans[] = {
      integer_rows(),     logic_rows(),   compare_rows(), float_rows(),  fma,
      half_rows(),        convert_rows(), load_rows(),    store_rows(),  copy_rows(),
      bulk_rows(),        matrix_rows(),  mma_real,       mma_rows(),    wmma_rows(),
      wmma_memory_rows(), wgmma,          warp_rows(),    atomic_rows(), flow_rows(),
      external_rows(),    set_rows(),     carry_rows(),   narrow_rows(), bit_rows(),
      mbarrier_rows(),    cluster_rows(), hint_rows(),    paired_rows(), tensor_map_rows()};
  u32 n = 0;
  const auto add = [&n](const RowSpan& span) {
    for (u32 i = 0; i < span.count && n < kMaxRows; ++i, ++n) {
      g_tables.rows[n] = span.rows + i;
      g_tables.full[n] = span.rows[i].full;
      g_tables.masked[n] = span.rows[i].masked;
      g_tables.run[n] = span.rows[i].run;
    }
  };
  for (const RowSpan& span : spans) add(span);
  add(wider_rows(g_tables.rows, n));
  g_tables.table = RowTable{g_tables.rows, n, &execute};
  return true;
}

}  // namespace

const RowTable& table(bool avx512) {
  static const bool filled = fill(avx512);
  (void)filled;
  return g_tables.table;
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
