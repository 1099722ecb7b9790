// What ends a basic block: the warp's scheduler executes it, so these rows have no handlers.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr Row flow(const char* pattern, const char* operands, RowKind kind) {
  return Row{pattern, operands, nullptr, nullptr, kind, 0};
}

const Row kRows[] = {
    flow("bra uni?", "T", RowKind::branch),
    flow("ret|exit uni?", "", RowKind::leave),
    flow("trap|brkpt", "", RowKind::trap),
    flow("brx idx uni?", "rN", RowKind::jump_table),
    flow("call uni?", "l", RowKind::call),
    flow("wgmma commit_group sync aligned", "", RowKind::warpgroup_commit),
    flow("wgmma wait_group sync aligned", "i", RowKind::warpgroup_wait),
    flow("barrier cluster arrive release? aligned?", "", RowKind::cluster_arrive),
    flow("barrier cluster arrive relaxed aligned?", "", RowKind::cluster_arrive),
    flow("barrier cluster wait acquire? aligned?", "", RowKind::cluster_wait),
    flow("nanosleep u32", "r", RowKind::yield),
    flow("bar|barrier cta? sync aligned?", "rr?", RowKind::barrier_sync),
    flow("bar|barrier cta? arrive aligned?", "rr", RowKind::barrier_arrive),
    flow("bar|barrier cta? red popc aligned? u32", "Rrp", RowKind::barrier_popc),
    flow("bar|barrier cta? red popc aligned? u32", "Rrrp", RowKind::barrier_popc),
    flow("bar|barrier cta? red and aligned? pred", "Prp", RowKind::barrier_and),
    flow("bar|barrier cta? red and aligned? pred", "Prrp", RowKind::barrier_and),
    flow("bar|barrier cta? red or aligned? pred", "Prp", RowKind::barrier_or),
    flow("bar|barrier cta? red or aligned? pred", "Prrp", RowKind::barrier_or),
};

}  // namespace

RowSpan flow_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
