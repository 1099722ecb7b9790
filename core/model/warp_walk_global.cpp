#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

/// Byte offset of [outer, k] (A, B) relative to the slice's first element.
int64_t slice_offset(const Problem& p, Operand o, int outer, int k) {
  return global_offset(p, o, matrix_coord(o, outer, k));
}

/// Calls f(lane, thread) for the threads of a warp that exist.
template <class F>
void for_each_lane(const KernelPlan& plan, int warp, F&& f) {
  for (int lane = 0; lane < 32; ++lane) {
    const int thread = warp * 32 + lane;
    if (thread < plan.threads) f(lane, thread);
  }
}

}  // namespace

Accesses walk_copy(const KernelPlan& plan, const Problem& p, Operand o, int valid_outer,
                   int valid_k) {
  const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
  Accesses all;
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      WarpAccess access;
      access.bytes = map.access_bytes();
      for_each_lane(plan, warp, [&](int lane, int thread) {
        const Coord at = copy_coord(map, thread, i);  // [outer, k]
        if (at.row >= min_of(map.outer, valid_outer)) return;
        if (at.col >= min_of(map.depth, valid_k)) return;
        access.add(lane, slice_offset(p, o, at.row, at.col));
      });
      if (access.active != 0) all.push_back(access);
    }
  }
  return all;
}

Accesses walk_direct(const KernelPlan& plan, const Problem& p, Operand o, int valid_m,
                     int valid_n) {
  Accesses all;
  for (int value = 0; value < plan.thread_tile.values(); ++value) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      WarpAccess access;
      access.bytes = element_bytes(operand_type(p, o));
      for_each_lane(plan, warp, [&](int lane, int thread) {
        const Coord at = fragment_coord(plan.thread_tile, thread, value);
        if (at.row >= valid_m || at.col >= valid_n) return;
        access.add(lane, slice_offset(p, o, o == Operand::a ? at.row : at.col, 0));
      });
      if (access.active != 0) all.push_back(access);
    }
  }
  return all;
}

Accesses walk_epilogue(const KernelPlan& plan, const Problem& p, int valid_m, int valid_n) {
  const int width = plan.epilogue_width;
  const bool mma = plan.math == Math::mma;
  const int tiles_m = mma ? mmas_m(plan) : 1, tiles_n = mma ? mmas_n(plan) : 1;
  const int values = mma ? plan.atom.c.values() : plan.thread_tile.values();
  Accesses all;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int mi = 0; mi < tiles_m; ++mi) {
      for (int ni = 0; ni < tiles_n; ++ni) {
        for (int value = 0; value < values; value += width) {
          WarpAccess access;
          access.bytes = width * element_bytes(p.type_c);
          for_each_lane(plan, warp, [&](int lane, int thread) {
            const Coord at = mma ? mma_accumulator(plan, warp, mi, ni, lane, value)
                                 : fragment_coord(plan.thread_tile, thread, value);
            if (at.row >= valid_m || at.col >= valid_n) return;
            access.add(lane, global_offset(p, Operand::c, at));
          });
          if (access.active != 0) all.push_back(access);
        }
      }
    }
  }
  return all;
}

}  // namespace tilescope::model
