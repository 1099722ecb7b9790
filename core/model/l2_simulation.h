// DRAM traffic through the L2, simulated: each CTA touches a chunk of A and one of B a step of k
// and its tile of C at the end, CTAs drift apart, and an L2 that forgets what was touched longest
// ago decides what comes from DRAM. Where all CTAs went in lock step the L2 would look far better
// than it is (facts of two cards: docs/architecture.md, "The L2").
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
};

L2Machine l2_machine(const DeviceRow& device, int ctas_per_sm);

struct L2Options {
  double drift = 0.04;  // standard deviation of a CTA's speed
  uint64_t seed = 1;
  int samples = 64;  // of the hit rate over time
  const std::atomic<bool>* cancelled = nullptr;
};

/// What is touched at once: a part of A or B, or a tile of C.
struct L2Chunk {
  Operand operand = Operand::a;
  int outer = 0;  // row of tiles of A, column of tiles of B; of C the tile's row
  int along = 0;  // step of k; of C the tile's column
  int64_t bytes = 0;
  bool write = false;
};
/// Calls f(time, chunk), in the order of time, for everything that a launch touches; a step of k
/// takes 1. Ends early if f returns false.
void for_each_chunk(const KernelPlan& plan, const Problem& problem, const L2Machine& machine,
                    const L2Options& options,
                    const std::function<bool(double time, const L2Chunk&)>& f);
/// k of a step: one slice, or several of kernels whose slices are thin.
int l2_step_depth(const KernelPlan& plan, const Problem& problem);

struct L2Traffic {
  double asked = 0;             // bytes that CTAs read of A, B and C
  double read = 0;              // of those, from DRAM
  double compulsory = 0;        // each byte once
  double written = 0;           // C, to DRAM at last
  bool whole = true;            // false: cancelled
  std::vector<float> hit_rate;  // of reads, over equal stretches of the launch

  double hits() const { return asked > 0 ? 1 - read / asked : 0; }
};
L2Traffic simulate_l2(const KernelPlan& plan, const Problem& problem, const L2Machine& machine,
                      const L2Options& options = {});

}  // namespace tilescope::model
