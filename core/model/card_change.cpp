#include "core/model/card_change.h"

#include <algorithm>
#include <cmath>

namespace tilescope::model {
namespace {

constexpr double kFactors[] = {1.25, 1.5, 2, 3, 4, 6, 8};

int scaled(int value, double factor) {
  return std::max(1, static_cast<int>(std::lround(value * factor)));
}

constexpr CardPart kParts[] = {
    {"arithmetic",
     [](DeviceRow& d, double f) {
       d.tensor_tflops *= f, d.fp32_tflops *= f, d.mma_sync_flop_per_clock *= f;
     }},
    {"L2 bandwidth",
     [](DeviceRow& d, double f) { d.l2_bytes_per_clock *= f, d.sm_l2_bytes_per_clock *= f; }},
    {"DRAM bandwidth", [](DeviceRow& d, double f) { d.dram_gb_per_second *= f; }},
    {"SMs (each as it is)",
     [](DeviceRow& d, double f) {
       const double more = scaled(d.limits.sm_count, f) / static_cast<double>(d.limits.sm_count);
       d.limits.sm_count = scaled(d.limits.sm_count, f);
       d.tensor_tflops *= more, d.fp32_tflops *= more;  // of the whole card
     }},
    {"shared memory per SM",
     [](DeviceRow& d, double f) {
       d.limits.shared_per_sm = scaled(d.limits.shared_per_sm, f);
       d.limits.shared_per_block = scaled(d.limits.shared_per_block, f);
     }},
    {"registers per SM",
     [](DeviceRow& d, double f) {
       d.limits.registers_per_sm = scaled(d.limits.registers_per_sm, f);
     }},
};

}  // namespace

std::span<const CardPart> card_parts() { return kParts; }

std::vector<CardChange> changes_that_turn(
    const DeviceRow& device, const std::function<double(const DeviceRow&)>& difference) {
  std::vector<CardChange> changes;
  const double now = difference(device);
  for (const CardPart& part : kParts) {
    const auto turns = [&](double factor) {
      DeviceRow other = device;
      part.scale(other, factor);
      return difference(other) * now < 0;
    };
    for (const double factor : kFactors) {
      const double turning = turns(factor) ? factor : turns(1 / factor) ? 1 / factor : 0;
      if (turning <= 0) continue;
      changes.push_back({part.name, turning});
      break;
    }
  }
  return changes;
}

}  // namespace tilescope::model
