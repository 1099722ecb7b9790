// Tensor maps that a kernel makes or changes: fields replaced in shared or global memory, and one
// copied from there to global memory. The bits are the emulator's own.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/machine/bulk_copy.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr int kUsed = static_cast<int>(kTensorMapUsed);

/// Calls f(host pointer, lane) for the used part of each lane's map.
template <Space S, class F>
void each_map(Context& c, const Inst& in, u32 base, s32 offset, bool is_store, F f) {
  const u32 all = c.mask;
  for (u32 left = all; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    set_mask(c, 1u << lane);
    Access a;
    resolve<S, false>(c, in, base, offset, a, kUsed, is_store);
    f(a.at(lane), lane);
  }
  set_mask(c, all);
}

/// Address[, new value]: a register's or an immediate's; the ordinal and such a value are
/// immediates behind the offset.
template <Space S, TensorField Field, class T, bool Ordinal>
void replace(Context& c, const Inst& in) {
  constexpr bool immediate = std::is_same_v<T, void>;
  s32 more = 0;
  if constexpr (immediate || Ordinal) {
    more = static_cast<s32>(c.lists[in.list + (immediate ? 1 : 2)]);
  }
  each_map<S>(c, in, in.r[0], in.imm, true, [&](std::byte* map, int lane) {
    u64 value;
    if constexpr (immediate) {
      value = static_cast<u64>(s64{more});
    } else {
      value = get<T>(c.registers + in.r[1], lane);
    }
    const u32 dimension = Ordinal ? static_cast<u32>(more) : 0;
    change_map(in, static_cast<u32>(lane), map, Field, dimension, value);
  });
}

/// Global target, source in shared memory, size: by the warp, whose lanes all say the same. Behind
/// them a mask that is not written down: all lanes come to it. What is behind the used part need
/// not be there.
void copy_map(Context& c, const Inst& in) {
  const u32 all = c.mask;
  set_mask(c, all & (0u - all));
  std::byte bytes[kTensorMapUsed];
  const s32 offset = static_cast<s32>(c.lists[in.list + 3]);
  each_map<Space::shared>(c, in, in.r[1], offset, false, [&](const std::byte* map, int) {
    __builtin_memcpy(bytes, map, sizeof bytes);
  });
  each_map<Space::global>(c, in, in.r[0], in.imm, true,
                          [&](std::byte* map, int) { __builtin_memcpy(map, bytes, sizeof bytes); });
  set_mask(c, all);
}

#define FIELD(S, space, name, Field, type, T, letter)                           \
  warp_row("tensormap replace tile " name " " space " b1024 " type, "A" letter, \
           &replace<S, TensorField::Field, T, false>)
#define FIELD_OF(S, space, name, Field, type, T, letter)                         \
  warp_row("tensormap replace tile " name " " space " b1024 " type, "Ai" letter, \
           &replace<S, TensorField::Field, T, true>)
#define FIELDS(S, space)                                                     \
  FIELD(S, space, "global_address", address, "b64", u64, "l"),               \
      FIELD(S, space, "rank", rank, "b32", u32, "r"),                        \
      FIELD_OF(S, space, "box_dim", box, "b32", u32, "r"),                   \
      FIELD_OF(S, space, "global_dim", dim, "b32", u32, "r"),                \
      FIELD_OF(S, space, "global_stride", stride, "b64", u64, "l"),          \
      FIELD_OF(S, space, "element_stride", element_stride, "b32", u32, "r"), \
      FIELD(S, space, "elemtype", type, "b32", void, "i"),                   \
      FIELD(S, space, "interleave_layout", interleave, "b32", void, "i"),    \
      FIELD(S, space, "swizzle_mode", swizzle, "b32", void, "i"),            \
      FIELD(S, space, "swizzle_atomicity", atomicity, "b32", void, "i"),     \
      FIELD(S, space, "fill_mode", fill, "b32", void, "i")

const Row kRows[] = {
    FIELDS(Space::shared, "shared::cta"),
    FIELDS(Space::global, "global"),
    FIELDS(Space::generic, ""),
    warp_row("tensormap cp_fenceproxy global shared::cta tensormap::generic release "
             "cta|cluster|gpu|sys sync aligned",
             "AA=128r?", &copy_map, RowKind::warp_sync),
};

}  // namespace

RowSpan tensor_map_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
