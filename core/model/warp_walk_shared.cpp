#include "core/layout/shared_reads.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

/// Calls f(access) for the chunks before `end` of a copy between global memory and a shared tile:
/// loads or stores of `width` elements, or of one where the tile's lines run the other way.
template <class F>
void for_each_chunk(const KernelPlan& plan, const CopyMap& map, Coord end, const SharedTile& tile,
                    SharedUse use, F&& f) {
  const bool turned = map.k_contiguous != tile.k_contiguous;
  const int pieces = turned ? map.width : 1;
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int piece = 0; piece < pieces; ++piece) {
        WarpAccess access;
        access.bytes = turned ? map.bytes : map.access_bytes(), access.use = use;
        for (int lane = 0; lane < 32 && warp * 32 + lane < plan.threads; ++lane) {
          const Coord at = copy_coord(map, warp * 32 + lane, i);
          if (at.row >= min_of(map.outer, end.row) || at.col >= min_of(map.depth, end.col))
            continue;
          access.add(lane, shared_offset(tile, at.row + (map.k_contiguous ? 0 : piece),
                                         at.col + (map.k_contiguous ? piece : 0)));
        }
        f(access);
      }
    }
  }
}

}  // namespace

SharedSum walk_shared_writes(const KernelPlan& plan, Operand o) {
  const SharedTile& tile = shared_of(plan, o);
  SharedSum sum;
  if (!tile.present) return sum;
  const CopyMap& map = copy_of(plan, o);
  for_each_chunk(plan, map, {map.outer, map.depth}, tile, SharedUse::store,
                 [&](const WarpAccess& a) { sum.add(a); });
  return sum;
}

SharedSum walk_shared_reads_step(const KernelPlan& plan, int step) {
  SharedSum sum;
  for (const Operand o : {Operand::a, Operand::b}) {
    const int reads = shared_reads(plan, o);
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int i = 0; i < reads; ++i) {
        sum.add(shared_read(plan, o, shared_of(plan, o), warp, step, i).access);
      }
    }
  }
  return sum;
}

SharedSum walk_shared_reads(const KernelPlan& plan) {
  SharedSum sum;
  for (int step = 0; step < mmas_k(plan); ++step) sum.add(walk_shared_reads_step(plan, step), 1);
  return sum;
}

EpilogueShared walk_shared_epilogue(const KernelPlan& plan, int valid_m, int valid_n) {
  EpilogueShared sum;
  const SharedRegion* region = epilogue_region(plan);
  if (!region) return sum;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int i = 0; i < accumulator_stores(plan); ++i) {
      sum.stores.add(accumulator_store(plan, *region, warp, i));
    }
  }
  for_each_chunk(plan, plan.epilogue.map, {valid_m, valid_n}, region->tile, SharedUse::load,
                 [&](const WarpAccess& a) { sum.loads.add(a); });
  const SharedSum once = sum.loads;
  sum.loads.add(once, static_cast<uint64_t>(region->stages - 1));  // the other parts of k
  return sum;
}

}  // namespace tilescope::model
