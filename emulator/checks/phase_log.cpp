#include "emulator/checks/phase_log.h"

#include <bit>
#include <cstring>

#include "emulator/checks/check_plan.h"
#include "emulator/machine/mbarrier.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostBarriers = 4096;

}  // namespace

void PhaseLog::start() {
  phases_.clear();
  waited_.clear();
  twice_.clear();
}

void PhaseLog::look(const std::byte* shared, uint64_t address) {
  if (phases_.size() >= kMostBarriers && !phases_.contains(address)) return;
  uint64_t bits = 0;
  std::memcpy(&bits, shared + address, sizeof bits);
  Phase& p = phases_[address];
  const BarrierObject o = BarrierObject::of(bits);
  p.ended += o.phase != p.bit;
  p.bit = o.phase;
  p.expected = o.expected;
}

void PhaseLog::access(const Context& c, const Inst& in, uint32_t inst, const std::byte* shared,
                      const uint64_t* addresses, uint32_t mask) {
  const uint16_t flags = plan_.flags[inst];
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t address = addresses[lane];
    if (address + sizeof(uint64_t) > c.shared_bytes) continue;  // refused, and told of
    look(shared, address);
    const auto phase = phases_.find(address);
    if (phase == phases_.end()) continue;
    if (!(flags & CheckPlan::kWaits)) {
      // More lanes than a phase has arrivals may end two at once, and a new mbarrier begins anew:
      // what was waited for before is another phase for certain.
      const bool many = static_cast<uint32_t>(std::popcount(mask)) > phase->second.expected;
      if (many || (flags & CheckPlan::kInit)) phase->second.ended += 2;
      continue;
    }
    uint32_t parity = 0;
    std::memcpy(&parity, c.registers + in.r[2] + size_t{lane} * 4, sizeof parity);
    if (phase->second.bit == (parity & 1u)) continue;  // it is still under way
    Waited& w = waited_[{address, c.warp}];
    if (w.ended != phase->second.ended) w = {phase->second.ended, 0, inst};
    if ((w.lanes >> lane) & 1u) {
      Twice& t = twice_[{inst, w.inst}];
      if (t.count++ == 0) t.seen = {Fault::Kind::phase_twice, c.warp, lane, address, inst, w.inst};
    }
    w.lanes |= 1u << lane;
  }
}

void PhaseLog::finish(Dim3 cta) {
  bool wrong = false;
  for (const Finding& f : findings_.all()) wrong = wrong || !f.remark;
  if (!wrong) return;
  for (const auto& one : twice_) {
    const Twice& t = one.second;
    findings_.add(
        cta, t.seen,
        [&] {
          return "waits for a phase of the mbarrier at " + hex(t.seen.address) +
                 " of shared memory that it has waited for before, and goes on at once; its parity "
                 "must change with each phase";
        },
        t.count);
  }
}

}  // namespace tilescope::emulator
