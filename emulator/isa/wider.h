// Registers wider than an instruction's type, as PTX allows them in cvt, ld and st: the low bits
// are read, and what is written is extended, by its sign if the type has one.
#pragma once
#include "emulator/isa/types.h"

namespace tilescope::emulator::TILESCOPE_ISA {

/// `slot` as kSlot32 and kSlot64 mark it.
template <class T>
inline T get_low(const std::byte* registers, u32 slot, int lane) {
  const std::byte* at = registers + (slot & ~kSlotWidth);
  return slot & kSlot64 ? static_cast<T>(get<u64>(at, lane)) : static_cast<T>(get<u32>(at, lane));
}
template <class T>
inline void put_extended(std::byte* registers, u32 slot, int lane, T value) {
  using Word = std::conditional_t<std::is_signed_v<T>, s32, u32>;
  using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
  std::byte* at = registers + (slot & ~kSlotWidth);
  if (slot & kSlot64) return put<u64>(at, lane, static_cast<u64>(static_cast<Wide>(value)));
  if (slot & kSlot32) return put<u32>(at, lane, static_cast<u32>(static_cast<Word>(value)));
  put<u16>(at, lane, static_cast<u16>(value));
}

/// The rows of cvt among the first `count` once more, for registers wider than their types; where
/// PTX allows none, no row. Theirs are the numbers from `count` on.
RowSpan wider_rows(const Row* const* rows, u32 count);

}  // namespace tilescope::emulator::TILESCOPE_ISA
