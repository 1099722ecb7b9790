#include "viz/scene/shared_access.h"

#include "core/model/banks.h"
#include "core/model/warp_walk.h"

namespace tilescope::viz {

Coord ldmatrix_origin(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o) {
  const Coord warp = warp_origin(plan, s.warp);
  const int k = at.k_step * plan.atom.k;
  if (o == Operand::a) return {warp.row + mma_origin(plan, s.mma_m, 0).row, k};
  // One ldmatrix.x4 of B feeds two mma tiles.
  return {warp.col + mma_origin(plan, 0, s.mma_n / 2 * 2).col, k};
}

SharedAccess shared_access(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o,
                           Swizzle swizzle) {
  SharedAccess access;
  access.tile = o == Operand::a ? plan.shared_a : plan.shared_b;
  access.tile.swizzle = swizzle;
  const auto add = [&](Coord element) {
    access.element.push_back(element);
    access.address.push_back(shared_offset(access.tile, element.row, element.col));
  };
  if (plan.math == Math::mma) {
    const LdmatrixMap& map = o == Operand::a ? plan.ldmatrix_a : plan.ldmatrix_b;
    const Coord origin = ldmatrix_origin(plan, s, at, o);
    for (int lane = 0; lane < map.matrices * 8; ++lane) add(origin + ldmatrix_row(map, lane));
    const model::BankResult result = model::bank_ldmatrix(access.address);
    access.wavefronts = result.wavefronts, access.ideal = result.ideal;
    access.per_phase = result.per_phase;
    access.phases = map.matrices;
    return access;
  }
  access.bytes = model::shared_run(plan, o) * access.tile.bytes_per_element;
  access.phases = access.bytes <= 4 ? 1 : access.bytes / 4;
  access.lanes_per_phase = 32 / access.phases;
  WarpAccess warp;
  warp.bytes = access.bytes;
  for (int lane = 0; lane < 32 && s.warp * 32 + lane < plan.threads; ++lane) {
    const Coord thread = thread_coord(plan.thread_tile, s.warp * 32 + lane);
    add({o == Operand::a ? thread.row : thread.col, at.k_step});
    warp.add(lane, access.address.back());
  }
  const model::BankResult result = model::bank_access(warp);
  access.wavefronts = result.wavefronts, access.ideal = result.ideal;
  access.per_phase = result.per_phase;
  return access;
}

}  // namespace tilescope::viz
