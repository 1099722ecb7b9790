#include "core/model/walked.h"

#include <numeric>
#include <unordered_map>

#include "core/layout/packing.h"
#include "core/layout/shared_reads.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {

Work work_of(const KernelPlan& plan, const Problem& p) {
  return {blocks_of(p.m, plan.block_m), blocks_of(p.n, plan.block_n), blocks_of(p.k, plan.block_k)};
}

Steps element_steps(const Problem& p, Operand o) {
  const int64_t first = global_offset(p, o, {0, 0});
  return {global_offset(p, o, {1, 0}) - first, global_offset(p, o, {0, 1}) - first};
}

namespace {

/// The accesses of one block, at each place where such blocks begin.
template <class Access>
GlobalSum sum_over(const std::vector<Access>& block, const Phases& phases, uint64_t times) {
  GlobalSum sum;
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    if (phases[phase] == 0) continue;
    GlobalSum here;
    for (const Access& access : block) here.add(access, static_cast<int64_t>(phase));
    sum.add(here, phases[phase] * times);
  }
  return sum;
}

/// A packed operand has whole blocks, zeros beyond its edge.
Blocks in_memory(const Blocks& blocks, bool packed) {
  return packed ? Blocks{blocks.block, blocks.count(), 0} : blocks;
}

/// With the tiles that fill the last clusters up.
Raster tiles_of(const KernelPlan& plan, const Work& work) {
  Raster raster{.cluster_m = plan.work.raster.cluster_m, .cluster_n = plan.work.raster.cluster_n};
  set_tiles(raster, work.m.count(), work.n.count());
  return raster;
}

/// Copies of A or B over all CTAs and k slices; `walk`: those of one slice. CTAs that share what
/// they copy ask for it once; tiles that fill the last clusters up ask for boxes of nothing.
template <class Walk>
GlobalSum count_copies(const KernelPlan& plan, const Problem& p, Operand o, const Work& work,
                       Walk&& walk) {
  const bool is_a = o == Operand::a, packed = packs(plan.spec, o);
  const Blocks outer = in_memory(is_a ? work.m : work.n, packed);
  const Raster raster = tiles_of(plan, work);
  const CopyMap& map = copy_of(plan, o);
  const int along = is_a ? raster.tiles_m : raster.tiles_n;
  const auto times =
      static_cast<uint64_t>((is_a ? raster.tiles_n : raster.tiles_m) / map.shared_by);
  const Blocks depth = in_memory(work.k, packed);
  const Steps steps = element_steps(p, o);
  const int64_t outer_step = outer.block * (is_a ? steps.row : steps.col);
  const int64_t k_step = work.k.block * (is_a ? steps.col : steps.row);
  GlobalSum sum;
  for_each_class(global_offset(p, o, {0, 0}), outer, outer_step, depth, k_step,
                 [&](int valid_outer, int valid_k, const Phases& phases) {
                   const auto slice = walk(plan, p, o, valid_outer, valid_k);
                   sum.add(sum_over(slice, phases, times), 1);
                 });
  const auto beyond = static_cast<uint64_t>(1LL * (along - outer.count()) * work.k.count());
  sum.requests += beyond * times * static_cast<uint64_t>(map.chunks());
  return sum;
}

/// Loads of A or B by a kernel that multiplies straight from global memory: its threads fall away
/// at both edges of C.
GlobalSum count_direct(const KernelPlan& plan, const Problem& p, Operand o, const Work& work) {
  const bool is_a = o == Operand::a;
  const Blocks& outer = is_a ? work.m : work.n;
  const Blocks& other = is_a ? work.n : work.m;
  const Steps steps = element_steps(p, o);
  const int64_t outer_step = outer.block * (is_a ? steps.row : steps.col);
  const int64_t k_step = is_a ? steps.col : steps.row;
  GlobalSum sum;
  for_each_class(global_offset(p, o, {0, 0}), outer, outer_step, Blocks{1, p.k, 0}, k_step,
                 [&](int valid_outer, int, const Phases& phases) {
                   const auto add = [&](int valid_other, uint64_t blocks) {
                     if (blocks == 0) return;
                     const int valid_m = is_a ? valid_outer : valid_other;
                     const int valid_n = is_a ? valid_other : valid_outer;
                     sum.add(sum_over(walk_direct(plan, p, o, valid_m, valid_n), phases, blocks),
                             1);
                   };
                   add(other.block, static_cast<uint64_t>(other.full));
                   if (other.edge > 0) add(other.edge, 1);
                 });
  return sum;
}

GlobalSum count_operand(const KernelPlan& plan, const Problem& p, Operand o, const Work& work) {
  const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
  switch (map.kind) {
    case CopyKind::direct:
      return count_direct(plan, p, o, work);
    case CopyKind::staged:
    case CopyKind::cp_async:
      return count_copies(plan, p, o, work, walk_copy);
    case CopyKind::tensor:
      return count_copies(plan, p, o, work, walk_boxes);
    case CopyKind::none:
      return {};
  }
  return {};
}

/// Beside each store of C.
GlobalSum count_bias(const KernelPlan& plan, const Problem& p, const Work& work) {
  GlobalSum sum;
  if (!plan.spec.adds_bias) return sum;
  const int64_t step = bias_offset(p, {0, 1});
  for_each_class(0, work.m, 0, work.n, work.n.block * step,
                 [&](int valid_m, int valid_n, const Phases& phases) {
                   sum.add(sum_over(walk_bias(plan, p, valid_m, valid_n), phases, 1), 1);
                 });
  return sum;
}

/// What a walk of one block tile finds of C, over all tiles.
template <class Walk>
GlobalSum count_c(const Problem& p, const Work& work, Walk&& walk) {
  const Steps steps = element_steps(p, Operand::c);
  GlobalSum sum;
  for_each_class(global_offset(p, Operand::c, {0, 0}), work.m, work.m.block * steps.row, work.n,
                 work.n.block * steps.col, [&](int valid_m, int valid_n, const Phases& phases) {
                   sum.add(sum_over(walk(valid_m, valid_n), phases, 1), 1);
                 });
  return sum;
}

/// Of C by boxes. All tiles are sent, and all of each: of what lies outside nothing is stored.
void add_box_store(const KernelPlan& plan, const Problem& p, const Work& work, EpilogueWalk& w) {
  const Steps steps = element_steps(p, Operand::c);
  for_each_class(global_offset(p, Operand::c, {0, 0}), work.m, work.m.block * steps.row, work.n,
                 work.n.block * steps.col, [&](int valid_m, int valid_n, const Phases& phases) {
                   const auto boxes = walk_boxes(plan, p, Operand::c, valid_m, valid_n);
                   w.store_c.add(sum_over(boxes, phases, 1), 1);
                   w.box_loads.add(walk_box_reads(boxes),
                                   std::accumulate(phases.begin(), phases.end(), uint64_t{0}));
                 });
  const auto tiles = static_cast<uint64_t>(tiles_of(plan, work).tiles());
  const auto inside = static_cast<uint64_t>(work.m.count()) * static_cast<uint64_t>(work.n.count());
  const uint64_t beyond = (tiles - inside) * static_cast<uint64_t>(plan.epilogue.map.chunks());
  w.store_c.requests += beyond, w.box_loads.requests += beyond;
  w.stores.add(walk_box_fills(plan), tiles);
}

EpilogueWalk walk_epilogue_of(const KernelPlan& plan, const Problem& p, const Work& work) {
  EpilogueWalk w;
  const bool boxes = plan.epilogue.kind == EpilogueKind::boxes;
  if (!boxes || plan.spec.reads_c) {
    w.load_c = count_c(p, work, [&](int valid_m, int valid_n) {
      return walk_epilogue(plan, p, valid_m, valid_n);
    });
  }
  w.load_bias = count_bias(plan, p, work);
  if (boxes) {
    add_box_store(plan, p, work, w);
    return w;
  }
  w.store_c = w.load_c;  // by the same accesses
  if (!epilogue_region(plan)) return w;
  const auto add = [&](int valid_m, int valid_n, int times) {
    if (times == 0 || valid_m == 0 || valid_n == 0) return;
    const EpilogueShared one = walk_shared_epilogue(plan, valid_m, valid_n);
    w.stores.add(one.stores, static_cast<uint64_t>(times));
    w.loads.add(one.loads, static_cast<uint64_t>(times));
  };
  add(work.m.block, work.n.block, work.m.full * work.n.full);
  add(work.m.block, work.n.edge, work.m.full);
  add(work.m.edge, work.n.block, work.n.full);
  add(work.m.edge, work.n.edge, 1);
  return w;
}

/// The assembler makes one wide load of neighbouring narrow ones.
bool joins_loads(LoadKind kind) {
  switch (kind) {
    case LoadKind::lds:
      return true;
    case LoadKind::none:
    case LoadKind::global:
    case LoadKind::ldmatrix:
    case LoadKind::wmma:
      return false;
  }
  return false;
}

SliceWalk walk_slice(const KernelPlan& plan) {
  SliceWalk w;
  w.write_a = walk_shared_writes(plan, Operand::a);
  w.write_b = walk_shared_writes(plan, Operand::b);
  w.reads = walk_shared_reads(plan);
  w.product_reads = walk_product_reads(plan);
  w.split_loads = walk_split(plan, SharedUse::load);
  w.split_stores = walk_split(plan, SharedUse::store);
  w.joined_reads = joins_loads(plan.load_a.kind) ? walk_joined_reads(plan) : w.reads;
  if (plan.load_a.register_stages > 1) w.step_reads = walk_shared_reads_step(plan, 0);
  return w;
}

/// What a walk depends on; all else is as in every other plan.
struct Key {
  KernelPlan plan;
  Problem problem;
  Operand operand = Operand::c;
  bool operator==(const Key&) const = default;
};

Key key_of(const KernelPlan& plan, const Problem& p) {
  Key key{plan, p};
  KernelPlan& k = key.plan;
  const Raster& raster = plan.work.raster;
  k.work = {.raster = {.cluster_m = raster.cluster_m, .cluster_n = raster.cluster_n}};
  k.min_ctas = k.room_for_ctas = 1, k.promote = 0;
  k.syncs = {};
  for (SharedRegion& region : k.shared) {
    if (region.phase == Phase::slices) region.stages = 1;
  }
  key.problem.alpha = 1;  // of beta the plan knows what counts
  key.problem.beta = 0;
  return key;
}
/// Copies of an operand: not what becomes of it in shared memory, but for where it is put.
Key copies_key(Key key, Operand o) {
  key.operand = o;
  KernelPlan& k = key.plan;
  if (!fills_shared(copy_of(k, o).kind)) return key;
  const bool is_a = o == Operand::a;
  (is_a ? k.copy_b : k.copy_a) = {};
  k.load_a = k.load_b = {};
  const SharedRegion ring = k.shared[is_a ? 0 : 1];
  for (SharedRegion& region : k.shared) region = {};
  if (passes_l1_by(copy_of(k, o))) k.shared[is_a ? 0 : 1] = ring;
  k.shared[is_a ? 0 : 1].tile.offset = 0;
  k.shared[is_a ? 0 : 1].stride = 0;
  k.warps_m = k.warps_n = k.warps_k = 1, k.warp_m = k.warp_n = 0;
  k.atom = {}, k.epilogue = {};
  return key;
}
/// Accumulators on their way: not how A and B came.
Key epilogue_key(Key key) {
  KernelPlan& k = key.plan;
  k.copy_a = k.copy_b = {};
  k.load_a = k.load_b = {};
  k.block_k = 1;
  for (SharedRegion& region : k.shared) {
    if (region.phase == Phase::slices) region = {};
  }
  return key;
}
/// A slice in shared memory: of any problem.
Key slice_key(Key key) {
  key.problem = {};
  key.plan.epilogue = {};
  return key;
}

struct Hash {
  size_t operator()(const Key& k) const {
    size_t h = static_cast<size_t>(k.operand);
    for (const int part :
         {k.plan.block_m, k.plan.block_n, k.plan.block_k, k.plan.warp_m, k.plan.warp_n,
          k.plan.threads, k.plan.atom.m, k.plan.atom.n, k.plan.copy_a.width, k.plan.copy_b.width,
          static_cast<int>(k.plan.shared_a().swizzle), k.problem.m, k.problem.n, k.problem.k}) {
      h = h * 1000003 + static_cast<size_t>(part);
    }
    return h;
  }
};

template <class Value, class F>
const Value& kept(const Key& key, F&& walk) {
  constexpr size_t kMost = 1024;  // some megabytes
  thread_local std::unordered_map<Key, Value, Hash> known;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  Value value = walk();
  return known.emplace(key, std::move(value)).first->second;
}

}  // namespace

Walked walked(const KernelPlan& plan, const Problem& p) {
  const Key key = key_of(plan, p);
  const Work work = work_of(plan, p);
  Walked w;
  for (const Operand o : {Operand::a, Operand::b}) {
    (o == Operand::a ? w.load_a : w.load_b) =
        kept<GlobalSum>(copies_key(key, o), [&] { return count_operand(plan, p, o, work); });
  }
  w.epilogue =
      kept<EpilogueWalk>(epilogue_key(key), [&] { return walk_epilogue_of(plan, p, work); });
  w.slice = kept<SliceWalk>(slice_key(key), [&] { return walk_slice(plan); });
  return w;
}

}  // namespace tilescope::model
