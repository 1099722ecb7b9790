#include "core/model/l2_simulation.h"

#include <algorithm>
#include <random>

namespace tilescope::model {
namespace {

constexpr double kMostSteps = 4.5e6;  // thinner slices are taken together: it is a matter of time
constexpr int kThinnest = 32;         // elements of k; less is a matter of the L1
constexpr double kEpilogueSteps = 2;  // that storing C takes, about

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
    return min_of(block, extent - index * block);
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
  // Goes on by one step; false if there is nothing left for this slot.
  bool goes_on = true;
  const auto advance = [&](Running& r) {
    if (r.step < r.end) {
      goes_on = f(r.time, chunks.of_a(r.work.tile, r.step)) &&
                f(r.time, chunks.of_b(r.work.tile, r.step));
      ++r.step, r.time += r.pace;
      return true;
    }
    if (r.work.k_begin == 0) {  // who has the first part stores C
      goes_on = (!plan.spec.reads_c || f(r.time, chunks.of_c(r.work.tile, false))) &&
                f(r.time, chunks.of_c(r.work.tile, true));
      r.time += plan.epilogue.overlaps_next ? 0 : kEpilogueSteps * r.pace;
    }
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

/// What was touched last comes first; what falls out at the end is forgotten.
class Lru {
 public:
  Lru(size_t chunks, double bytes)
      : next_(chunks + 1, kOut), previous_(chunks + 1, kOut), size_(chunks, 0), room_(bytes) {
    next_[chunks] = previous_[chunks] = static_cast<uint32_t>(chunks);  // the ring's own place
  }
  /// True if it was there.
  bool touch(size_t chunk, int64_t bytes) {
    const bool here = next_[chunk] != kOut;
    if (here) {
      unlink(chunk);
    } else {
      size_[chunk] = bytes;
      held_ += static_cast<double>(bytes);
    }
    const auto ring = static_cast<uint32_t>(size_.size()), c = static_cast<uint32_t>(chunk);
    next_[c] = next_[ring], previous_[c] = ring;
    previous_[next_[ring]] = c, next_[ring] = c;
    while (held_ > room_ && previous_[ring] != ring) {
      const uint32_t last = previous_[ring];
      unlink(last);
      next_[last] = kOut;
      held_ -= static_cast<double>(size_[last]);
    }
    return here;
  }

 private:
  static constexpr uint32_t kOut = 0xffffffffu;
  void unlink(size_t c) {
    next_[previous_[c]] = next_[c];
    previous_[next_[c]] = previous_[c];
  }
  std::vector<uint32_t> next_, previous_;
  std::vector<int64_t> size_;
  double room_, held_ = 0;
};

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
  return {device.l2_bytes * device.l2_kept_share, device.limits.sm_count * ctas_per_sm};
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
  Lru cache((rows + cols) * steps + rows * cols, machine.bytes);
  const auto place = [&](const L2Chunk& c) {
    const auto outer = static_cast<size_t>(c.outer), along = static_cast<size_t>(c.along);
    if (c.operand == Operand::a) return outer * steps + along;
    if (c.operand == Operand::b) return (rows + outer) * steps + along;
    return (rows + cols) * steps + outer * cols + along;
  };
  L2Traffic t;
  std::vector<Window> windows;
  walk(plan, p, machine, options, [&](double time, const L2Chunk& chunk) {
    const bool here = cache.touch(place(chunk), chunk.bytes);
    const auto bytes = static_cast<double>(chunk.bytes);
    if (chunk.write) {
      t.written += bytes;
      return true;
    }
    const auto window = static_cast<size_t>(time);
    if (window >= windows.size()) windows.resize(window + 1);
    windows[window].asked += bytes;
    t.asked += bytes;
    if (!here) windows[window].read += bytes, t.read += bytes;
    return true;
  });
  t.whole = !(options.cancelled && options.cancelled->load());
  for (const Operand o : {Operand::a, Operand::b}) {
    t.compulsory += static_cast<double>(operand_size_bytes(p, o));
  }
  if (plan.spec.reads_c) t.compulsory += static_cast<double>(operand_size_bytes(p, Operand::c));
  t.hit_rate = rates(windows, options.samples);
  return t;
}

}  // namespace tilescope::model
