#include <vector>

#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

const SharedTile& shared_of(const KernelPlan& plan, Operand o) {
  return o == Operand::a ? plan.shared_a : plan.shared_b;
}

/// First value of the thread tile that belongs to row (A) or column (B) `i` of a thread.
int first_value(const KernelPlan& plan, Operand o, int i) {
  return o == Operand::a ? i * plan.thread_n : i;
}
/// [outer] of that row or column in the block tile, for the thread at `at`.
int outer_of(const KernelPlan& plan, Operand o, Coord thread_at, int i) {
  const Coord at = thread_at + value_coord(plan.thread_tile, first_value(plan, o, i));
  return o == Operand::a ? at.row : at.col;
}

void read_thread_tile(const KernelPlan& plan, Operand o, int warp, int k, SharedSum& sum) {
  const SharedTile& tile = shared_of(plan, o);
  const int run = shared_run(plan, o);
  const int count = o == Operand::a ? plan.thread_m : plan.thread_n;
  for (int i = 0; i < count; i += run) {
    WarpAccess access;
    access.bytes = run * tile.bytes_per_element;
    for (int lane = 0; lane < 32 && warp * 32 + lane < plan.threads; ++lane) {
      const Coord at = thread_coord(plan.thread_tile, warp * 32 + lane);
      access.add(lane, shared_offset(tile, outer_of(plan, o, at, i), k));
    }
    sum.add(access);
  }
}

/// One ldmatrix.x4 whose 16×16 tile begins at [outer, k].
void read_ldmatrix(const SharedTile& tile, const LdmatrixMap& map, int outer, int k,
                   SharedSum& sum) {
  std::vector<int64_t> rows(static_cast<size_t>(map.matrices * 8));
  for (int lane = 0; lane < map.matrices * 8; ++lane) {
    const Coord at = ldmatrix_row(map, lane);
    rows[static_cast<size_t>(lane)] = shared_offset(tile, outer + at.row, k + at.col);
  }
  sum.add_ldmatrix(rows);
}

void read_mma_tile(const KernelPlan& plan, int warp, int kk, SharedSum& sum) {
  const Coord origin = warp_origin(plan, warp);
  const int k = kk * plan.atom.k;
  const int outer_a = plan.atom.a.rows, outer_b = 2 * plan.atom.n;  // a pair of mma tiles
  for (int m = 0; m < plan.warp_m; m += outer_a) {
    read_ldmatrix(plan.shared_a, plan.ldmatrix_a, origin.row + m, k, sum);
  }
  for (int n = 0; n < plan.warp_n; n += outer_b) {
    read_ldmatrix(plan.shared_b, plan.ldmatrix_b, origin.col + n, k, sum);
  }
}

}  // namespace

int shared_run(const KernelPlan& plan, Operand o) {
  const int count = o == Operand::a ? plan.thread_m : plan.thread_n;
  const int widest = 16 / shared_of(plan, o).bytes_per_element;
  int run = 1;
  const int first = outer_of(plan, o, {0, 0}, 0);
  while (run < min_of(count, widest) && outer_of(plan, o, {0, 0}, run) == first + run) ++run;
  return run;
}

SharedSum walk_shared_writes(const KernelPlan& plan, Operand o) {
  const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
  const SharedTile& tile = shared_of(plan, o);
  SharedSum sum;
  if (!tile.present) return sum;
  // A copy along the other dimension than the lines in shared memory is turned: an element a store.
  const bool turned = map.k_contiguous != tile.k_contiguous;
  const int pieces = turned ? map.width : 1;
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int piece = 0; piece < pieces; ++piece) {
        WarpAccess access;
        access.bytes = turned ? map.bytes : map.access_bytes(), access.use = SharedUse::store;
        for (int lane = 0; lane < 32 && warp * 32 + lane < plan.threads; ++lane) {
          const Coord at = copy_coord(map, warp * 32 + lane, i);
          if (at.row >= map.outer || at.col >= map.depth) continue;
          access.add(lane, shared_offset(tile, at.row + (map.k_contiguous ? 0 : piece),
                                         at.col + (map.k_contiguous ? piece : 0)));
        }
        sum.add(access);
      }
    }
  }
  return sum;
}

SharedSum walk_shared_reads_step(const KernelPlan& plan, int kk) {
  SharedSum sum;
  if (plan.stages == 0) return sum;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    if (plan.math == Math::mma) {
      read_mma_tile(plan, warp, kk, sum);
    } else {
      read_thread_tile(plan, Operand::a, warp, kk, sum);
      read_thread_tile(plan, Operand::b, warp, kk, sum);
    }
  }
  return sum;
}

SharedSum walk_shared_reads(const KernelPlan& plan) {
  SharedSum sum;
  const int steps = plan.math == Math::mma ? mmas_k(plan) : plan.block_k;
  for (int kk = 0; kk < steps; ++kk) sum.add(walk_shared_reads_step(plan, kk), 1);
  return sum;
}

}  // namespace tilescope::model
