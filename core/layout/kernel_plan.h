// What a kernel does, as plain data made of parts: the only thing that the model, the pictures, the
// trace and the tests know of it, and what its own code is compiled from. Who reads it asks the
// part, not which kernel it is; functions of a part live with the part.
#pragma once
#include "core/layout/epilogue.h"
#include "core/layout/float_split.h"
#include "core/layout/fragment.h"
#include "core/layout/fragment_load.h"
#include "core/layout/launch.h"
#include "core/layout/mapping.h"
#include "core/layout/mma.h"
#include "core/layout/problem.h"
#include "core/layout/shared_region.h"
#include "core/layout/sync.h"
#include "core/layout/tile_config.h"
#include "core/layout/work_order.h"
#include "core/layout/workspace.h"

namespace tilescope {

/// What of a problem is compiled into a kernel: everything but m, n, k, alpha and the value of
/// beta. Two problems with equal specializations share one compiled kernel.
struct Specialization {
  ElementType type_a = ElementType::f32, type_b = ElementType::f32, type_c = ElementType::f32;
  Order order_a = Order::row_major, order_b = Order::row_major, order_c = Order::row_major;
  int width_a = 1, width_b = 1, width_c = 1;  // elements per global access, as alignment allows
  bool edge_m = true, edge_n = true, edge_k = true;  // may tiles stick out of the matrix?
  bool reads_c = true;                               // beta is not 0
  bool pack_a = false, pack_b = false;  // a pass before the kernel aligns its lines (packing.h)
  bool boxes_c = false;                 // C goes out by boxes (box_store.h)
  bool adds_bias = false;
  constexpr bool operator==(const Specialization&) const = default;
};

/// `width_*` is capped by what the tile's contiguous extents divide into.
constexpr Specialization specialize(const Problem& p, int block_m, int block_n, int block_k) {
  Specialization s;
  s.type_a = p.type_a, s.type_b = p.type_b, s.type_c = p.type_c;
  s.order_a = p.order_a, s.order_b = p.order_b, s.order_c = p.order_c;
  s.width_a = aligned_width(p, Operand::a);
  s.width_b = aligned_width(p, Operand::b);
  s.width_c = aligned_width(p, Operand::c);
  s.edge_m = p.m % block_m != 0;
  s.edge_n = p.n % block_n != 0;
  s.edge_k = p.k % block_k != 0;
  s.reads_c = p.beta != 0.0f;
  s.adds_bias = p.bias;
  return s;
}

enum class Math : int { simt, mma };

struct KernelPlan {
  constexpr KernelPlan() = default;  // g++ 12 takes no {} for a plan without it

  Specialization spec;

  // CTA
  int block_m = 1, block_n = 1, block_k = 1;
  int threads = 1;  // that multiply
  // Behind those, that do nothing but bring what is multiplied. Registers are moved between the two
  // (setmaxnreg); 0: each thread keeps its share.
  int producer_threads = 0;
  int registers = 0, producer_registers = 0;
  // CTAs per SM that the compiler must leave registers for; a card that cannot hold them refuses.
  int min_ctas = 1;
  // CTAs per SM that it should leave registers for, if the card has threads and shared memory for
  // them; a card that has not runs the kernel all the same.
  int room_for_ctas = 1;
  WorkOrder work;

  // Warps over the block tile; each computes atoms over its warp tile. Warps along k take a part of
  // each slice, and add their sums in the epilogue.
  int warps_m = 1, warps_n = 1, warps_k = 1;
  int warp_m = 0, warp_n = 0;  // elements
  MmaAtom atom;

  // Global → shared → registers
  CopyMap copy_a, copy_b;
  FragmentLoad load_a, load_b;
  /// The first two are the rings of A and of B, present or not.
  static constexpr int kMaxRegions = 6;
  SharedRegion shared[kMaxRegions] = {};
  Split split;
  /// k slices whose products tensor cores sum up by themselves before that sum is added to one in
  /// registers, which has all of a float's bits; 0: all slices.
  int promote = 0;
  Syncs syncs;
  Epilogue epilogue;

  constexpr bool operator==(const KernelPlan&) const = default;

  /// Asked for words, rates and gates; what is done the parts say, where it lies hierarchy.h.
  constexpr Math math() const { return is_instruction(atom.kind) ? Math::mma : Math::simt; }
  constexpr const SharedTile& shared_a() const { return shared[0].tile; }
  constexpr const SharedTile& shared_b() const { return shared[1].tile; }
  /// k slices that have room in shared memory at once; 0: it is not used for A and B.
  constexpr int stages() const { return shared[0].present() ? shared[0].stages : 0; }
  constexpr int stage_bytes() const { return shared[0].present() ? shared[0].stride : 0; }
  /// What copies bring of them.
  constexpr int copied_bytes() const {
    return stages() > 0 ? shared_a().size_bytes() + shared_b().size_bytes() : 0;
  }
  constexpr int shared_bytes() const {
    int bytes = 0;
    for (int i = 0; i < kMaxRegions; ++i) {
      if (shared[i].end() > bytes) bytes = shared[i].end();
    }
    return bytes;
  }
  constexpr int warps() const { return ceil_div(threads, 32); }  // that multiply
  constexpr int cta_threads() const { return threads + producer_threads; }
  constexpr int cta_warps() const { return ceil_div(cta_threads(), 32); }
  /// Warps that compute one atom together: 4 for wgmma, a whole CTA's for most thread tiles.
  constexpr int warps_per_atom() const { return ceil_div(atom.threads(), 32); }
};

/// A plan's region of a kind; one that is not present if it has none.
constexpr SharedRegion region_of(const KernelPlan& plan, RegionKind what) {
  for (const SharedRegion& r : plan.shared) {
    if (r.what == what) return r;
  }
  return {};
}
constexpr void add_region(KernelPlan& plan, const SharedRegion& region) {
  int free = 2;  // behind the rings
  while (plan.shared[free].present()) ++free;
  plan.shared[free] = region;
}

constexpr const CopyMap& copy_of(const KernelPlan& plan, Operand o) {
  return o == Operand::a ? plan.copy_a : plan.copy_b;
}
constexpr const FragmentLoad& load_of(const KernelPlan& plan, Operand o) {
  return o == Operand::a ? plan.load_a : plan.load_b;
}
constexpr const SharedTile& shared_of(const KernelPlan& plan, Operand o) {
  return o == Operand::a ? plan.shared_a() : plan.shared_b();
}
constexpr const FragmentLayout& fragment_of(const MmaAtom& atom, Operand o) {
  return o == Operand::a ? atom.a : o == Operand::b ? atom.b : atom.c;
}

/// Each thread loads what it multiplies from global memory, an element at a time.
constexpr void set_direct_loads(KernelPlan& plan) {
  const Specialization& s = plan.spec;
  plan.copy_a = plan.copy_b = {.kind = CopyKind::direct, .depth = 1, .threads = plan.threads};
  plan.copy_a.outer = plan.block_m, plan.copy_b.outer = plan.block_n;
  plan.copy_a.bytes = element_bytes(s.type_a), plan.copy_b.bytes = element_bytes(s.type_b);
  plan.copy_a.k_contiguous = s.order_a == Order::row_major;
  plan.copy_b.k_contiguous = s.order_b == Order::column_major;
  plan.load_a.kind = plan.load_b.kind = LoadKind::global;
}

/// Block tile and warp tiles as the sliders have them, and a thread for each lane.
constexpr void set_warps(KernelPlan& plan, const TileConfig& tile) {
  plan.block_m = tile.block_m, plan.block_n = tile.block_n, plan.block_k = tile.block_k;
  plan.warp_m = tile.warp_m, plan.warp_n = tile.warp_n;
  plan.warps_m = tile.block_m / tile.warp_m, plan.warps_n = tile.block_n / tile.warp_n;
  plan.warps_k = tile.warps_k > 0 ? tile.warps_k : 1;
  plan.threads = 32 * plan.warps_m * plan.warps_n * plan.warps_k;
}

/// A ring of `stages` stages at the start of shared memory, each A's tile, then B's. `a.offset` is
/// 0.
constexpr void set_ring(KernelPlan& plan, const SharedTile& a, const SharedTile& b, int stages) {
  const int stride = a.size_bytes() + b.size_bytes();
  plan.shared[0] = {RegionKind::a, Phase::slices, a, stages, stride};
  plan.shared[1] = {RegionKind::b, Phase::slices, b, stages, stride};
  plan.shared[1].tile.offset = a.size_bytes();
}

/// What has landed of a stage is split by the last `threads` of the CTA: its stages have a second
/// half, for the rests. After set_ring(), before add_mbarriers().
constexpr void set_split(KernelPlan& plan, int threads) {
  const int bytes = plan.copied_bytes();
  plan.split = {.threads = threads, .bytes = bytes, .rests = bytes};
  for (int i = 0; i < 2; ++i) {
    SharedRegion& region = plan.shared[i];
    region.stride = 2 * bytes;
    SharedRegion rest = region;
    rest.what = i == 0 ? RegionKind::rest_a : RegionKind::rest_b;
    rest.tile.offset += plan.split.rests;
    add_region(plan, rest);
  }
}
/// The first of those threads.
constexpr int split_thread(const KernelPlan& plan) {
  return plan.cta_threads() - plan.split.threads;
}

/// Bytes of a stage that hold no element and no rest.
constexpr int padding_bytes(const KernelPlan& plan) {
  int bytes = plan.stage_bytes();
  for (const SharedRegion& r : plan.shared) {
    const SharedTile& t = r.tile;
    if (r.stride > 0 && r.phase == Phase::slices) bytes -= t.outer * t.depth * t.bytes_per_element;
  }
  return bytes;
}

/// Clusters of cluster_m × cluster_n CTAs (0: of one), of which those in one row read A for each
/// other, those in one column B.
constexpr void set_cluster(KernelPlan& plan, int cluster_m, int cluster_n) {
  Raster& r = plan.work.raster;
  r.cluster_m = cluster_m > 0 ? cluster_m : 1, r.cluster_n = cluster_n > 0 ? cluster_n : 1;
  share_copy(plan.copy_a, r.cluster_n), share_copy(plan.copy_b, r.cluster_m);
}

/// Behind what is there, `count` of the mbarriers by which the ring's stages are handed over.
constexpr void add_mbarriers(KernelPlan& plan, int count) {
  SharedTile tile{.present = true, .outer = count, .depth = 1, .bytes_per_element = kMbarrierBytes};
  tile.panel = 1, tile.pitch = kMbarrierBytes;
  tile.offset = plan.shared_bytes();
  add_region(plan, {RegionKind::mbarriers, Phase::slices, tile});
}
/// Byte in shared memory of the first of them.
constexpr int mbarriers_at(const KernelPlan& plan) {
  return region_of(plan, RegionKind::mbarriers).tile.offset;
}

/// What lies at a byte of shared memory in a phase; region −1 if nothing does.
struct SharedPlace {
  int region = -1;
  int stage = 0;
  Coord element{-1, -1};  // in the region's tile; row −1 in padding
};
constexpr SharedPlace locate(const KernelPlan& plan, int byte, Phase phase) {
  for (int i = 0; i < KernelPlan::kMaxRegions; ++i) {
    const SharedRegion& r = plan.shared[i];
    if (!r.present() || r.phase != phase || byte < r.tile.offset || byte >= r.end()) continue;
    const int stage = r.stride > 0 ? (byte - r.tile.offset) / r.stride : 0;
    const int in_stage = byte - stage * r.stride;
    if (in_stage >= r.tile.offset + r.tile.size_bytes()) continue;
    return {i, stage, shared_element(r.tile, in_stage)};
  }
  return {};
}

/// CTAs of whole clusters, at least of one, that so many SMs hold at once, one each. A cluster lies
/// in one group of SMs (GPC) of up to 18, which pairs can fill but no larger cluster. One CTA more
/// than the card holds would double the time, since each goes through all of its tiles, so this is
/// a low guess: groups of 16, of which the last one is half there. (H200, 132 SMs: 120 by
/// cuOccupancyMaxActiveClusters for clusters of 4 and of 8, and a 121st waits.)
constexpr int held_by_clusters(const Raster& r, int sms) {
  constexpr int kGroup = 16, kPair = 2;
  const int size = cluster_size(r);
  const int used = size > kPair && sms >= kGroup ? sms / kGroup * kGroup - kGroup / 2 : sms;
  return used > size ? used / size * size : size;
}

/// Fills the only part of a plan that depends on m, n, k, on the raster slider and on how many SMs
/// the card has.
constexpr void set_work(KernelPlan& plan, const TileConfig& tile, const Problem& p, int sms) {
  WorkOrder& w = plan.work;
  set_tiles(w.raster, ceil_div(p.m, plan.block_m), ceil_div(p.n, plan.block_n));
  w.raster.group = tile.raster > 0 ? tile.raster : 1;
  w.k_slices = ceil_div(p.k, plan.block_k);
  if (w.splits > w.k_slices) w.splits = w.k_slices;
  // As many as the card holds at once, but none without work.
  const long long held = 1LL * held_by_clusters(w.raster, sms) * plan.min_ctas;
  const long long most = cuts_slices(w) ? w.slices() : w.raster.tiles();
  if (stays(w)) w.ctas = static_cast<int>(held < most ? held : most);
  // Nothing is cut: a CTA more than tiles would have none.
  const bool idle = cuts_slices(w) && w.raster.tiles() < w.ctas;
  if (idle && stream_tiles(w) == 0) w.ctas = w.raster.tiles();
}
/// Bytes of the workspace for one CTA's sums of a tile that it shares: a float per accumulator.
constexpr int part_bytes(const KernelPlan& plan) {
  const int atoms = plan.warp_m / plan.atom.m * (plan.warp_n / plan.atom.n);
  return plan.threads * atoms * plan.atom.c.values() * 4;
}
/// The second number of __launch_bounds__: CTAs per SM that the compiler leaves registers for.
constexpr int bounds_ctas(const KernelPlan& plan) {
  return plan.room_for_ctas > plan.min_ctas ? plan.room_for_ctas : plan.min_ctas;
}
/// Where each tile has its own CTA the grid is two-dimensional, tiles along n × tiles along m, so
/// that
/// `--cta X,Y` is the blockIdx that a profiler shows; raster_tile() then maps the linear launch
/// index to a block tile.
constexpr Launch launch_of(const KernelPlan& plan) {
  Launch launch;
  const bool row = stays(plan.work);
  launch.grid_x = row ? plan.work.ctas : plan.work.raster.tiles_n;
  launch.grid_y = row ? 1 : plan.work.raster.tiles_m;
  launch.grid_z = splits_k(plan.work) ? plan.work.splits : 1;
  launch.threads = plan.cta_threads(), launch.shared_bytes = plan.shared_bytes();
  launch.min_ctas = plan.min_ctas, launch.cluster = cluster_size(plan.work.raster);
  if (shares_tiles(plan.work)) {
    launch.workspace_bytes = workspace_bytes(plan.work, part_bytes(plan));
  }
  return launch;
}

/// First row and column of C that a block tile holds.
constexpr Coord block_origin(const KernelPlan& plan, Coord tile) {
  return {tile.row * plan.block_m, tile.col * plan.block_n};
}
/// The block tile that an element of C lies in.
constexpr Coord block_of(const KernelPlan& plan, Coord element) {
  return {element.row / plan.block_m, element.col / plan.block_n};
}
/// Stage of the ring that a k slice goes to. The kernel must have stages.
constexpr int stage_of_slice(const KernelPlan& plan, int k_slice) {
  return k_slice % plan.stages();
}

/// Warps that compute the same part of each slice along k (there are warps_k parts), and, below,
/// which part a warp belongs to.
constexpr int warps_per_part(const KernelPlan& plan) {
  return plan.warps_m * plan.warps_n * plan.warps_per_atom();
}
constexpr int part_of_warp(const KernelPlan& plan, int warp) { return warp / warps_per_part(plan); }
/// First row and column of a warp's tile inside the block tile. Warps run along n first, then m,
/// then k; those that compute an atom together share a tile.
constexpr Coord warp_origin(const KernelPlan& plan, int warp) {
  const int tile = warp / plan.warps_per_atom() % (plan.warps_m * plan.warps_n);
  return {tile / plan.warps_n * plan.warp_m, tile % plan.warps_n * plan.warp_n};
}
/// Of the warps that compute an atom together each has as many of its rows, from the first one on.
constexpr int atom_rows_of_warp(const KernelPlan& plan) {
  return plan.atom.m / plan.warps_per_atom();
}
constexpr int first_atom_row(const KernelPlan& plan, int warp) {
  return warp % plan.warps_per_atom() * atom_rows_of_warp(plan);
}
/// First k of a slice that a warp multiplies.
constexpr int warp_k_origin(const KernelPlan& plan, int warp) {
  return part_of_warp(plan, warp) * (plan.block_k / plan.warps_k);
}
/// Which thread of the atom's fragments (FragmentLayout::thread) a lane of a warp is.
constexpr int atom_thread_of(const KernelPlan& plan, int warp, int lane) {
  return atom_thread(plan.atom, warp % plan.warps_per_atom() * 32 + lane).thread;
}
/// First row and column of a thread's accumulators inside the block tile.
constexpr Coord thread_origin(const KernelPlan& plan, int thread) {
  if (plan.warps() == plan.warps_per_atom()) return thread_coord(plan.atom.c, thread);
  const int warp = thread / 32;
  return warp_origin(plan, warp) +
         thread_coord(plan.atom.c, atom_thread_of(plan, warp, thread % 32));
}
/// First row and column of atom (mi, ni) inside the warp tile.
constexpr Coord mma_origin(const KernelPlan& plan, int mi, int ni) {
  return {mi * plan.atom.m, ni * plan.atom.n};
}
constexpr int mmas_m(const KernelPlan& plan) { return plan.warp_m / plan.atom.m; }
constexpr int mmas_n(const KernelPlan& plan) { return plan.warp_n / plan.atom.n; }
/// k steps of a warp in one slice.
constexpr int mmas_k(const KernelPlan& plan) { return plan.block_k / plan.warps_k / plan.atom.k; }

/// Element [m, n] of the block tile in accumulator `value` of atom (mi, ni) of a warp's lane.
constexpr Coord accumulator_coord(const KernelPlan& plan, int warp, int mi, int ni, int lane,
                                  int value) {
  return warp_origin(plan, warp) + mma_origin(plan, mi, ni) +
         fragment_coord(plan.atom.c, atom_thread_of(plan, warp, lane), value);
}
/// Which lane stores which elements of `epilogue.atoms` neighbouring atoms: of one atom its
/// accumulators; of two what lanes hold once they have exchanged some (Epilogue::exchanged).
constexpr const FragmentLayout& store_layout(const KernelPlan& plan) {
  return plan.epilogue.atoms == 1 ? plan.atom.c : plan.epilogue.exchanged;
}
/// Element [m, n] of the block tile that is value `value` of what a warp's lane stores of the atoms
/// from (mi, ni) on.
constexpr Coord stored_coord(const KernelPlan& plan, int warp, int mi, int ni, int lane,
                             int value) {
  return warp_origin(plan, warp) + mma_origin(plan, mi, ni) +
         fragment_coord(store_layout(plan), atom_thread_of(plan, warp, lane), value);
}
/// A store of C takes `epilogue.width` of a lane's values that are neighbours along C's lines. How
/// far their numbers are apart: the values of a store are v, v + step, v + 2 step, …
constexpr int store_value_step(const KernelPlan& plan) {
  const FragmentLayout& c = store_layout(plan);
  const bool rows = plan.spec.order_c == Order::row_major;
  return plan.epilogue.width == 1 ? 1 : index_of(c.value, rows ? c.rows : 1);
}
/// Values of the bias that belong to one store of `width_c` elements of C: as many where the
/// elements are neighbours in a row, one where they are neighbours in a column, which has one bias.
constexpr int bias_width(Order order_c, int width_c) {
  return order_c == Order::row_major ? width_c : 1;
}
/// True if `value` is the first of the values of its store.
constexpr bool begins_store(const KernelPlan& plan, int value) {
  const Coord at = value_coord(store_layout(plan), value);
  const int along = plan.spec.order_c == Order::row_major ? at.col : at.row;
  return along % plan.epilogue.width == 0;
}
/// `value` begins a store of C; a thread's stores of one column need the same value of the bias,
/// which is loaded once, for the first of them. Returns the value that begins that first store
/// (`value` itself if it is the first).
constexpr int bias_of_store(const KernelPlan& plan, int value) {
  for (int first = 0; first < value; ++first) {
    const bool same =
        value_coord(store_layout(plan), first).col == value_coord(store_layout(plan), value).col;
    if (same && begins_store(plan, first)) return first;
  }
  return value;
}
/// Elements of a SIMT thread's tile along m and n.
constexpr int thread_m(const KernelPlan& plan) { return plan.atom.a.values(); }
constexpr int thread_n(const KernelPlan& plan) { return plan.atom.b.values(); }

}  // namespace tilescope
