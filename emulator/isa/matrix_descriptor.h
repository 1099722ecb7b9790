// Matrix descriptors of wgmma: where it looks for A and B in shared memory, in chunks of 16 bytes.
// Source: PTX ISA 9.0, "Asynchronous warpgroup-level matrix instructions", "Shared memory matrix
// layout", "Strides" and "Matrix descriptor format".
#pragma once
#include "emulator/isa/lane_types.h"
#include "emulator/machine/swizzled.h"

namespace tilescope::emulator::TILESCOPE_ISA {

struct Descriptor {
  u32 start = 0, leading = 0, stride = 0;  // bytes
  u32 base_offset = 0;
  u32 span = 0;  // bytes of a swizzled line, 32, 64 or 128; 0: not swizzled

  static constexpr Descriptor of(u64 bits) {
    const auto bytes = [bits](int shift) {
      return (static_cast<u32>(bits >> shift) & 0x3fffu) << 4;
    };
    constexpr u32 spans[4] = {0, 128, 64, 32};
    return {bytes(0), bytes(16), bytes(32), static_cast<u32>(bits >> 49) & 7u, spans[bits >> 62]};
  }
  /// Line `line` (row of A, column of B) of an operand whose k lies one behind the other; the first
  /// or second 16 bytes of its 32 along k.
  constexpr u64 along_k(u32 line, u32 half) const {
    const u32 group = line / 8 * stride;
    return span == 0 ? start + line % 8 * 16 + group + half * leading
                     : swizzled(start + line % 8 * span + group + 16 * half, span);
  }
  /// Eight lines from 8 · `lines` on at one k, of an operand of 16 bits whose lines lie one behind
  /// the other.
  constexpr u64 along_lines(u32 lines, u32 k) const {
    if (span == 0) return start + lines * stride + k % 8 * 16 + k / 8 * leading;
    const u32 wide = span / 16;
    return swizzled(
        start + lines % wide * 16 + lines / wide * leading + k % 8 * span + k / 8 * stride, span);
  }
};

}  // namespace tilescope::emulator::TILESCOPE_ISA
