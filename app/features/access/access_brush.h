// Steps of warps, which the brush is of, as moments of accesses, which Access's bar shows, and
// back.
#pragma once
#include <cstdint>
#include <vector>

#include "app/state/brush.h"
#include "worker/messages/messages_accesses.h"

namespace tilescope {

struct AccessData;
struct AccessFilter;
struct AppState;

/// A step of a warp that accesses something: at which moments, of all CTAs that are written down.
struct AccessStep {
  uint32_t step = 0;
  uint32_t first = 0, last = 0;  // moments
  uint32_t before = 0;           // accesses of the warp at earlier steps
};
/// By warp, ascending, and one behind the last, with all of its accesses before it.
std::vector<std::vector<AccessStep>> access_steps(const worker::AccessAnswer& answer);

/// What is looked at now: the brush, and whether reads and writes are chosen.
AccessFilter access_filter(const AppState& state, const AccessData& data);
/// The steps of the accesses at the moments [from, to); of the next access where there is none.
RunSpan span_of_moments(const AccessData& data, uint32_t from, uint32_t to);
/// How many accesses of warps a filter's span has, reads and writes.
uint64_t accesses_of(const AccessData& data, const AccessFilter& filter);

}  // namespace tilescope
