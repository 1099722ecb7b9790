// The parts of the row table, one per file. A new file is a line here and one in table.cpp.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

RowSpan integer_rows();
RowSpan logic_rows();
RowSpan compare_rows();
RowSpan float_rows();
RowSpan fma_rows();
RowSpan half_rows();
RowSpan convert_rows();
RowSpan load_rows();
RowSpan store_rows();
RowSpan copy_rows();
RowSpan bulk_rows();
RowSpan matrix_rows();
RowSpan mma_real_rows();
RowSpan mma_rows();
RowSpan wmma_rows();
RowSpan wgmma_rows();
RowSpan wmma_memory_rows();
RowSpan warp_rows();
RowSpan atomic_rows();
RowSpan flow_rows();
RowSpan external_rows();
RowSpan set_rows();
RowSpan carry_rows();
RowSpan narrow_rows();
RowSpan bit_rows();
RowSpan mbarrier_rows();
RowSpan cluster_rows();
RowSpan hint_rows();
RowSpan paired_rows();
RowSpan tensor_map_rows();

/// `avx512`: with the rows that were also built for it, if this build has such.
const RowTable& table(bool avx512);

}  // namespace tilescope::emulator::TILESCOPE_ISA
