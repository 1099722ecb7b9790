// What a thread of a SIMT kernel keeps of C, over all the atoms of its warp tile.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

/// Elements of C per thread, in the order [atom m][atom n][value of the atom].
constexpr int thread_elements(const KernelPlan& plan) {
  return mmas_m(plan) * mmas_n(plan) * plan.atom.c.values();
}
/// Row and column of element `index` in the block tile.
constexpr Coord thread_element(const KernelPlan& plan, int thread, int index) {
  const int values = plan.atom.c.values(), atom = index / values;
  return thread_origin(plan, thread) + mma_origin(plan, atom / mmas_n(plan), atom % mmas_n(plan)) +
         value_coord(plan.atom.c, index % values);
}
}  // namespace tilescope
