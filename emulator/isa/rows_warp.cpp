// Lanes among themselves: shfl, vote, match, redux, activemask.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

enum class Shuffle { up, down, butterfly, index };

template <Shuffle Mode>
void shuffle(Context& c, const Inst& in) {
  const u32* list = c.lists + in.list;  // result, predicate, value, lane, clamp, members
  u32 value[32], result[32], valid = 0;
  for (int i = 0; i < 32; ++i) value[i] = get<u32>(c.registers + list[2], i);
  for (u32 i = 0; i < 32; ++i) {
    const u32 b = get<u32>(c.registers + list[3], static_cast<int>(i)) & 31u;
    const u32 control = get<u32>(c.registers + list[4], static_cast<int>(i));
    const u32 clamp = control & 31u, segment = (control >> 8) & 31u;
    const u32 highest = (i & segment) | (clamp & ~segment), lowest = i & segment;
    u32 j = i;
    bool good = false;
    if constexpr (Mode == Shuffle::up) {
      j = i - b;
      good = static_cast<s32>(j) >= static_cast<s32>(highest);
    } else if constexpr (Mode == Shuffle::down) {
      j = i + b;
      good = j <= highest;
    } else if constexpr (Mode == Shuffle::butterfly) {
      j = i ^ b;
      good = j <= highest;
    } else {
      j = lowest | (b & ~segment);
      good = j <= highest;
    }
    result[i] = value[good ? j & 31u : i];
    valid |= u32{good} << i;
  }
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u32>(c.registers + list[0], i, result[i]);
  }
  u32& p = c.predicates[list[1]];
  p = (p & ~c.mask) | (valid & c.mask);
}

enum class Vote { all, any, uniform };

// The lanes that take part: active ones that the member mask names.
u32 members(const Context& c, u32 slot) {
  return c.mask & get<u32>(c.registers + slot, __builtin_ctz(c.mask));
}
template <Vote Mode>
void vote(Context& c, const Inst& in) {
  const u32 there = members(c, in.r[2]), yes = c.predicates[in.r[1]] & there;
  const bool result = Mode == Vote::all   ? yes == there
                      : Mode == Vote::any ? yes != 0
                                          : yes == there || yes == 0;
  u32& p = c.predicates[in.r[0]];
  p = (p & ~c.mask) | (result ? c.mask : 0u);
}
void put_all(Context& c, u32 slot, u32 value) {
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u32>(c.registers + slot, i, value);
  }
}
void ballot(Context& c, const Inst& in) {
  put_all(c, in.r[0], c.predicates[in.r[1]] & members(c, in.r[2]));
}
void active_mask(Context& c, const Inst& in) { put_all(c, in.r[0], c.mask); }

template <class T, auto F>
void reduce(Context& c, const Inst& in) {
  const u32 there = members(c, in.r[2]);
  T result{};
  bool first = true;
  for (int i = 0; i < 32; ++i) {
    if (!((there >> i) & 1u)) continue;
    const T v = get<T>(c.registers + in.r[1], i);
    result = first ? v : F(result, v);
    first = false;
  }
  put_all(c, in.r[0], static_cast<u32>(result));
}
template <class T>
void match_any(Context& c, const Inst& in) {
  const u32 there = members(c, in.r[2]);
  u32 result[32] = {};
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 32; ++j) {
      const bool same = get<T>(c.registers + in.r[1], i) == get<T>(c.registers + in.r[1], j);
      result[i] |= u32{same && ((there >> j) & 1u)} << j;
    }
  }
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u32>(c.registers + in.r[0], i, result[i]);
  }
}
template <class T>
void match_all(Context& c, const Inst& in) {
  const u32 there = members(c, in.r[3]);  // result, predicate, value, members
  bool same = true;
  const int first = __builtin_ctz(c.mask);
  for (int i = 0; i < 32; ++i) {
    if ((there >> i) & 1u) {
      same = same && get<T>(c.registers + in.r[2], i) == get<T>(c.registers + in.r[2], first);
    }
  }
  put_all(c, in.r[0], same ? there : 0u);
  u32& p = c.predicates[in.r[1]];
  p = (p & ~c.mask) | (same ? c.mask : 0u);
}
void nothing(Context&, const Inst&) {}

#define REDUX(T, op, type, e) \
  warp_row("redux sync " op " " type, "Rrr", &reduce<T, [](T a, T b) -> T { return (e); }>)

const Row kRows[] = {
    warp_row("shfl sync up b32", "Qrrrr", &shuffle<Shuffle::up>),
    warp_row("shfl sync down b32", "Qrrrr", &shuffle<Shuffle::down>),
    warp_row("shfl sync bfly b32", "Qrrrr", &shuffle<Shuffle::butterfly>),
    warp_row("shfl sync idx b32", "Qrrrr", &shuffle<Shuffle::index>),
    warp_row("vote sync all pred", "Ppr", &vote<Vote::all>),
    warp_row("vote sync any pred", "Ppr", &vote<Vote::any>),
    warp_row("vote sync uni pred", "Ppr", &vote<Vote::uniform>),
    warp_row("vote sync ballot b32", "Rpr", &ballot),
    warp_row("activemask b32", "R", &active_mask),
    REDUX(u32, "add", "u32|s32", a + b),
    REDUX(u32, "and", "b32", a& b),
    REDUX(u32, "or", "b32", a | b),
    REDUX(u32, "xor", "b32", a ^ b),
    REDUX(u32, "min", "u32", a < b ? a : b),
    REDUX(u32, "max", "u32", a > b ? a : b),
    REDUX(s32, "min", "s32", a < b ? a : b),
    REDUX(s32, "max", "s32", a > b ? a : b),
    warp_row("match any sync b32", "Rrr", &match_any<u32>),
    warp_row("match any sync b64", "Rlr", &match_any<u64>),
    warp_row("match all sync b32", "Qrr", &match_all<u32>),
    warp_row("match all sync b64", "Qlr", &match_all<u64>),
    // One warp's lanes run in step up to a branch, and meet again at the block that follows.
    warp_row("bar|barrier warp sync", "r", &nothing),
    warp_row("membar cta|gl|sys", "", &nothing),
    warp_row("fence acq_rel|sc|acquire|release cta|gpu|sys|cluster", "", &nothing),
    warp_row("fence proxy async|alias global|shared::cta|shared::cluster?", "", &nothing),
    warp_row("prefetch|prefetchu global|local? L1|L2", "A", &nothing),
};

}  // namespace

RowSpan warp_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
