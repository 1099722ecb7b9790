// How many CTAs share an SM, what limits them, and how the grid falls into waves.
#pragma once
#include <optional>
#include <string>

#include "core/layout/device_limits.h"
#include "core/layout/kernel_plan.h"

namespace tilescope::model {

enum class Limiter { threads, shared_memory, registers, cta_slots };
const char* name_of(Limiter limiter);  // "threads", "shared memory", "registers", "CTA slots"

struct Occupancy {
  int ctas_per_sm = 0;  // 0: one CTA is more than an SM has
  Limiter limiter = Limiter::cta_slots;
  int by_threads = 0, by_shared = 0, by_slots = 0;  // CTAs per SM, had it no other limit
  std::optional<int> by_registers;                  // known after the compile
  double warps_share = 0;                           // of the SM's warps, 0…1
};

/// `registers`: per thread, from the compiled kernel; without them they are taken to be no limit.
Occupancy occupancy(const Launch& launch, const DeviceLimits& device,
                    std::optional<int> registers = std::nullopt);

struct Waves {
  int count = 0;          // the last may be partly filled
  double last_fill = 0;   // of the last one, 0…1
  double efficiency = 0;  // CTAs launched / room in all waves
};
Waves waves(const Launch& launch, const DeviceLimits& device, const Occupancy& occupancy);

}  // namespace tilescope::model
