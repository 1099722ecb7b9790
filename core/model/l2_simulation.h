// DRAM traffic through the L2, simulated: each CTA touches a chunk of A and one of B per step of k,
// parts of sums that it shares, and its tile of C at the end; CTAs drift a little apart, and an L2
// that forgets what was touched longest ago decides what comes from DRAM (what was compared with
// cards, and what was fitted: docs/architecture.md, "The L2").
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/layout/kernel_plan.h"
#include "core/model/device_table.h"

namespace tilescope::model {

struct L2Machine {
  double bytes = 0;  // that stay while others come
  int slots = 1;     // CTAs that run at once
  // A cache made of many parts, unevenly filled, loses the first bytes before it is full and keeps
  // some beyond: from (1 − spread) · bytes to (1 + spread) · bytes since an access it is less and
  // less likely that they are there still.
  double spread = 0;

  bool operator==(const L2Machine&) const = default;
};

L2Machine l2_machine(const DeviceRow& device, int ctas_per_sm);

struct L2Options {
  double drift = 0.003;  // standard deviation of a CTA's speed
  uint64_t seed = 1;
  int samples = 64;  // of the hit rate over time
  const std::atomic<bool>* cancelled = nullptr;
};

/// What is touched at once: a part of A or B, a tile of C, or sums of a tile that CTAs share.
struct L2Chunk {
  Operand operand = Operand::a;
  int outer = 0;  // row of tiles of A, column of tiles of B; of C the tile's row
  int along = 0;  // step of k; of C the tile's column
  int64_t bytes = 0;
  bool write = false;
  int sums_of = -1;  // the CTA whose sums they are; −1: an operand's
  Coord tile = {};   // for which it is touched
};
/// Calls f(time, chunk), in the order of time, for everything that a launch touches; a step of k
/// takes 1. Ends early if f returns false.
void for_each_chunk(const KernelPlan& plan, const Problem& problem, const L2Machine& machine,
                    const L2Options& options,
                    const std::function<bool(double time, const L2Chunk&)>& f);
/// k of a step: one slice, or several of kernels whose slices are thin.
int l2_step_depth(const KernelPlan& plan, const Problem& problem);

constexpr int kMostL2Tiles = 1 << 16;  // that are kept one by one
/// Whether it is a matter of a second and some hundred megabytes: a grid of too many tiles is not.
bool can_simulate_l2(const KernelPlan& plan);

/// A tile of C as the L2 saw it: when its CTAs came to it, in steps of k since the launch began,
/// and what they read for it.
struct L2Tile {
  float begin = -1, end = -1;  // −1: nobody came
  double asked = 0, read = 0;  // bytes; of those, from DRAM

  double hits() const { return asked > 0 ? 1 - read / asked : 0; }
};

struct L2Traffic {
  double asked = 0;             // bytes that CTAs read of A, B and C, and of sums
  double read = 0;              // of those, from DRAM
  double compulsory = 0;        // each byte once; of sums none
  double written = 0;           // C, and sums that the L2 does not hold until they are read
  bool whole = true;            // false: cancelled
  std::vector<float> hit_rate;  // of reads, over equal stretches of the launch
  double steps = 0;             // of k that the launch takes
  std::vector<L2Tile> tiles;    // row by row of C; none of a grid of more than kMostL2Tiles

  double hits() const { return asked > 0 ? 1 - read / asked : 0; }
};
L2Traffic simulate_l2(const KernelPlan& plan, const Problem& problem, const L2Machine& machine,
                      const L2Options& options = {});

}  // namespace tilescope::model
