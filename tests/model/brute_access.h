// One warp instruction, lane by lane, and what it costs: with sets, by the rules written out.
#pragma once
#include <vector>

#include "core/model/traffic.h"

namespace tilescope::model {

struct LaneAccess {
  int lane;
  long long address;
};
using Lanes = std::vector<LaneAccess>;
enum class Served { load, store, rows };

/// Adds one of `bytes` a lane, if a lane takes part.
void add_global(GlobalSum& sum, const Lanes& lanes, int bytes);
void add_shared(SharedSum& sum, const Lanes& lanes, int bytes, Served as);
/// Of 16 bytes per lane from global to shared memory: pairs of a sector and 32 bytes that it goes
/// to.
uint64_t fetched(const Lanes& from, const Lanes& to);

}  // namespace tilescope::model
