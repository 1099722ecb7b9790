#include "core/model/occupancy.h"

#include <algorithm>

#include "core/layout/rules.h"

namespace tilescope::model {
namespace {

constexpr int kPartitions = 4;  // an SM's register file is split over its schedulers

int round_up(int value, int to) { return ceil_div(value, to) * to; }

}  // namespace

const char* name_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::threads:
      return "threads";
    case Limiter::shared_memory:
      return "shared memory";
    case Limiter::registers:
      return "registers";
    case Limiter::cta_slots:
      return "CTA slots";
  }
  return "";
}

Occupancy occupancy(const Launch& launch, const DeviceLimits& device,
                    std::optional<int> registers) {
  Occupancy o;
  const int warps = ceil_div(launch.threads, 32);
  o.by_slots = device.ctas_per_sm;
  o.by_threads = ctas_by_threads(launch, device);
  o.by_shared = ctas_by_shared(launch, device);
  if (registers) {
    const int per_warp = round_up(std::max(*registers, 1) * 32, device.register_granularity);
    const int warps_fit = device.registers_per_sm / kPartitions / per_warp * kPartitions;
    o.by_registers = warps_fit / warps;
  }
  o.ctas_per_sm = o.by_slots;
  o.limiter = Limiter::cta_slots;
  const auto limit = [&](int by, Limiter limiter) {
    if (by >= o.ctas_per_sm) return;
    o.ctas_per_sm = by;
    o.limiter = limiter;
  };
  limit(o.by_threads, Limiter::threads);
  limit(o.by_shared, Limiter::shared_memory);
  if (o.by_registers) limit(*o.by_registers, Limiter::registers);
  o.warps_share = static_cast<double>(o.ctas_per_sm * warps) / (device.threads_per_sm / 32);
  return o;
}

Waves waves(const Launch& launch, const DeviceLimits& device, const Occupancy& o) {
  Waves w;
  const long long room = 1LL * o.ctas_per_sm * device.sm_count;
  const long long ctas = launch.ctas();
  if (room == 0) return w;
  w.count = static_cast<int>(ceil_div(ctas, room));
  const long long last = ctas - (w.count - 1LL) * room;
  w.last_fill = static_cast<double>(last) / static_cast<double>(room);
  w.efficiency = static_cast<double>(ctas) / (static_cast<double>(w.count) * room);
  return w;
}

}  // namespace tilescope::model
