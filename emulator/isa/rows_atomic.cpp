// atom and red. A compare-and-swap loop on the host's memory, so CTAs may run on several threads.
#include "emulator/isa/access.h"
#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

/// Stores F(old, b); returns the old value.
template <class T, auto F>
T exchange(std::byte* at, T b) {
  Word<T>* p = reinterpret_cast<Word<T>*>(at);
  Word<T> old = __atomic_load_n(p, __ATOMIC_RELAXED), fresh;
  do {
    fresh = __builtin_bit_cast(Word<T>, F(__builtin_bit_cast(T, old), b));
  } while (!__atomic_compare_exchange_n(p, &old, fresh, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return __builtin_bit_cast(T, old);
}

// Registers: [result,] address, b.
template <Space S, class T, auto F, bool Result>
void update(Context& c, const Inst& in) {
  constexpr int at = Result ? 1 : 0;
  Access a;
  resolve<S, false>(c, in, in.r[at], in.imm, a, sizeof(T), true);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    const T old = exchange<T, F>(a.at(i), get<T>(c.registers + in.r[at + 1], i));
    if constexpr (Result) put<T>(c.registers + in.r[0], i, old);
  }
}
template <Space S, class T>
void compare_swap(Context& c, const Inst& in) {
  Access a;
  resolve<S, false>(c, in, in.r[1], in.imm, a, sizeof(T), true);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    T old = get<T>(c.registers + in.r[2], i);
    __atomic_compare_exchange_n(reinterpret_cast<T*>(a.at(i)), &old,
                                get<T>(c.registers + in.r[3], i), false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    put<T>(c.registers + in.r[0], i, old);
  }
}
/// Stores `fresh` if `old` is there, which becomes what is there; true if it was.
bool replace_wide(std::byte* at, u64* old, const u64* fresh) {
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
  __extension__ using u128 = unsigned __int128;
  if (reinterpret_cast<uintptr_t>(at) % 16 == 0) {
    u128 expected, wanted;
    __builtin_memcpy(&expected, old, 16);
    __builtin_memcpy(&wanted, fresh, 16);
    const u128 seen = __sync_val_compare_and_swap(reinterpret_cast<u128*>(at), expected, wanted);
    __builtin_memcpy(old, &seen, 16);
    return seen == expected;
  }
#endif
  static char lock;  // of all that are so wide: nobody else changes a part of one meanwhile
  while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
  }
  u64 seen[2];
  __builtin_memcpy(seen, at, 16);
  const bool same = seen[0] == old[0] && seen[1] == old[1];
  if (same) __builtin_memcpy(at, fresh, 16);
  __builtin_memcpy(old, seen, 16);
  __atomic_clear(&lock, __ATOMIC_RELEASE);
  return same;
}
/// 16 bytes, in two registers of 64 bits each. Results, address[, compared], new.
template <Space S, bool Compares>
void exchange_wide(Context& c, const Inst& in) {
  const u32* slots = c.lists + in.list;
  Access a;
  resolve<S, false>(c, in, slots[2], in.imm, a, 16, true);
  const auto read = [&](u32 first, int lane, u64* to) {
    for (u32 k = 0; k < 2; ++k) to[k] = get<u64>(c.registers + slots[first + k], lane);
  };
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    u64 old[2], expected[2] = {}, fresh[2];
    if constexpr (Compares) read(3, i, expected);
    read(Compares ? 5 : 3, i, fresh);
    __builtin_memcpy(old, expected, 16);
    while (!replace_wide(a.at(i), old, fresh) && !Compares) {
    }
    for (u32 k = 0; k < 2; ++k) put<u64>(c.registers + slots[k], i, old[k]);
  }
}
/// Vectors of global memory: each element is updated by itself. Registers: [results,] address, b.
template <class T, int V, auto F, bool Result>
void update_vector(Context& c, const Inst& in) {
  constexpr int at = Result ? V : 0;
  constexpr int slots = at + 1 + V;
  const u32* r = slots > 3 ? c.lists + in.list : in.r;
  Access a;
  resolve<Space::global, false>(c, in, r[at], in.imm, a, static_cast<int>(sizeof(T)) * V, true);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      const T b = get<T>(c.registers + r[at + 1 + k], i);
      const T old = exchange<T, F>(a.at(i) + static_cast<size_t>(k) * sizeof(T), b);
      if constexpr (Result) put<T>(c.registers + r[k], i, old);
    }
  }
}

struct Add {
  static f32 apply(f32 a, f32 b) { return a + b; }
};
struct Min {
  static f32 apply(f32 a, f32 b) { return minimum(a, b); }
};
struct Max {
  static f32 apply(f32 a, f32 b) { return maximum(a, b); }
};
template <bool Brain, class Op>
u16 of_half(u16 x, u16 y) {
  if (Brain) return float_to_bfloat(Op::apply(bfloat_to_float(x), bfloat_to_float(y)));
  return float_to_half(Op::apply(half_to_float(x), half_to_float(y)));
}
template <bool Brain, class Op>
u32 of_pair(u32 a, u32 b) {
  return of_half<Brain, Op>(static_cast<u16>(a), static_cast<u16>(b)) |
         static_cast<u32>(of_half<Brain, Op>(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16)))
             << 16;
}

#define UPDATE(S, space, T, op, type, result, letter, e)                                 \
  warp_row("atom $order " space " " op " " type, result "A" letter,                      \
           &update<S, T, []([[maybe_unused]] T a, T b) -> T { return (e); }, true>,      \
           RowKind::atomic, sizeof(T)),                                                  \
      warp_row("red $order " space " " op " " type, "A" letter,                          \
               &update<S, T, []([[maybe_unused]] T a, T b) -> T { return (e); }, false>, \
               RowKind::atomic, sizeof(T))
#define VECTOR(T, n, op, type, result, letter, F)                              \
  warp_row("atom $order global " op " v" #n " " type, result #n "A" letter #n, \
           &update_vector<T, n, F, true>, RowKind::atomic, sizeof(T) * n),     \
      warp_row("red $order global " op " v" #n " " type, "A" letter #n,        \
               &update_vector<T, n, F, false>, RowKind::atomic, sizeof(T) * n)
#define VECTORS(Op, op)                                                     \
  VECTOR(u32, 2, op " noftz", "f16x2", "X", "x", (of_pair<false, Op>)),     \
      VECTOR(u32, 4, op " noftz", "f16x2", "X", "x", (of_pair<false, Op>)), \
      VECTOR(u32, 2, op " noftz", "bf16x2", "X", "x", (of_pair<true, Op>)), \
      VECTOR(u32, 4, op " noftz", "bf16x2", "X", "x", (of_pair<true, Op>)), \
      VECTOR(u16, 2, op " noftz", "f16", "H", "h", (of_half<false, Op>)),   \
      VECTOR(u16, 4, op " noftz", "f16", "H", "h", (of_half<false, Op>)),   \
      VECTOR(u16, 8, op " noftz", "f16", "H", "h", (of_half<false, Op>)),   \
      VECTOR(u16, 2, op " noftz", "bf16", "H", "h", (of_half<true, Op>)),   \
      VECTOR(u16, 4, op " noftz", "bf16", "H", "h", (of_half<true, Op>)),   \
      VECTOR(u16, 8, op " noftz", "bf16", "H", "h", (of_half<true, Op>))
f32 add_real(f32 a, f32 b) { return a + b; }
#define CAS(S, space, T, type, operands)                                                      \
  warp_row("atom $order " space " cas " type, operands, &compare_swap<S, T>, RowKind::atomic, \
           sizeof(T))
#define INTEGERS(S, space, T, bits, result, letter)                \
  UPDATE(S, space, T, "and", "b" bits, result, letter, a& b),      \
      UPDATE(S, space, T, "or", "b" bits, result, letter, a | b),  \
      UPDATE(S, space, T, "xor", "b" bits, result, letter, a ^ b), \
      UPDATE(S, space, T, "exch", "b" bits, result, letter, b)
#define MIN_MAX(S, space, T, type, result, letter)                 \
  UPDATE(S, space, T, "min", type, result, letter, a < b ? a : b), \
      UPDATE(S, space, T, "max", type, result, letter, a > b ? a : b)
#define HALVES(S, space, Op, op)                                                         \
  UPDATE(S, space, u32, op " noftz", "f16x2", "X", "x", (of_pair<false, Op>(a, b))),     \
      UPDATE(S, space, u32, op " noftz", "bf16x2", "X", "x", (of_pair<true, Op>(a, b))), \
      UPDATE(S, space, u16, op " noftz", "f16", "H", "h", (of_half<false, Op>(a, b))),   \
      UPDATE(S, space, u16, op " noftz", "bf16", "H", "h", (of_half<true, Op>(a, b)))
#define ATOMICS(S, space)                                                               \
  UPDATE(S, space, u32, "add", "u32|s32", "X", "x", a + b),                             \
      UPDATE(S, space, u64, "add", "u64|s64", "Y", "y", a + b),                         \
      UPDATE(S, space, f32, "add", "f32", "X", "x", a + b),                             \
      UPDATE(S, space, f64, "add", "f64", "Y", "y", a + b),                             \
      UPDATE(S, space, u32, "inc", "u32", "X", "x", a >= b ? 0u : a + 1),               \
      UPDATE(S, space, u32, "dec", "u32", "X", "x", a == 0 || a > b ? b : a - 1),       \
      HALVES(S, space, Add, "add"), INTEGERS(S, space, u32, "32", "X", "x"),            \
      INTEGERS(S, space, u64, "64", "Y", "y"), MIN_MAX(S, space, u32, "u32", "X", "x"), \
      MIN_MAX(S, space, s32, "s32", "X", "x"), MIN_MAX(S, space, u64, "u64", "Y", "y"), \
      MIN_MAX(S, space, s64, "s64", "Y", "y"), CAS(S, space, u16, "b16", "HAhh"),       \
      CAS(S, space, u32, "b32", "XAxx"), CAS(S, space, u64, "b64", "YAyy")

#define WIDE(S, space)                                                                             \
  warp_row("atom $order " space " exch b128", "WAw", &exchange_wide<S, false>, RowKind::atomic,    \
           16),                                                                                    \
      warp_row("atom $order " space " cas b128", "WAww", &exchange_wide<S, true>, RowKind::atomic, \
               16)

const Row kRows[] = {
    ATOMICS(Space::global, "global"),
    ATOMICS(Space::shared, "shared|shared::cta|shared::cluster"),
    ATOMICS(Space::generic, ""),
    WIDE(Space::global, "global"),
    WIDE(Space::shared, "shared|shared::cta|shared::cluster"),
    WIDE(Space::generic, ""),
    VECTORS(Add, "add"),
    VECTORS(Min, "min"),
    VECTORS(Max, "max"),
    VECTOR(f32, 2, "add", "f32", "X", "x", add_real),
    VECTOR(f32, 4, "add", "f32", "X", "x", add_real),
};

}  // namespace

RowSpan atomic_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
