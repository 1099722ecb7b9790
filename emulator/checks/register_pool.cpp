#include "emulator/checks/register_pool.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

constexpr uint32_t kOfAnSm = 65536, kUnit = 8, kWarpLanes = 32;

}  // namespace

RegisterPool::RegisterPool(const RunState& state, Findings& findings)
    : state_(state),
      findings_(findings),
      launched_(kOfAnSm / (state.warps * kWarpLanes) / kUnit * kUnit),
      asked_(state.warps) {}

void RegisterPool::start() { std::ranges::fill(asked_, Asked{}); }

void RegisterPool::finish(Dim3 cta) {
  const auto most = std::ranges::max_element(asked_, {}, &Asked::count);
  if (most == asked_.end() || most->count <= launched_) return;
  uint32_t all = 0, others = 0, takers = 0;  // of a lane of each warp
  for (const Asked& a : asked_) {
    const uint32_t has = a.count > 0 ? a.count : launched_;
    all += has;
    a.count == most->count ? ++takers : others += has;
  }
  const uint32_t pool = launched_ * state_.warps;
  if (all <= pool) return;
  const auto warp = static_cast<uint32_t>(most - asked_.begin());
  const uint32_t left = pool > others ? (pool - others) / takers / kUnit * kUnit : 0;
  findings_.add(cta, {Fault::Kind::deadlock, warp, 0, 0, most->inst, kNoInst}, [&] {
    return "setmaxnreg takes " + std::to_string(most->count) +
           " registers a thread here; with those that the other warps keep these are " +
           std::to_string(all * kWarpLanes) + ", and a CTA of " + std::to_string(state_.warps) +
           " warps is launched with " + std::to_string(pool * kWarpLanes) +
           " at most: a card waits for ever; take " + std::to_string(left) +
           " at most, or let the others give more back";
  });
}

}  // namespace tilescope::emulator
