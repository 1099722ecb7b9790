// Lanes among themselves: shfl, vote, match, redux, elect, activemask.
#include "emulator/isa/lanes.h"
#include "emulator/isa/reals.h"
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

// Calls action(there, group) once for each member mask among the active lanes: `group` are the
// lanes that gave it, `there` those of them that it names. Parts of a warp may each have a mask of
// theirs.
template <class F>
inline void each_group(Context& c, u32 slot, F action) {
  for (u32 rest = c.mask; rest != 0;) {
    const u32 named = get<u32>(c.registers + slot, __builtin_ctz(rest));
    u32 group = rest;
    if ((rest & (rest - 1)) != 0) {
      group = 0;
      for (int i = 0; i < 32; ++i) {
        group |= u32{get<u32>(c.registers + slot, i) == named} << i;
      }
      group &= rest;
    }
    rest &= ~group;
    action(group & named, group);
  }
}
void put_group(Context& c, u32 slot, u32 value, u32 group) {
  for (int i = 0; i < 32; ++i) {
    if ((group >> i) & 1u) put<u32>(c.registers + slot, i, value);
  }
}
void put_predicate(Context& c, u32 index, bool value, u32 group) {
  u32& p = c.predicates[index];
  p = (p & ~group) | (value ? group : 0u);
}

template <Vote Mode>
void vote(Context& c, const Inst& in) {
  const u32 source = c.predicates[in.r[1]];
  each_group(c, in.r[2], [&](u32 there, u32 group) {
    const u32 yes = source & there;
    const bool result = Mode == Vote::all   ? yes == there
                        : Mode == Vote::any ? yes != 0
                                            : yes == there || yes == 0;
    put_predicate(c, in.r[0], result, group);
  });
}
void ballot(Context& c, const Inst& in) {
  const u32 source = c.predicates[in.r[1]];
  each_group(c, in.r[2],
             [&](u32 there, u32 group) { put_group(c, in.r[0], source & there, group); });
}
void active_mask(Context& c, const Inst& in) { put_group(c, in.r[0], c.mask, c.mask); }
void elect(Context& c, const Inst& in) {  // the lowest lane that its mask names
  each_group(c, in.r[2], [&](u32 there, u32 group) {
    const u32 leader = there ? static_cast<u32>(__builtin_ctz(there)) : 0u;
    put_group(c, in.r[0], leader, group);
    put_predicate(c, in.r[1], false, group);
    if (there) put_predicate(c, in.r[1], true, 1u << leader);
  });
}

template <class T, auto F>
void reduce(Context& c, const Inst& in) {
  each_group(c, in.r[2], [&](u32 there, u32 group) {
    T result{};
    bool first = true;
    for (int i = 0; i < 32; ++i) {
      if (!((there >> i) & 1u)) continue;
      const T v = get<T>(c.registers + in.r[1], i);
      result = first ? v : F(result, v);
      first = false;
    }
    put_group(c, in.r[0], static_cast<u32>(result), group);
  });
}
/// Of sm_100: `Of` is taken of each lane's value first.
template <auto F, auto Of>
void reduce_real(Context& c, const Inst& in) {
  each_group(c, in.r[2], [&](u32 there, u32 group) {
    f32 result = 0;
    bool first = true;
    for (int i = 0; i < 32; ++i) {
      if (!((there >> i) & 1u)) continue;
      const f32 v = Of(get<f32>(c.registers + in.r[1], i));
      result = F(first ? v : result, v);
      first = false;
    }
    if (result != result) result = not_a_number();
    put_group(c, in.r[0], float_bits(result), group);
  });
}
template <class T>
void match_any(Context& c, const Inst& in) {
  T value[32];
  for (int i = 0; i < 32; ++i) value[i] = get<T>(c.registers + in.r[1], i);
  each_group(c, in.r[2], [&](u32 there, u32 group) {
    for (int i = 0; i < 32; ++i) {
      u32 same = 0;
      for (int j = 0; j < 32; ++j) same |= u32{value[i] == value[j]} << j;
      put_group(c, in.r[0], same & there, group & (1u << i));
    }
  });
}
template <class T>
void match_all(Context& c, const Inst& in) {
  each_group(c, in.r[3], [&](u32 there, u32 group) {  // result, predicate, value, members
    bool same = true;
    const int first = __builtin_ctz(group);
    for (int i = 0; i < 32; ++i) {
      if (!((there >> i) & 1u)) continue;
      same = same && get<T>(c.registers + in.r[2], i) == get<T>(c.registers + in.r[2], first);
    }
    put_group(c, in.r[0], same ? there : 0u, group);
    put_predicate(c, in.r[1], same, group);
  });
}
void nothing(Context&, const Inst&) {}

// The last operand names the lanes that the instruction waits for.
constexpr Row sync_row(const char* pattern, const char* operands, Handler handler) {
  return warp_row(pattern, operands, handler, RowKind::warp_sync);
}
#define REDUX(T, op, type, e) \
  sync_row("redux sync " op " " type, "Rrr", &reduce<T, [](T a, T b) -> T { return (e); }>)

// A NaN is dropped, or with .NaN is what comes out; of nothing else it does, too.
#define REDUX_REAL(op, F)                                                        \
  REAL(op " f32", F(a, b), a), REAL(op " abs f32", F(a, b), __builtin_fabsf(a)), \
      REAL(op " NaN f32", a != a || b != b ? not_a_number() : F(a, b), a),       \
      REAL(op " abs NaN f32", a != a || b != b ? not_a_number() : F(a, b), __builtin_fabsf(a))
#define REAL(op, e, of)             \
  sync_row("redux sync " op, "Frr", \
           &reduce_real<[](f32 a, f32 b) -> f32 { return (e); }, [](f32 a) -> f32 { return of; }>)

const Row kRows[] = {
    sync_row("shfl sync up b32", "Qrrrr", &shuffle<Shuffle::up>),
    sync_row("shfl sync down b32", "Qrrrr", &shuffle<Shuffle::down>),
    sync_row("shfl sync bfly b32", "Qrrrr", &shuffle<Shuffle::butterfly>),
    sync_row("shfl sync idx b32", "Qrrrr", &shuffle<Shuffle::index>),
    sync_row("vote sync all pred", "Ppr", &vote<Vote::all>),
    sync_row("vote sync any pred", "Ppr", &vote<Vote::any>),
    sync_row("vote sync uni pred", "Ppr", &vote<Vote::uniform>),
    sync_row("vote sync ballot b32", "Rpr", &ballot),
    warp_row("activemask b32", "R", &active_mask),
    REDUX(u32, "add", "u32|s32", a + b),
    REDUX(u32, "and", "b32", a& b),
    REDUX(u32, "or", "b32", a | b),
    REDUX(u32, "xor", "b32", a ^ b),
    REDUX(u32, "min", "u32", a < b ? a : b),
    REDUX(u32, "max", "u32", a > b ? a : b),
    REDUX(s32, "min", "s32", a < b ? a : b),
    REDUX(s32, "max", "s32", a > b ? a : b),
    REDUX_REAL("min", minimum),
    REDUX_REAL("max", maximum),
    sync_row("match any sync b32", "Rrr", &match_any<u32>),
    sync_row("match any sync b64", "Rlr", &match_any<u64>),
    sync_row("match all sync b32", "Qrr", &match_all<u32>),
    sync_row("match all sync b64", "Qlr", &match_all<u64>),
    sync_row("elect sync", "Qr", &elect),
    sync_row("bar|barrier warp sync", "r", &nothing),
};

}  // namespace

RowSpan warp_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
