// What the arithmetic and each level of memory of a GPU allow at most.
#pragma once
#include <vector>

#include "core/layout/kernel_plan.h"
#include "core/model/device_table.h"
#include "core/model/traffic.h"

namespace tilescope::model {

struct Roof {
  const char* name;                   // "shared", "L1", "L2", "DRAM"
  const MemoryLevel Traffic::*level;  // what of a kernel's traffic passes there
  double bytes_per_second = 0;
  double measured = 0;  // bytes per second that a copy reaches; 0: not measured
};
/// In the order from the arithmetic outwards: shared, L1, L2, DRAM.
std::vector<Roof> memory_roofs(const DeviceRow& device);

struct Peak {
  const char* name;                // "tensor cores", "fp32 units"
  double flops = 0;                // FLOP per second
  const char* measured_name = "";  // "mma.sync"
  double measured = 0;             // FLOP per second from registers alone; 0: not measured
};
/// Of the units that a kernel computes on.
Peak arithmetic_peak(const KernelPlan& plan, const DeviceRow& device);

}  // namespace tilescope::model
