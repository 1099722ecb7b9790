#include <algorithm>

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
  if (by_boxes(map.kind)) {  // whole lines of 128 bytes at a time
    const auto bytes = static_cast<uint64_t>(map.access_bytes() * map.box_lines);
    const auto waves = (bytes + kLineBytes - 1) / kLineBytes;
    sum.add({.wavefronts = waves, .ideal = waves, .bytes = bytes},
            static_cast<uint64_t>(map.chunks()));
    sum.requests = static_cast<uint64_t>(map.part_chunks());  // for the others' this CTA asks not
    return sum;
  }
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

SharedSum walk_product_reads(const KernelPlan& plan) {
  const MmaAtom& atom = plan.atom;
  const int lines =
      (atom.in_shared(Operand::a) ? atom.m : 0) + (atom.in_shared(Operand::b) ? atom.n : 0);
  SharedSum sum;
  if (lines == 0) return sum;
  const auto products = static_cast<uint64_t>(mmas_m(plan) * mmas_n(plan) * mmas_k(plan) *
                                              (plan.warps() / plan.warps_per_atom()));
  const auto bytes = static_cast<uint64_t>(lines * atom.k * element_bits(atom.type_a) / 8);
  const auto waves = bytes / kLineBytes;
  sum.add({.requests = static_cast<uint64_t>(plan.warps_per_atom()),
           .wavefronts = waves,
           .ideal = waves,
           .bytes = bytes},
          products);
  return sum;
}

double reads_per_element(const KernelPlan& plan, Operand o) {
  const SharedTile& tile = shared_of(plan, o);
  if (!tile.present) return 0;
  if (plan.atom.in_shared(o)) {  // by each product
    return o == Operand::a ? plan.warps_n * mmas_n(plan) : plan.warps_m * mmas_m(plan);
  }
  SharedSum sum;
  for (int step = 0; step < mmas_k(plan); ++step) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int i = 0; i < shared_reads(plan, o); ++i) {
        sum.add(shared_read(plan, o, tile, warp, step, i).access);
      }
    }
  }
  return static_cast<double>(sum.bytes) / (1.0 * tile.outer * tile.depth * tile.bytes_per_element);
}

namespace {

/// Whether offsets simply add up: a k step's reads are then those of another, moved, and cost the
/// same.
bool adds_up(const SharedTile& tile) {
  return tile.present && tile.swizzle == Swizzle::none && tile.panels() == 1;
}

}  // namespace

SharedSum walk_shared_reads(const KernelPlan& plan) {
  SharedSum sum;
  const auto steps = static_cast<uint64_t>(mmas_k(plan));
  if (adds_up(plan.shared_a()) && adds_up(plan.shared_b())) {
    sum.add(walk_shared_reads_step(plan, 0), steps);
    return sum;
  }
  for (int step = 0; step < mmas_k(plan); ++step) sum.add(walk_shared_reads_step(plan, step), 1);
  return sum;
}

namespace {

/// The same access, moved: what all loads of a warp are where nothing is swizzled.
struct MovedReads {
  WarpAccess first;
  std::vector<long long> moved;  // bytes from the first, ascending
  bool alike = true;             // every lane moves by as much
};
MovedReads moved_reads(const KernelPlan& plan, Operand o, int warp) {
  MovedReads reads;
  const SharedTile& tile = shared_of(plan, o);
  const long long step_bytes = shared_step(tile, 0, plan.atom.k);
  for (int i = 0; i < shared_reads(plan, o); ++i) {
    const WarpAccess access = shared_read(plan, o, tile, warp, 0, i).access;
    if (i == 0) reads.first = access;
    const long long by = access.address[0] - reads.first.address[0];
    reads.alike &= access.active == reads.first.active;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if ((access.active >> lane & 1u) != 0)
        reads.alike &= access.address[lane] - reads.first.address[lane] == by;
    }
    for (int step = 0; step < mmas_k(plan); ++step) reads.moved.push_back(by + step * step_bytes);
  }
  std::sort(reads.moved.begin(), reads.moved.end());
  return reads;
}

/// Bytes that divide every lane's address, 16 at most.
int alignment_of(const WarpAccess& access) {
  int alignment = 16;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    while (access.address[lane] % alignment != 0) alignment /= 2;
  }
  return alignment;
}

/// Adds the reads of one warp, neighbours joined.
void add_joined(const MovedReads& reads, SharedSum& sum) {
  const int aligned = alignment_of(reads.first);
  const int bytes = reads.first.bytes;
  for (size_t i = 0; i < reads.moved.size();) {
    int width = 16;
    for (; width > bytes; width /= 2) {
      const size_t more = static_cast<size_t>(width / bytes) - 1;
      const bool follow =
          i + more < reads.moved.size() && reads.moved[i + more] - reads.moved[i] == width - bytes;
      if (follow && width <= aligned && reads.moved[i] % width == 0) break;
    }
    WarpAccess access = reads.first;
    access.bytes = width;
    for (int lane = 0; lane < kWarpLanes; ++lane) access.address[lane] += reads.moved[i];
    sum.add(access);
    i += static_cast<size_t>(width / bytes);
  }
}

}  // namespace

SharedSum walk_joined_reads(const KernelPlan& plan) {
  SharedSum sum;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (!adds_up(shared_of(plan, o))) return walk_shared_reads(plan);
    for (int warp = 0; warp < plan.warps(); ++warp) {
      const MovedReads reads = moved_reads(plan, o, warp);
      if (!reads.alike) return walk_shared_reads(plan);
      add_joined(reads, sum);
    }
  }
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
