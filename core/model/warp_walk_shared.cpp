#include <algorithm>
#include <bit>

#include "core/layout/box_store.h"
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

namespace {

/// Whether offsets simply add up: a read is then any other of its warp, moved by as much in all
/// lanes, and costs the same.
bool adds_up(const SharedTile& tile) {
  return tile.present && tile.swizzle == Swizzle::none && tile.panels() == 1;
}

/// What an access cost that was the same but for where it lies, if it is the one before.
class LikeTheLast {
 public:
  const SharedSum& cost_of(const WarpAccess& access) {
    if (!is_moved(access)) {
      last_ = access;
      cost_ = {};
      cost_.add(access);
    }
    return cost_;
  }

 private:
  bool is_moved(const WarpAccess& access) const {
    if (access.active != last_.active || access.bytes != last_.bytes || access.use != last_.use) {
      return false;
    }
    const long long by = access.address[0] - last_.address[0];
    if (by % access.bytes != 0) return false;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const bool is_active = (access.active >> lane & 1u) != 0;
      if (is_active && access.address[lane] - last_.address[lane] != by) return false;
    }
    return true;
  }
  WarpAccess last_;  // none: no lane is active
  SharedSum cost_;
};

}  // namespace

SharedSum walk_shared_reads_step(const KernelPlan& plan, int step) {
  SharedSum sum;
  for (const Operand o : {Operand::a, Operand::b}) {
    const SharedTile& tile = shared_of(plan, o);
    const int reads = shared_reads(plan, o);
    const bool alike = adds_up(tile);
    LikeTheLast last;
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int i = 0; i < (alike ? min_of(reads, 1) : reads); ++i) {
        const WarpAccess access = shared_read(plan, o, tile, warp, step, i).access;
        sum.add(last.cost_of(access), alike ? static_cast<uint64_t>(reads) : 1);
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
  const auto products =
      static_cast<uint64_t>(mmas_m(plan) * mmas_n(plan) * mmas_k(plan) * plan.split.products() *
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

SharedSum walk_split(const KernelPlan& plan, SharedUse use) {
  const Split& split = plan.split;
  SharedSum sum;
  for (int i = 0; i < split.accesses(); ++i) {
    for (int warp = 0; warp < split.warps(); ++warp) {
      WarpAccess access;
      access.bytes = Split::kBytes, access.use = use;
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        const int offset = split.offset(warp * kWarpLanes + lane, i);
        if (offset < split.bytes) access.add(lane, offset);
      }
      if (access.active != 0) sum.add(access);
    }
  }
  return sum;
}

double reads_per_element(const KernelPlan& plan, Operand o) {
  const SharedTile& tile = shared_of(plan, o);
  if (!tile.present) return 0;
  if (plan.atom.in_shared(o)) {  // by each product but that of its rest, and whoever splits it
    const int times = o == Operand::a ? plan.warps_n * mmas_n(plan) : plan.warps_m * mmas_m(plan);
    return plan.split.present() ? times * (plan.split.products() - 1) + 1 : times;
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
};
MovedReads moved_reads(const KernelPlan& plan, Operand o, int warp) {
  MovedReads reads;
  const SharedTile& tile = shared_of(plan, o);
  const long long step_bytes = shared_step(tile, 0, plan.atom.k);
  for (int i = 0; i < shared_reads(plan, o); ++i) {
    const int lanes = i == 0 ? kWarpLanes : 1;
    const WarpAccess access = shared_read(plan, o, tile, warp, 0, i, lanes).access;
    if (i == 0) reads.first = access;
    const long long by = access.address[0] - reads.first.address[0];
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

/// Adds the reads of one warp, neighbours joined: as wide as those of a width are all cost the
/// same.
void add_joined(const MovedReads& reads, LikeTheLast (&by_width)[5], SharedSum& sum) {
  const int aligned = alignment_of(reads.first);
  const int bytes = reads.first.bytes;
  uint64_t counts[5] = {};  // of 1, 2, 4, 8, 16 bytes
  for (size_t i = 0; i < reads.moved.size();) {
    int width = 16;
    for (; width > bytes; width /= 2) {
      const size_t more = static_cast<size_t>(width / bytes) - 1;
      const bool follow =
          i + more < reads.moved.size() && reads.moved[i + more] - reads.moved[i] == width - bytes;
      if (follow && width <= aligned && reads.moved[i] % width == 0) break;
    }
    ++counts[std::countr_zero(static_cast<unsigned>(width))];
    i += static_cast<size_t>(width / bytes);
  }
  for (int i = 0; i < 5; ++i) {
    if (counts[i] == 0) continue;
    WarpAccess access = reads.first;
    access.bytes = 1 << i;
    sum.add(by_width[i].cost_of(access), counts[i]);
  }
}

}  // namespace

SharedSum walk_joined_reads(const KernelPlan& plan) {
  SharedSum sum;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (!adds_up(shared_of(plan, o))) return walk_shared_reads(plan);
    LikeTheLast by_width[5];
    for (int warp = 0; warp < plan.warps(); ++warp) {
      add_joined(moved_reads(plan, o, warp), by_width, sum);
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

SharedSum walk_box_fills(const KernelPlan& plan) {
  SharedSum sum;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int i = 0; i < box_stores(plan); ++i) {
      SharedSum one;
      one.add(box_store(plan, warp, i));
      sum.add(one, static_cast<uint64_t>(boxes_of_warp(plan)));
    }
  }
  return sum;
}

SharedSum walk_box_reads(const std::vector<BoxAccess>& boxes) {
  constexpr int kPieceBytes = 16;
  SharedSum sum;
  for (const BoxAccess& box : boxes) {
    const auto line = static_cast<uint64_t>(ceil_div(box.bytes, kPieceBytes) * kPieceBytes);
    const uint64_t bytes = box.lines.size() * line;
    const uint64_t waves = (bytes + kLineBytes - 1) / kLineBytes;
    sum.add({.requests = 1, .wavefronts = waves, .ideal = waves, .bytes = bytes}, 1);
  }
  return sum;
}

}  // namespace tilescope::model
