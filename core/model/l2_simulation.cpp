#include "core/model/l2_simulation.h"

#include <algorithm>
#include <random>

namespace tilescope::model {
namespace {

constexpr double kMostSteps = 4.5e6;  // thinner slices are taken together: it is a matter of time
constexpr int kMostTiles = 4 << 20;
constexpr int kThinnest = 32;         // elements of k; less is a matter of the L1
constexpr double kEpilogueSteps = 2;  // that storing C takes, about
constexpr double kSpread = 0.2;       // fitted: docs/model.md, "The L2"

int step_depth(const KernelPlan& plan, int k) {
  int depth = plan.block_k * ceil_div(kThinnest, plan.block_k);
  const double tiles = plan.work.raster.tiles();
  while (depth < k && tiles * ceil_div(k, depth) > kMostSteps) depth *= 2;
  return depth;
}

/// Sizes of chunks, which are cut off at the matrices' edges.
struct Chunks {
  const KernelPlan& plan;
  const Problem& p;
  int depth;
  int steps() const { return ceil_div(p.k, depth); }
  static int64_t part(int index, int block, int extent) {
    return std::clamp(extent - index * block, 0, block);  // none of tiles beyond the matrix
  }
  L2Chunk of_a(Coord tile, int step) const {
    return {Operand::a, tile.row, step,
            part(tile.row, plan.block_m, p.m) * part(step, depth, p.k) * element_bytes(p.type_a)};
  }
  L2Chunk of_b(Coord tile, int step) const {
    return {Operand::b, tile.col, step,
            part(tile.col, plan.block_n, p.n) * part(step, depth, p.k) * element_bytes(p.type_b)};
  }
  L2Chunk of_c(Coord tile, bool write) const {
    return {Operand::c, tile.row, tile.col,
            part(tile.row, plan.block_m, p.m) * part(tile.col, plan.block_n, p.n) *
                element_bytes(p.type_c),
            write};
  }
  L2Chunk of_sums(int cta, bool write) const {
    L2Chunk chunk{Operand::c, 0, 0, part_bytes(plan), write};
    chunk.sums_of = cta;
    return chunk;
  }
};

/// A CTA on its way.
struct Running {
  double time = 0, pace = 1;
  int cta = -1, item = 0, items = 0;
  WorkItem work;
  int step = 0, end = 0;
};

template <class F>
void walk(const KernelPlan& plan, const Problem& p, const L2Machine& machine,
          const L2Options& options, F&& f) {
  const Chunks chunks{plan, p, step_depth(plan, p.k)};
  const auto ctas = static_cast<int>(cta_count(plan.work));
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  int next = 0, running = 0;
  const auto begin_item = [&](Running& r) {
    r.work = work_item(plan.work, r.cta, r.item);
    r.step = r.work.k_begin * plan.block_k / chunks.depth;
    r.end = min_of(ceil_div(r.work.k_end * plan.block_k, chunks.depth), chunks.steps());
  };
  const auto begin_cta = [&](Running& r) {
    for (r.cta = -1; next < ctas && r.cta < 0;) {
      r.items = work_items(plan.work, next);
      if (r.items > 0) r.cta = next;
      ++next;
    }
    if (r.cta < 0) return false;
    r.item = 0;
    r.pace = std::max(1 + options.drift * normal(random), 0.25);
    begin_item(r);
    return true;
  };
  // Parts of a shared tile that have come; who comes last adds them and stores C.
  std::vector<int> come(shares_tiles(plan.work) ? static_cast<size_t>(plan.work.raster.tiles())
                                                : 0);
  bool goes_on = true;
  const auto touch = [&](const Running& r, L2Chunk chunk) {
    chunk.tile = r.work.tile;
    if (goes_on) goes_on = f(r.time, chunk);
  };
  const auto end_tile = [&](const Running& r) {
    if (r.work.partial) {
      const TileParts parts = tile_parts(plan.work, r.work.tile);
      if (!keeps_part(plan.work, r.work)) touch(r, chunks.of_sums(r.cta, true));
      const int index = raster_index(plan.work.raster, r.work.tile);
      if (++come[static_cast<size_t>(index)] < parts.count) return;
      for (int part = first_given_part(plan.work); part < parts.count; ++part) {
        touch(r, chunks.of_sums(parts.cta(part), false));
      }
    }
    if (plan.spec.reads_c) touch(r, chunks.of_c(r.work.tile, false));
    touch(r, chunks.of_c(r.work.tile, true));
  };
  // Goes on by one step; false if there is nothing left for this slot.
  const auto advance = [&](Running& r) {
    if (r.step < r.end) {
      // Of those that read for each other, the first stands for all.
      const Coord tile = r.work.tile;
      if (tile.col % plan.copy_a.shared_by == 0) touch(r, chunks.of_a(tile, r.step));
      if (tile.row % plan.copy_b.shared_by == 0) touch(r, chunks.of_b(tile, r.step));
      ++r.step, r.time += r.pace;
      return true;
    }
    end_tile(r);
    r.time += plan.epilogue.overlaps_next ? 0 : kEpilogueSteps * r.pace;
    if (++r.item < r.items) {
      begin_item(r);
      return true;
    }
    return begin_cta(r);
  };

  std::vector<Running> slots(static_cast<size_t>(std::clamp(machine.slots, 1, std::max(ctas, 1))));
  for (Running& r : slots) {
    if (begin_cta(r)) ++running;
  }
  // Time goes on a step at a time; within one, slots come in their order.
  for (double now = 1; running > 0; now += 1) {
    for (Running& r : slots) {
      while (r.cta >= 0 && r.time < now) {
        if (!advance(r)) --running;
        if (!goes_on) return;
      }
    }
    if (options.cancelled && options.cancelled->load()) return;
  }
}

/// What was touched last comes first. Of several sizes at once: how many of them would have
/// forgotten a chunk since.
class Lru {
 public:
  Lru(size_t chunks, std::vector<double> rooms)
      : next_(chunks + 1), previous_(chunks + 1), size_(chunks), level_(chunks) {
    ring_ = static_cast<uint32_t>(chunks);  // the ring's own place
    next_[ring_] = previous_[ring_] = ring_;
    for (const double room : rooms) levels_.push_back({room, 0, ring_});
    std::fill(level_.begin(), level_.end(), out());
  }
  uint8_t out() const { return static_cast<uint8_t>(levels_.size()); }
  /// 0: all sizes have it; out(): none.
  uint8_t touch(size_t chunk, int64_t bytes) {
    const auto c = static_cast<uint32_t>(chunk);
    const uint8_t was = level_[c];
    if (was < out()) {
      for (size_t i = was; i < levels_.size(); ++i) {
        levels_[i].held -= static_cast<double>(size_[c]);
        if (levels_[i].last == c) levels_[i].last = previous_[c];
      }
      next_[previous_[c]] = next_[c];
      previous_[next_[c]] = previous_[c];
    }
    size_[c] = bytes, level_[c] = 0;
    next_[c] = next_[ring_], previous_[c] = ring_;
    previous_[next_[ring_]] = c, next_[ring_] = c;
    for (Level& level : levels_) {
      if (level.last == ring_) level.last = c;
      level.held += static_cast<double>(bytes);
    }
    for (size_t i = 0; i < levels_.size(); ++i) shrink(i);
    return was;
  }

 private:
  struct Level {
    double room, held;
    uint32_t last;  // that it holds; the ring: none
  };
  /// Hands what is too much on to the next size, or forgets it.
  void shrink(size_t i) {
    Level& level = levels_[i];
    while (level.held > level.room && level.last != ring_) {
      const uint32_t c = level.last;
      level.held -= static_cast<double>(size_[c]);
      level.last = previous_[c];
      level_[c] = static_cast<uint8_t>(i + 1);
      if (i + 1 < levels_.size()) continue;
      next_[previous_[c]] = next_[c];
      previous_[next_[c]] = previous_[c];
    }
  }
  std::vector<uint32_t> next_, previous_;
  std::vector<int64_t> size_;
  std::vector<uint8_t> level_;
  std::vector<Level> levels_;
  uint32_t ring_;
};

std::vector<double> rooms_of(const L2Machine& machine) {
  constexpr int kSizes = 5;
  if (machine.spread <= 0) return {machine.bytes};
  std::vector<double> rooms;
  for (int i = 0; i < kSizes; ++i) {
    rooms.push_back(machine.bytes * (1 + machine.spread * (2.0 * i / (kSizes - 1) - 1)));
  }
  return rooms;
}

struct Window {
  double asked = 0, read = 0;
};

std::vector<float> rates(const std::vector<Window>& windows, int samples) {
  std::vector<float> all;
  const auto count = std::min(static_cast<size_t>(std::max(samples, 1)), windows.size());
  for (size_t i = 0; i < count; ++i) {
    Window sum;
    for (size_t w = windows.size() * i / count; w < windows.size() * (i + 1) / count; ++w) {
      sum.asked += windows[w].asked, sum.read += windows[w].read;
    }
    all.push_back(sum.asked > 0 ? static_cast<float>(1 - sum.read / sum.asked) : 0);
  }
  return all;
}

}  // namespace

L2Machine l2_machine(const DeviceRow& device, int ctas_per_sm) {
  return {device.l2_bytes * device.l2_kept_share, device.limits.sm_count * ctas_per_sm, kSpread};
}

bool can_simulate_l2(const KernelPlan& plan) {
  return 1LL * plan.work.raster.tiles_m * plan.work.raster.tiles_n <= kMostTiles &&
         cta_count(plan.work) <= kMostTiles;
}

int l2_step_depth(const KernelPlan& plan, const Problem& problem) {
  return step_depth(plan, problem.k);
}

void for_each_chunk(const KernelPlan& plan, const Problem& problem, const L2Machine& machine,
                    const L2Options& options,
                    const std::function<bool(double, const L2Chunk&)>& f) {
  walk(plan, problem, machine, options, f);
}

L2Traffic simulate_l2(const KernelPlan& plan, const Problem& p, const L2Machine& machine,
                      const L2Options& options) {
  const auto rows = static_cast<size_t>(plan.work.raster.tiles_m);
  const auto cols = static_cast<size_t>(plan.work.raster.tiles_n);
  const auto steps = static_cast<size_t>(ceil_div(p.k, step_depth(plan, p.k)));
  const size_t operands = (rows + cols) * steps + rows * cols;
  const auto sums = static_cast<size_t>(shares_tiles(plan.work) ? cta_count(plan.work) : 0);
  Lru cache(operands + sums, rooms_of(machine));
  const auto place = [&](const L2Chunk& c) {
    if (c.sums_of >= 0) return operands + static_cast<size_t>(c.sums_of);
    const auto outer = static_cast<size_t>(c.outer), along = static_cast<size_t>(c.along);
    if (c.operand == Operand::a) return outer * steps + along;
    if (c.operand == Operand::b) return (rows + outer) * steps + along;
    return (rows + cols) * steps + outer * cols + along;
  };
  L2Traffic t;
  if (plan.work.raster.tiles() <= kMostL2Tiles) t.tiles.resize(rows * cols);
  std::vector<Window> windows;
  walk(plan, p, machine, options, [&](double time, const L2Chunk& chunk) {
    const double gone = static_cast<double>(cache.touch(place(chunk), chunk.bytes)) / cache.out();
    const auto bytes = static_cast<double>(chunk.bytes);
    t.steps = std::max(t.steps, time);
    L2Tile* tile = t.tiles.empty() ? nullptr
                                   : &t.tiles[static_cast<size_t>(chunk.tile.row) * cols +
                                              static_cast<size_t>(chunk.tile.col)];
    if (tile) {
      if (tile->begin < 0) tile->begin = static_cast<float>(time);
      tile->end = static_cast<float>(time);
    }
    if (chunk.write) {
      t.written += chunk.sums_of < 0 ? bytes : 0;
      return true;
    }
    if (chunk.sums_of >= 0) t.written += gone * bytes;
    const auto window = static_cast<size_t>(time);
    if (window >= windows.size()) windows.resize(window + 1);
    windows[window].asked += bytes;
    t.asked += bytes;
    if (tile) tile->asked += bytes, tile->read += gone * bytes;
    windows[window].read += gone * bytes, t.read += gone * bytes;
    return true;
  });
  t.whole = !(options.cancelled && options.cancelled->load());
  for (const Operand o : {Operand::a, Operand::b}) {
    t.compulsory += static_cast<double>(operand_size_bytes(p, o));
  }
  if (plan.spec.reads_c) t.compulsory += static_cast<double>(operand_size_bytes(p, Operand::c));
  // So small that it stays once it has come.
  t.compulsory += static_cast<double>(bias_bytes(p)), t.read += static_cast<double>(bias_bytes(p));
  t.hit_rate = rates(windows, options.samples);
  return t;
}

}  // namespace tilescope::model
