// An mbarrier in shared memory. The object's 64 bits are this emulator's own: 0-19 arrivals still
// to come, 20-39 arrivals per phase, 40-62 bytes still to come (signed), 63 phase.
#pragma once
#include <cstdint>

namespace tilescope::emulator {

inline constexpr uint32_t kBarrierCounts = (1u << 20) - 1;

/// Inlined for certain, as files with other compiler flags have it, too (code.h).
struct BarrierObject {
  uint32_t pending = 0, expected = 0;
  int32_t bytes = 0;
  uint32_t phase = 0;

  [[gnu::always_inline]] static BarrierObject of(uint64_t bits) {
    return {static_cast<uint32_t>(bits) & kBarrierCounts,
            static_cast<uint32_t>(bits >> 20) & kBarrierCounts,
            static_cast<int32_t>(static_cast<int64_t>(bits << 1) >> 41),
            static_cast<uint32_t>(bits >> 63)};
  }
  [[gnu::always_inline]] uint64_t bits() const {
    return uint64_t{pending & kBarrierCounts} | uint64_t{expected & kBarrierCounts} << 20 |
           (static_cast<uint64_t>(static_cast<uint32_t>(bytes)) & 0x7fffffu) << 40 |
           uint64_t{phase} << 63;
  }
  [[gnu::always_inline]] void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    phase ^= 1u;
  }
};

}  // namespace tilescope::emulator
