// Which products are summed alike by a tensor core (emulator/machine/sum_rules.h).
#pragma once
#include <cstdint>

namespace tilescope::emulator {

/// Instructions whose products are summed by one rule; whether sums are f32 or f16 is the row's.
enum class SumFamily : uint8_t {
  exact,      // integers, bits and f64: their sums are what they are everywhere
  mma_16,     // mma.sync and wmma of f16 and bf16
  mma_quad,   // mma.sync.m8n8k4 of f16
  mma_tf32,   // mma.sync
  wmma_tf32,  // which is made of instructions of four k each
  mma_8,      // mma.sync of e4m3 and e5m2
  wgmma_16,
  wgmma_tf32,
  wgmma_8
};
inline constexpr int kSumFamilies = 9;

}  // namespace tilescope::emulator
