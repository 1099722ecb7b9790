#include "core/model/counted_time.h"

#include <algorithm>

namespace tilescope::model {
namespace {

// Per SM and cycle: four schedulers issue one warp instruction each, shared memory serves a
// wavefront, and L1, on the same data path, 128 bytes.
constexpr double kIssued = 4;
constexpr double kSectorsServed = 4;
constexpr double kSectorBytesAsked = 32;

}  // namespace

std::vector<LevelTime> busy_times(const CountedWork& work, const DeviceRow& device) {
  const auto sms = static_cast<double>(
      std::clamp<uint64_t>(work.ctas, 1, static_cast<uint64_t>(device.limits.sm_count)));
  const double cycles_per_us = device.clock_mhz;
  const auto us = [&](double cycles_of_all) { return cycles_of_all / sms / cycles_per_us; };
  const auto sectors = static_cast<double>(work.sectors);
  return {
      {"instruction issue", us(static_cast<double>(work.warp_instructions) / kIssued)},
      {"shared memory", us(static_cast<double>(work.shared_wavefronts))},
      {"L1 requests", us(sectors / kSectorsServed)},
      {"L2", us(sectors * kSectorBytesAsked / device.sm_l2_bytes_per_clock)},
  };
}

}  // namespace tilescope::model
