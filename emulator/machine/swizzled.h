// The swizzle of TMA and of wgmma's descriptors: the 16-byte chunks of each 128 bytes change places
// by the number of the 128 bytes. Source: PTX ISA 9.0, "Swizzling modes".
#pragma once
#include <cstdint>

namespace tilescope::emulator {

/// `span`: 32, 64 or 128 bytes, in which chunks change places; 0: they do not. Inlined for certain,
/// as files with other compiler flags have it, too (code.h).
[[gnu::always_inline]] constexpr uint64_t swizzled(uint64_t address, uint32_t span) {
  const uint64_t chunks = span == 0 ? 0 : span / 16 - 1;
  return address ^ ((address >> 7 & chunks) << 4);
}

}  // namespace tilescope::emulator
