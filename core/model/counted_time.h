// How long units of a card are busy at least with what a launch was counted to do: for kernels that
// have no plan, whose time nobody models.
#pragma once
#include <cstdint>
#include <vector>

#include "core/model/device_table.h"
#include "core/model/prediction.h"

namespace tilescope::model {

struct CountedWork {
  uint64_t ctas = 0;
  uint64_t warp_instructions = 0;
  uint64_t shared_wavefronts = 0;  // of loads, stores and copies
  uint64_t sectors = 0;            // of 32 bytes, asked of L1
};

/// µs of each unit at its full rate, the SMs sharing the work evenly: no launch is shorter than the
/// longest of them. The names are those of Prediction::levels.
std::vector<LevelTime> busy_times(const CountedWork& work, const DeviceRow& device);

}  // namespace tilescope::model
