// PTX lets cvt, ld and st name registers that are wider than the instruction's type: `ld.u8 %r1`
// loads a byte into 32 bits. A wide source is cut to its low bits; a result is extended to the
// width of its register, by its sign if the type has one, else by zeros.
#pragma once
#include "emulator/isa/lane_types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// Reads a T from a register whose width the bits kSlot32 and kSlot64 of `slot` tell.
template <class T>
inline T get_low(const std::byte* registers, u32 slot, int lane) {
  const std::byte* at = registers + (slot & ~kSlotWidth);
  return slot & kSlot64 ? static_cast<T>(get<u64>(at, lane)) : static_cast<T>(get<u32>(at, lane));
}
/// Writes `value` to such a register, extended to its width.
template <class T>
inline void put_extended(std::byte* registers, u32 slot, int lane, T value) {
  using Word = std::conditional_t<std::is_signed_v<T>, s32, u32>;
  using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
  std::byte* at = registers + (slot & ~kSlotWidth);
  if (slot & kSlot64) return put<u64>(at, lane, static_cast<u64>(static_cast<Wide>(value)));
  if (slot & kSlot32) return put<u32>(at, lane, static_cast<u32>(static_cast<Word>(value)));
  put<u16>(at, lane, static_cast<u16>(value));
}

/// The table of instructions has `count` rows for registers that are as wide as the types. These
/// are further rows, numbered from `count` on: each cvt of the table once more, for wider
/// registers, as far as PTX allows them.
RowSpan wider_rows(const Row* const* rows, u32 count);

}  // namespace tilescope::emulator::TILESCOPE_ISA
