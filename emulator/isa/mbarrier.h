// An mbarrier in shared memory. The object's 64 bits are this emulator's own: 0-19 arrivals still
// to come, 20-39 arrivals per phase, 40-62 bytes still to come (signed), 63 phase.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

constexpr u32 kBarrierCounts = (1u << 20) - 1;

struct BarrierObject {
  u32 pending = 0, expected = 0;
  s32 bytes = 0;
  u32 phase = 0;

  static BarrierObject of(u64 bits) {
    return {static_cast<u32>(bits) & kBarrierCounts, static_cast<u32>(bits >> 20) & kBarrierCounts,
            static_cast<s32>(static_cast<s64>(bits << 1) >> 41), static_cast<u32>(bits >> 63)};
  }
  u64 bits() const {
    return u64{pending & kBarrierCounts} | u64{expected & kBarrierCounts} << 20 |
           (static_cast<u64>(static_cast<u32>(bytes)) & 0x7fffffu) << 40 | u64{phase} << 63;
  }
  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    phase ^= 1u;
  }
};

}  // namespace tilescope::emulator::TILESCOPE_ISA
