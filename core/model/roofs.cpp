#include "core/model/roofs.h"

namespace tilescope::model {

std::vector<Roof> memory_roofs(const DeviceRow& d) {
  // Shared memory and L1 are one: a line of 128 bytes per clock and SM.
  constexpr double kLineBytes = 128;
  const double clock = d.clock_mhz * 1e6;
  const double line_per_clock = kLineBytes * d.limits.sm_count * clock;
  return {
      {"shared", &Traffic::shared, line_per_clock},
      {"L1", &Traffic::l1, line_per_clock},
      {"L2", &Traffic::l2, d.l2_bytes_per_clock * clock},
      {"DRAM", &Traffic::dram, d.dram_gb_per_second * 1e9, d.measured_dram_gb_per_second * 1e9}};
}

Peak arithmetic_peak(const KernelPlan& plan, const DeviceRow& d) {
  const double rate = rate_of_type(plan.atom.type_a) / plan.split.products();
  return plan.math() == Math::mma
             ? Peak{"tensor cores", d.tensor_tflops * rate * 1e12, "mma.sync",
                    rate == 1 ? d.measured_mma_sync_tflops * 1e12 : 0}
             : Peak{"fp32 units", d.fp32_tflops * 1e12, "FFMA", d.measured_fp32_tflops * 1e12};
}

}  // namespace tilescope::model
