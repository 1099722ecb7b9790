// What the SM with most work does of a launch, one thing after the other; and how much of what its
// CTAs wait for comes from DRAM.
#pragma once
#include <array>

#include "core/layout/kernel_plan.h"
#include "core/model/device_table.h"
#include "core/model/traffic.h"

namespace tilescope::model {

/// `times` times: so many CTAs at once, each with so many slices of so many work items. `filled`:
/// how many there are of all SMs together, of those that there would be were all SMs like this one.
struct SmRound {
  double times = 0, ctas = 1, slices = 0, items = 1, filled = 1;
};
/// Waves, and the last one, which is smaller; of CTAs that stay, their rounds of tiles.
/// `at_once`: CTAs that an SM holds.
std::array<SmRound, 2> sm_rounds(const WorkOrder& work, int sms, int at_once);

/// 0: what CTAs ask for is in the L2 since an earlier wave; 1: it comes from DRAM, and CTAs that
/// work on the same rows and columns wait for it together. `dram_read`: bytes of the kernel.
double cold_share(const KernelPlan& plan, const Traffic& traffic, double dram_read, int sms,
                  int at_once);

}  // namespace tilescope::model
