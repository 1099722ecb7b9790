#include "viz/scene/shared_access.h"

#include <algorithm>

#include "core/layout/shared_reads.h"
#include "core/model/banks.h"

namespace tilescope::viz {

Coord ldmatrix_origin(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o) {
  const Coord warp = warp_origin(plan, s.warp);
  const int k = at.k_step * plan.atom.k;
  if (o == Operand::a) return {warp.row + mma_origin(plan, s.mma_m, 0).row, k};
  // One ldmatrix of B may feed several mma tiles.
  const int tiles = std::max(1, plan.load_b.map.lines / std::max(1, plan.atom.n));
  return {warp.col + mma_origin(plan, 0, s.mma_n / tiles * tiles).col, k};
}

namespace {

void tell(SharedAccess& access, const model::BankResult& result) {
  access.wavefronts = result.wavefronts, access.ideal = result.ideal;
  access.per_phase = result.per_phase;
  if (access.by_ldmatrix) return;
  access.phases = std::max(1, static_cast<int>(result.per_phase.size()));
  access.lanes_per_phase = 32 / access.phases;
}

}  // namespace

SharedAccess shared_access(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o,
                           Swizzle swizzle) {
  SharedAccess access;
  access.tile = shared_of(plan, o);
  access.tile.swizzle = swizzle;
  const int index = shared_read_of_atom(plan, o, o == Operand::a ? s.mma_m : s.mma_n);
  const SharedRead read =
      shared_read(plan, o, access.tile, s.warp, at.k_step % std::max(1, mmas_k(plan)), index);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((read.access.active >> lane & 1u) == 0) continue;
    access.element.push_back(read.element[lane]);
    access.address.push_back(read.access.address[lane]);
  }
  access.bytes = read.access.bytes;
  access.by_ldmatrix = read.access.use == SharedUse::rows;
  if (!access.by_ldmatrix) {
    tell(access, model::bank_access(read.access));
    return access;
  }
  tell(access, model::bank_ldmatrix(access.address));
  access.phases = load_of(plan, o).map.matrices;
  return access;
}

}  // namespace tilescope::viz
