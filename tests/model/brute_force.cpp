#include "tests/model/brute_force.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tilescope::model {
namespace {

struct LaneAccess {
  int lane;
  long long address;
};
using Lanes = std::vector<LaneAccess>;

void add_global(GlobalSum& sum, const Lanes& lanes, int bytes) {
  if (lanes.empty()) return;
  std::set<long long> sectors;
  for (const LaneAccess& l : lanes) {
    for (int b = 0; b < bytes; ++b) sectors.insert((l.address + b) / 32);
  }
  ++sum.requests;
  sum.sectors += sectors.size();
  sum.bytes += lanes.size() * static_cast<size_t>(bytes);
}

/// No two lanes that differ in one bit of their number have two addresses.
bool alike(const Lanes& lanes, int bit) {
  std::map<int, std::set<long long>> couples;
  for (const LaneAccess& l : lanes) couples[l.lane & ~bit].insert(l.address);
  return std::all_of(couples.begin(), couples.end(),
                     [](const auto& c) { return c.second.size() == 1; });
}

enum class Served { load, store, rows };

void add_shared(SharedSum& sum, const Lanes& lanes, int bytes, Served as) {
  if (lanes.empty()) return;
  int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  if (as == Served::load && bytes > 4 && (alike(lanes, 1) || alike(lanes, 2))) group *= 2;
  ++sum.requests;
  sum.bytes += lanes.size() * static_cast<size_t>(bytes);
  for (int first = 0; first < 32; first += group) {
    std::map<long long, std::set<long long>> words_of_bank;
    for (const LaneAccess& l : lanes) {
      if (l.lane < first || l.lane >= first + group) continue;
      for (int b = 0; b < bytes; ++b) {
        const long long word = (l.address + b) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    size_t worst = 0;
    for (const auto& [bank, words] : words_of_bank) worst = std::max(worst, words.size());
    sum.wavefronts += worst;
    sum.ideal += words_of_bank.empty() ? 0 : 1;
  }
}

struct Cta {
  const KernelPlan& plan;
  const Problem& p;
  Coord tile;
  Counts& counts;

  int first(Operand o) const {
    return o == Operand::a ? tile.row * plan.block_m : tile.col * plan.block_n;
  }
  int end(Operand o) const { return o == Operand::a ? p.m : p.n; }

  void copy(Operand o, int k0) {
    const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
    const SharedTile& shared = o == Operand::a ? plan.shared_a : plan.shared_b;
    const bool turned = map.k_contiguous != shared.k_contiguous;
    for (int i = 0; i < map.iterations(); ++i) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes global;
        std::vector<Lanes> writes(turned ? static_cast<size_t>(map.width) : 1);
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at = copy_coord(map, warp * 32 + lane, i);
          if (at.row >= map.outer || at.col >= map.depth) continue;
          const int outer = first(o) + at.row, k = k0 + at.col;
          if (outer < end(o) && k < p.k) {
            global.push_back({lane, global_offset(p, o, matrix_coord(o, outer, k))});
          }
          for (size_t e = 0; e < writes.size(); ++e) {
            const int step = static_cast<int>(e);
            writes[e].push_back({lane, shared_offset(shared, at.row + (map.k_contiguous ? 0 : step),
                                                     at.col + (map.k_contiguous ? step : 0))});
          }
        }
        add_global(o == Operand::a ? counts.load_a : counts.load_b, global, map.access_bytes());
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
        ldmatrix(plan.shared_a, plan.ldmatrix_a, at.row + mi * 16, k);
      }
      for (int pair = 0; pair < mmas_n(plan) / 2; ++pair) {
        ldmatrix(plan.shared_b, plan.ldmatrix_b, at.col + pair * 16, k);
      }
    }
  }

  void thread_tile_step(int k) {
    for (Operand o : {Operand::a, Operand::b}) {
      const bool is_a = o == Operand::a;
      const int extent = is_a ? plan.thread_m : plan.thread_n, run = std::min(extent, 4);
      for (int i = 0; i < extent; i += run) {
        for (int warp = 0; warp < plan.warps(); ++warp) {
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) {
            const int value = is_a ? i * plan.thread_n : i;
            const Coord at = fragment_coord(plan.thread_tile, warp * 32 + lane, value);
            lanes.push_back({lane, is_a ? shared_offset(plan.shared_a, at.row, k)
                                        : shared_offset(plan.shared_b, at.col, k)});
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
          const Coord at = thread_coord(plan.thread_tile, warp * 32 + lane);
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

  void epilogue() {
    const bool mma = plan.math == Math::mma;
    const int values = mma ? plan.atom.c.values() : plan.thread_tile.values();
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int part = 0; part < (mma ? mmas_m(plan) * mmas_n(plan) : 1); ++part) {
        for (int v = 0; v < values; v += plan.epilogue_width) {
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) {
            const Coord in_tile =
                mma ? mma_accumulator(plan, warp, part / mmas_n(plan), part % mmas_n(plan), lane, v)
                    : fragment_coord(plan.thread_tile, warp * 32 + lane, v);
            const Coord at = Coord{first(Operand::a), first(Operand::b)} + in_tile;
            if (at.row >= p.m || at.col >= p.n) continue;
            lanes.push_back({lane, global_offset(p, Operand::c, at)});
          }
          add_global(counts.store_c, lanes, plan.epilogue_width * 4);
          if (p.beta != 0) add_global(counts.load_c, lanes, plan.epilogue_width * 4);
        }
      }
    }
  }

  void run() {
    ++counts.ctas;
    if (plan.copy_a.kind == CopyKind::direct) {
      naive();
    } else {
      if (plan.math == Math::mma) mma_step(0);
      for (int slice = 0; slice < plan.k_slices; ++slice) {
        copy(Operand::a, slice * plan.block_k);
        copy(Operand::b, slice * plan.block_k);
        if (plan.math == Math::mma) {
          for (int kk = 0; kk < mmas_k(plan); ++kk) mma_step(kk * 16);
          counts.mma += 1ull * plan.warps() * mmas_m(plan) * mmas_n(plan) * mmas_k(plan);
        } else {
          for (int k = 0; k < plan.block_k; ++k) thread_tile_step(k);
          counts.fma += 1ull * plan.block_m * plan.block_n * plan.block_k;
        }
      }
    }
    epilogue();
  }
};

}  // namespace

Counts brute_force(const KernelPlan& plan, const Problem& p) {
  Counts counts;
  for (int index = 0; index < plan.raster.tiles(); ++index) {
    Cta{plan, p, raster_tile(plan.raster, index), counts}.run();
  }
  return counts;
}

}  // namespace tilescope::model
