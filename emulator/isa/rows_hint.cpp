// Instructions that change nothing here: hints to the memory system, and fences, as the lanes of a
// run see each other's stores at once. A policy is a number that nobody looks at.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

void nothing(Context&, const Inst&) {}
void fence(Context& c, const Inst&) {
  if (c.observer) c.observer->fence(c);
}
/// Of the threads' stores for what goes beside them: bulk copies, wgmma.
void proxy_fence(Context& c, const Inst&) {
  if (c.observer) c.observer->proxy_fence(c);
}
void set_registers(Context& c, const Inst& in) {
  if (c.observer) c.observer->set_registers(c, in, static_cast<uint32_t>(in.imm));
}
void no_policy(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u64>(c.registers + in.r[0], i, 0);
  }
}

#define NOTHING(pattern, operands) warp_row(pattern, operands, &nothing)

const Row kRows[] = {
    NOTHING("membar cta", ""),
    warp_row("membar gl|sys", "", &fence),
    NOTHING("membar proxy alias", ""),
    warp_row("membar proxy async", "", &proxy_fence),
    NOTHING("fence acq_rel|sc|acquire|release cta", ""),
    warp_row("fence acq_rel|sc|acquire|release gpu|sys|cluster", "", &fence),
    NOTHING("fence proxy alias", ""),
    NOTHING("fence proxy async global", ""),
    warp_row("fence proxy async shared::cta|shared::cluster?", "", &proxy_fence),
    warp_row("fence mbarrier_init release cluster", "", &fence),
    warp_row("fence proxy tensormap::generic release cta|cluster|gpu|sys", "", &fence),
    warp_row("fence proxy tensormap::generic acquire cta|cluster|gpu|sys", "A=128", &fence),
    NOTHING("prefetch global|local? L1|L2|L2::evict_last|L2::evict_normal", "A"),
    NOTHING("prefetchu L1", "A"),
    NOTHING("applypriority global? L2::evict_normal", "Ai"),
    NOTHING("discard global? L2", "Ai"),
    // All lanes come to it, as its operands must be theirs: where they have parted, they meet here.
    warp_row("wgmma fence sync aligned", "r?", &nothing, RowKind::warp_sync),
    NOTHING("griddepcontrol wait|launch_dependents", ""),
    warp_row("setmaxnreg inc|dec sync aligned u32", "i", &set_registers),
    NOTHING("pmevent mask?", "i"),
    warp_row("createpolicy fractional $cache b64", "Lf?", &no_policy),
    warp_row("createpolicy range global? $cache b64", "L_rr", &no_policy),
    warp_row("createpolicy cvt L2 b64", "Ll", &no_policy),
};

}  // namespace

RowSpan hint_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
