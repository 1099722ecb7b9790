// Simulates which reads the L2 serves and which go on to DRAM. Each CTA touches a chunk of A and
// one of B per step of k, the sums that it shares with others, and at the end its tile of C. CTAs
// drift a little apart in time. The L2 forgets what was touched longest ago (LRU). What was fitted,
// and how it compares with cards: docs/model.md, "The L2".
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/layout/kernel_plan.h"
#include "core/model/device_table.h"

namespace tilescope::model {

struct L2Machine {
  double bytes = 0;  // of different data that the L2 holds
  int slots = 1;     // CTAs that run at once
  // A real cache consists of many parts that are not filled evenly, so it has no sharp size. A
  // chunk is surely there while at most (1 − spread) · bytes have been touched since, and surely
  // gone after (1 + spread) · bytes; between the two it is ever less likely to be there.
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
/// Elements along k of one step: a slice, or several slices of kernels whose slices are thin.
int l2_step_depth(const KernelPlan& plan, const Problem& problem);

constexpr int kMostL2Tiles = 1 << 16;  // that are kept one by one
/// False for a grid of so many tiles that a simulation would take longer than about a second or
/// more than some hundred megabytes.
bool can_simulate_l2(const KernelPlan& plan);

/// A tile of C as the L2 saw it: when its CTAs came to it, in steps of k since the launch began,
/// and what they read for it.
struct L2Tile {
  float begin = -1, end = -1;  // −1: nobody came
  double asked = 0;            // bytes that they read
  double read = 0;             // of those, bytes from DRAM

  double hits() const { return asked > 0 ? 1 - read / asked : 0; }
};

struct L2Traffic {
  double asked = 0;             // bytes that CTAs read of A, B and C, and of sums
  double read = 0;              // of those, from DRAM
  double compulsory = 0;        // bytes that must come from DRAM: each of A, B and C once, no sums
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
