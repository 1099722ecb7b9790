#include "tests/model/brute_force.h"

#include <set>
#include <vector>

#include "core/layout/packing.h"
#include "tests/model/brute_access.h"

namespace tilescope::model {
namespace {

struct Cta {
  const KernelPlan& plan;
  const Problem& p;
  Coord tile;
  Counts& counts;

  int first(Operand o) const {
    return o == Operand::a ? tile.row * plan.block_m : tile.col * plan.block_n;
  }
  /// A packed operand has zeros up to whole tiles.
  int end(Operand o, int extent, int block) const {
    return packs(plan.spec, o) ? (extent + block - 1) / block * block : extent;
  }
  bool copies(Operand o, int outer, int k) const {
    return k < end(o, p.k, plan.block_k) &&
           outer < (o == Operand::a ? end(o, p.m, plan.block_m) : end(o, p.n, plan.block_n));
  }

  /// Boxes: a line of one asks for its sectors, and fills 128 bytes of shared memory at a time.
  void copy_boxes(Operand o, int k0) {
    const SharedTile& shared = o == Operand::a ? plan.shared_a() : plan.shared_b();
    GlobalSum& from = o == Operand::a ? counts.load_a : counts.load_b;
    // Of as many parts as CTAs share the tile this one asks for its own, and all come.
    const Raster& r = plan.work.raster;
    const int parts = o == Operand::a ? r.cluster_n : r.cluster_m;
    const int part = o == Operand::a ? tile.col % parts : tile.row % parts;
    const int lines = shared.lines() / parts;
    for (int panel = 0; panel < shared.panels(); ++panel) {
      ++from.requests, ++counts.shared_copy.requests;
      const int size = shared.lines() * shared.panel * shared.bytes_per_element;
      counts.shared_copy.bytes += static_cast<uint64_t>(size);
      counts.shared_copy.wavefronts += static_cast<uint64_t>((size + 127) / 128);
      counts.shared_copy.ideal += static_cast<uint64_t>((size + 127) / 128);
      for (int line = part * lines; line < (part + 1) * lines; ++line) {
        std::set<long long> sectors, blocks;
        for (int i = 0; i < shared.panel; ++i) {
          const int along = panel * shared.panel + i;
          const int outer = first(o) + (shared.k_contiguous ? line : along);
          const int k = k0 + (shared.k_contiguous ? along : line);
          if (!copies(o, outer, k)) continue;
          const long long at = global_offset(p, o, matrix_coord(o, outer, k));
          sectors.insert(at / 32), blocks.insert(at / 128);
          from.bytes += static_cast<uint64_t>(shared.bytes_per_element);
        }
        from.sectors += sectors.size(), from.fetched += sectors.size();
        from.lines += blocks.size();
      }
    }
  }

  /// Lines of A and columns of B that the products of a k step read, 32 bytes of each.
  void product_step() {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int product = 0; product < mmas_m(plan) * mmas_n(plan); ++product) {
        const int lines = plan.atom.m / 4 + (warp % 4 == 0 ? plan.atom.n : 0);
        ++counts.shared_product.requests;
        counts.shared_product.bytes += static_cast<uint64_t>(32 * lines);
        counts.shared_product.wavefronts += static_cast<uint64_t>(lines / 4);
        counts.shared_product.ideal += static_cast<uint64_t>(lines / 4);
      }
    }
  }

  void copy(Operand o, int k0) {
    const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
    const SharedTile& shared = o == Operand::a ? plan.shared_a() : plan.shared_b();
    if (map.kind == CopyKind::tensor) return copy_boxes(o, k0);
    const bool turned = map.k_contiguous != shared.k_contiguous;
    for (int i = 0; i < map.iterations(); ++i) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes global;
        std::vector<Lanes> writes(turned ? static_cast<size_t>(map.width) : 1);
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at = copy_coord(map, warp * 32 + lane, i);
          if (at.row >= map.outer || at.col >= map.depth) continue;
          const int outer = first(o) + at.row, k = k0 + at.col;
          if (copies(o, outer, k)) {
            global.push_back({lane, global_offset(p, o, matrix_coord(o, outer, k))});
          }
          for (size_t e = 0; e < writes.size(); ++e) {
            const int step = static_cast<int>(e);
            writes[e].push_back({lane, shared_offset(shared, at.row + (map.k_contiguous ? 0 : step),
                                                     at.col + (map.k_contiguous ? step : 0))});
          }
        }
        GlobalSum& from = o == Operand::a ? counts.load_a : counts.load_b;
        add_global(from, global, map.access_bytes());
        if (map.kind == CopyKind::cp_async && map.access_bytes() == 16) {
          from.fetched += fetched(global, writes[0]);
        }
        SharedSum& to = map.kind == CopyKind::cp_async ? counts.shared_copy : counts.shared_store;
        for (const Lanes& lanes : writes) {
          add_shared(to, lanes, turned ? map.bytes : map.access_bytes(), Served::store);
        }
      }
    }
  }

  void ldmatrix(const SharedTile& shared, const LdmatrixMap& map, int outer, int k) {
    Lanes lanes;
    for (int lane = 0; lane < 32; ++lane) {
      const Coord at = ldmatrix_row(map, lane);
      lanes.push_back({lane, shared_offset(shared, outer + at.row, k + at.col)});
    }
    add_shared(counts.shared_load, lanes, 16, Served::rows);
  }

  void mma_step(int k) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      const Coord at = warp_origin(plan, warp);
      for (int mi = 0; mi < mmas_m(plan); ++mi) {
        ldmatrix(plan.shared_a(), plan.load_a.map, at.row + mi * 16, k);
      }
      for (int pair = 0; pair < mmas_n(plan) / 2; ++pair) {
        ldmatrix(plan.shared_b(), plan.load_b.map, at.col + pair * 16, k);
      }
    }
  }

  void thread_tile_step(int k) {
    for (Operand o : {Operand::a, Operand::b}) {
      const bool is_a = o == Operand::a;
      const int extent = is_a ? thread_m(plan) : thread_n(plan);
      const int run = is_a ? plan.load_a.width : plan.load_b.width;
      const int atoms = is_a ? mmas_m(plan) : mmas_n(plan);
      for (int i = 0; i < atoms * extent; i += run) {
        for (int warp = 0; warp < plan.warps(); ++warp) {
          Lanes lanes;
          for (int lane = 0; lane < 32 && warp * 32 + lane < plan.threads; ++lane) {
            const int atom = i / extent, value = i % extent * (is_a ? thread_n(plan) : 1);
            const Coord at =
                accumulator_coord(plan, warp, is_a ? atom : 0, is_a ? 0 : atom, lane, value);
            lanes.push_back({lane, is_a ? shared_offset(plan.shared_a(), at.row, k)
                                        : shared_offset(plan.shared_b(), at.col, k)});
          }
          add_shared(counts.shared_load, lanes, run * 4, Served::load);
        }
      }
    }
  }

  void naive() {
    for (int k = 0; k < p.k; ++k) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes a, b;
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at = thread_coord(plan.atom.c, warp * 32 + lane);
          const int row = first(Operand::a) + at.row, col = first(Operand::b) + at.col;
          if (row >= p.m || col >= p.n) continue;
          a.push_back({lane, global_offset(p, Operand::a, {row, k})});
          b.push_back({lane, global_offset(p, Operand::b, {k, col})});
          ++counts.fma;
        }
        add_global(counts.load_a, a, 4);
        add_global(counts.load_b, b, 4);
      }
    }
  }

  /// wmma.load: two halves per lane for each matrix of 8 × 8, those that repeat others left out.
  /// Where k runs across the lines, four lanes share a line, and the matrix is turned later.
  void wmma_step(int step) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      const Coord at = warp_origin(plan, warp);
      const int k0 = warp_k_origin(plan, warp) + step * 16;
      for (Operand o : {Operand::a, Operand::b}) {
        const bool is_a = o == Operand::a;
        const FragmentLayout& f = is_a ? plan.atom.a : plan.atom.b;
        for (int tile = 0; tile < (is_a ? mmas_m(plan) : mmas_n(plan)); ++tile) {
          const SharedTile& stored = is_a ? plan.shared_a() : plan.shared_b();
          for (int v = 0; v < 8; v += 2) {
            Lanes lanes;
            const Coord corner = fragment_coord(f, 0, v);  // A [m, k], B [k, n]
            const int outer =
                (is_a ? at.row : at.col) + tile * 16 + (is_a ? corner.row : corner.col);
            const int k = k0 + (is_a ? corner.col : corner.row);
            for (int lane = 0; lane < 32; ++lane) {
              const int line = lane / 4, along = lane % 4 * 2;
              lanes.push_back({lane, stored.k_contiguous
                                         ? shared_offset(stored, outer + line, k + along)
                                         : shared_offset(stored, outer + along, k + line)});
            }
            add_shared(counts.shared_load, lanes, 4, Served::load);
          }
        }
      }
    }
  }

  /// The first element of a lane's store of two tiles of m16n8 side by side.
  Coord pair(int lane, int access) const {
    const int q = lane % 4;
    if (plan.epilogue.width == 4) return {lane / 4 + 8 * access, lane % 2 * 8 + q / 2 * 4};
    if (plan.epilogue.width == 2) {
      return {lane / 8 * 2 + access % 2 + access / 2 * 8, 2 * q + lane / 4 % 2 * 8};
    }
    return {lane / 16 * 4 + access % 4 + access / 4 * 8, 2 * q + lane / 4 % 2 + lane / 8 % 2 * 8};
  }

  /// Of two tiles of m16n8, side by side, an even lane stores four neighbours of the left one's
  /// rows, an odd lane of the right one's.
  void store_pairs() {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int mi = 0; mi < mmas_m(plan); ++mi) {
        for (int ni = 0; ni < mmas_n(plan); ni += 2) {
          const Coord at = accumulator_coord(plan, warp, mi, ni, 0, 0);
          for (int access = 0; access < 8 / plan.epilogue.width; ++access) {
            Lanes lanes;
            for (int lane = 0; lane < 32; ++lane) add_inside(lanes, lane, at + pair(lane, access));
            add_c(lanes);
          }
        }
      }
    }
  }

  void store_accumulators() {
    if (plan.epilogue.bias_ahead) bias_ahead();
    if (plan.epilogue.atoms == 2) return store_pairs();
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int part = 0; part < mmas_m(plan) * mmas_n(plan); ++part) {
        for (int v = 0; v < plan.atom.c.values(); v += plan.epilogue.width) {
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) {
            add_inside(
                lanes, lane,
                accumulator_coord(plan, warp, part / mmas_n(plan), part % mmas_n(plan), lane, v));
          }
          add_c(lanes);
        }
      }
    }
  }

  /// Accumulators of wmma, two of a row at a time, to a tile each part of k has; then whole rows.
  void through_shared() {
    const SharedRegion& sums = plan.shared[2];
    for (int warp = 0; warp < plan.warps(); ++warp) {
      const int part_of_k = warp / (plan.warps_m * plan.warps_n);
      for (int part = 0; part < mmas_m(plan) * mmas_n(plan); ++part) {
        for (int v = 0; v < 8; v += 2) {
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) {
            const Coord at =
                accumulator_coord(plan, warp, part / mmas_n(plan), part % mmas_n(plan), lane, v);
            lanes.push_back(
                {lane, part_of_k * sums.stride + shared_offset(sums.tile, at.row, at.col)});
          }
          add_shared(counts.shared_store, lanes, 8, Served::store);
        }
      }
    }
    const CopyMap& map = plan.epilogue.map;
    for (int i = 0; i < map.iterations(); ++i) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes from, to;
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at = copy_coord(map, warp * 32 + lane, i);
          if (at.row >= map.outer) continue;
          const Coord in_c = Coord{first(Operand::a), first(Operand::b)} + at;
          if (in_c.row >= p.m || in_c.col >= p.n) continue;
          from.push_back({lane, shared_offset(sums.tile, at.row, at.col)});
          add_inside(to, lane, at);
        }
        for (int part = 0; part < plan.warps_k; ++part) {
          add_shared(counts.shared_load, from, map.width * 4, Served::load);
        }
        add_c(to);
      }
    }
  }

  void add_inside(Lanes& lanes, int lane, Coord in_tile) {
    const Coord at = Coord{first(Operand::a), first(Operand::b)} + in_tile;
    if (at.row < p.m && at.col < p.n) lanes.push_back({lane, global_offset(p, Operand::c, at)});
  }
  void add_c(const Lanes& lanes) {
    add_global(counts.store_c, lanes, plan.epilogue.width * 4);
    if (p.beta != 0) add_global(counts.load_c, lanes, plan.epilogue.width * 4);
    if (p.bias) add_bias(lanes);
  }

  /// Of tensor cores' kernels: each lane loads what it adds to its columns once, whatever its rows.
  void bias_ahead() {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int ni = 0; ni < mmas_n(plan); ni += plan.epilogue.atoms) {
        const int values = plan.epilogue.atoms == 2 ? 8 : 4;
        std::set<std::vector<std::pair<int, int>>> seen;  // columns of all lanes
        for (int v = 0; v < values; v += plan.epilogue.width) {
          std::vector<std::pair<int, int>> columns;
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) {
            const Coord at = plan.epilogue.atoms == 2
                                 ? accumulator_coord(plan, warp, 0, ni, 0, 0) +
                                       pair(lane, v / plan.epilogue.width)
                                 : accumulator_coord(plan, warp, 0, ni, lane, v);
            const int col = first(Operand::b) + at.col;
            columns.emplace_back(lane, col);
            if (col < p.n) lanes.push_back({lane, col * 4});
          }
          if (!seen.insert(columns).second) continue;
          const int width = p.order_c == Order::row_major ? plan.epilogue.width : 1;
          add_global(counts.load_bias, lanes, width * 4);
        }
      }
    }
  }

  /// Beside a store of C that starts at these places.
  void add_bias(const Lanes& stored) {
    if (plan.epilogue.bias_ahead) return;
    Lanes lanes;
    for (const auto& [lane, offset] : stored) {
      lanes.push_back({lane, global_coord(p, Operand::c, offset).col * 4});
    }
    const int width = p.order_c == Order::row_major ? plan.epilogue.width : 1;
    add_global(counts.load_bias, lanes, width * 4);
  }

  void step(int kk) {
    switch (plan.load_a.kind) {
      case LoadKind::ldmatrix:
        return mma_step(kk * 16);
      case LoadKind::wmma:
        return wmma_step(kk);
      case LoadKind::none:
        return product_step();
      case LoadKind::global:
      case LoadKind::lds:
        return thread_tile_step(kk);
    }
  }

  /// The sums of all threads, four at a time, to or from the workspace.
  void pass_part(GlobalSum& sum) {
    const int accesses = mmas_m(plan) * mmas_n(plan) * plan.atom.c.values() / 4;
    for (int i = 0; i < accesses; ++i) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes lanes;
        for (int lane = 0; lane < 32; ++lane) {
          lanes.push_back({lane, 16LL * (i * plan.threads + warp * 32 + lane)});
        }
        add_global(sum, lanes, 16);
      }
    }
  }
  /// Of a tile that several CTAs compute: who stores C reads the others' parts. Of split-K's CTAs
  /// each gives its part, and the last, whichever that is, reads all of them.
  void share(const WorkItem& item) {
    const bool stream = plan.work.kind == WorkKind::stream_k;
    if (!stream || item.k_begin > 0) {
      pass_part(counts.store_sums), pass_part(counts.load_sums);
    }
    if (item.k_begin > 0) return;
    if (stream) add_global(counts.load_sums, {{0, 0}}, 4);  // the counter, when all have come
    add_global(counts.store_sums, {{0, 0}}, 4);             // and back to zero
  }

  void run(const WorkItem& item) {
    if (plan.copy_a.kind == CopyKind::direct) {
      naive();
    } else {
      for (int ahead = 1; ahead < plan.load_a.register_stages; ++ahead) step(0);
      for (int slice = item.k_begin; slice < item.k_end; ++slice) {
        copy(Operand::a, slice * plan.block_k);
        copy(Operand::b, slice * plan.block_k);
        for (int kk = 0; kk < mmas_k(plan); ++kk) step(kk);
        if (plan.math() == Math::mma) {
          counts.mma += 1ull * plan.warps() * mmas_m(plan) * mmas_n(plan) * mmas_k(plan);
        } else {
          counts.fma += 1ull * plan.block_m * plan.block_n * plan.block_k;
        }
      }
    }
    if (item.partial) share(item);
    if (item.k_begin > 0) return;
    plan.epilogue.kind == EpilogueKind::shared ? through_shared() : store_accumulators();
  }
};

/// The pass before the kernel, thread by thread: what it reads it finds out by looking at bytes.
void pack(const KernelPlan& plan, const Problem& p, Operand o, Counts& counts) {
  const Packing packing = packing_of(plan, p, o);
  const long long first = global_offset(p, o, {0, 0});
  for (int cta = 0; cta < packing.ctas(); ++cta) {
    for (int i = 0; i < kPackThreads / 32 * kPackRounds; ++i) {
      Lanes words[2], stores;
      std::vector<Lanes> elements(8);
      for (int lane = 0; lane < 32; ++lane) {
        const Coord at = packed_piece(packing, cta, i / kPackRounds * 32 + lane, i % kPackRounds);
        if (at.row >= packing.room_lines || at.col >= packing.pitch) continue;
        const long long line = first + 2 * at.row * packing.leading;
        const long long begin = line + 2 * at.col, aligned = begin / 16 * 16;
        stores.push_back({lane, 2 * (at.row * packing.pitch + at.col)});
        if (at.row >= packing.lines) continue;
        if (aligned < line || aligned + 32 > line + 2 * packing.elements) {
          for (int e = 0; e < 8 && at.col + e < packing.elements; ++e) {
            elements[static_cast<size_t>(e)].push_back({lane, begin + 2 * e});
          }
        } else {
          words[0].push_back({lane, aligned}), words[1].push_back({lane, aligned + 16});
        }
      }
      for (const Lanes& lanes : words) add_global(counts.load_pack, lanes, 16);
      for (const Lanes& lanes : elements) add_global(counts.load_pack, lanes, 2);
      add_global(counts.store_pack, stores, 16);
    }
  }
}

}  // namespace

Counts brute_force(const KernelPlan& plan, const Problem& given) {
  Counts counts;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (packs(plan.spec, o)) pack(plan, given, o, counts);
  }
  const Problem p = problem_read(plan, given);
  for (int cta = 0; cta < cta_count(plan.work); ++cta) {
    ++counts.ctas;
    for (int i = 0; i < work_items(plan.work, cta); ++i) {
      const WorkItem item = work_item(plan.work, cta, i);
      Cta{plan, p, item.tile, counts}.run(item);
    }
  }
  return counts;
}

}  // namespace tilescope::model
