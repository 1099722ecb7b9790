// The swizzle: 16-byte chunks of a row are permuted by XOR with the number of the row, so that the
// chunks of one column in eight rows lie in eight different groups of banks and are read without
// conflicts.
#pragma once

namespace tilescope {

/// The value is the mask: how many of the row bits 7.. are XORed into the chunk bits 4..
enum class Swizzle : int { none = 0, b32 = 1, b64 = 3, b128 = 7 };

/// Physical byte offset of a logical one. An involution: applied twice it is the identity.
constexpr int swizzle_bytes(Swizzle mode, int offset) {
  return offset ^ ((offset & (static_cast<int>(mode) << 7)) >> 3);
}
/// Bytes of the rows that a mode is made for; 16 for none.
constexpr int swizzle_row_bytes(Swizzle mode) { return (static_cast<int>(mode) + 1) * 16; }

/// The widest mode whose rows are at most `row_bytes` long.
constexpr Swizzle swizzle_for_rows(int row_bytes) {
  return row_bytes >= 128  ? Swizzle::b128
         : row_bytes >= 64 ? Swizzle::b64
         : row_bytes >= 32 ? Swizzle::b32
                           : Swizzle::none;
}

}  // namespace tilescope
