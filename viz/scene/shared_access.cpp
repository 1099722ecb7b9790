#include "viz/scene/shared_access.h"

#include <algorithm>

#include "core/layout/atom_plan.h"
#include "core/model/banks.h"
#include "core/model/warp_walk.h"

namespace tilescope::viz {

Coord ldmatrix_origin(const KernelPlan& plan, const Selection& s, const Moment& at, Operand o) {
  const Coord warp = warp_origin(plan, s.warp);
  const int k = at.k_step * plan.atom.k;
  if (o == Operand::a) return {warp.row + mma_origin(plan, s.mma_m, 0).row, k};
  // One ldmatrix of B may feed several mma tiles.
  const int tiles = std::max(1, plan.ldmatrix_b.lines / std::max(1, plan.atom.n));
  return {warp.col + mma_origin(plan, 0, s.mma_n / tiles * tiles).col, k};
}

namespace {

/// Elements of the tile (bytes, for types under 8 bits) of `k` elements of the operand's type.
int tile_units(const KernelPlan& plan, Operand o, const SharedTile& tile, int k) {
  const int bits = o == Operand::a ? plan.atom.a.bits : plan.atom.b.bits;
  return k * bits / (8 * tile.bytes_per_element);
}

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
  access.tile = o == Operand::a ? plan.shared_a : plan.shared_b;
  access.tile.swizzle = swizzle;
  const auto add = [&](Coord element) {
    access.element.push_back(element);
    access.address.push_back(shared_offset(access.tile, element.row, element.col));
  };
  if (plan.math == Math::mma && ldmatrix_loads(plan.atom, o)) {
    const LdmatrixMap& map = o == Operand::a ? plan.ldmatrix_a : plan.ldmatrix_b;
    const Coord origin = ldmatrix_origin(plan, s, at, o);
    const int warp_lines = o == Operand::a ? s.warp % plan.warps_an_atom() * map.lines : 0;
    for (int lane = 0; lane < map.matrices * kMatrixRows; ++lane) {
      const Coord row = ldmatrix_row(map, lane);
      add({origin.row + warp_lines + row.row, tile_units(plan, o, access.tile, origin.col) +
                                                  row.col * 2 / access.tile.bytes_per_element});
    }
    access.by_ldmatrix = true;
    tell(access, model::bank_ldmatrix(access.address));
    access.phases = map.matrices;
    return access;
  }
  if (plan.math == Math::mma) {  // each lane loads its first register
    const FragmentLayout& fragment = o == Operand::a ? plan.atom.a : plan.atom.b;
    access.bytes = fragment.bits > 32 ? fragment.bits / 8 : 4;
    const Coord origin = ldmatrix_origin(plan, s, at, o);
    WarpAccess warp;
    warp.bytes = access.bytes;
    for (int lane = 0; lane < 32; ++lane) {
      const Coord place = fragment_coord(fragment, atom_thread(plan.atom, lane).thread, 0);
      const int outer = o == Operand::a ? place.row : place.col;
      const int k = o == Operand::a ? place.col : place.row;
      add({origin.row + outer, tile_units(plan, o, access.tile, origin.col + k)});
      warp.add(lane, access.address.back());
    }
    tell(access, model::bank_access(warp));
    return access;
  }
  access.bytes = model::shared_run(plan, o) * access.tile.bytes_per_element;
  WarpAccess warp;
  warp.bytes = access.bytes;
  for (int lane = 0; lane < 32 && s.warp * 32 + lane < plan.threads; ++lane) {
    const Coord thread = thread_coord(plan.thread_tile, s.warp * 32 + lane);
    add({o == Operand::a ? thread.row : thread.col, at.k_step});
    warp.add(lane, access.address.back());
  }
  tell(access, model::bank_access(warp));
  return access;
}

}  // namespace tilescope::viz
