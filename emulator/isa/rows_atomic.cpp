// atom and red. A compare-and-swap loop on the host's memory, so CTAs may run on several threads.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

// Result: F is T(old, b). Registers: [result,] address, b.
template <Space S, class T, auto F, bool Result>
void update(Context& c, const Inst& in) {
  constexpr int at = Result ? 1 : 0;
  Access a;
  resolve<S, false>(c, in, in.r[at], in.imm, a, sizeof(T), true);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    Word<T>* p = reinterpret_cast<Word<T>*>(a.at(i));
    const T b = get<T>(c.registers + in.r[at + 1], i);
    Word<T> old = __atomic_load_n(p, __ATOMIC_RELAXED), fresh;
    do {
      fresh = __builtin_bit_cast(Word<T>, F(__builtin_bit_cast(T, old), b));
    } while (
        !__atomic_compare_exchange_n(p, &old, fresh, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    if constexpr (Result) put<T>(c.registers + in.r[0], i, __builtin_bit_cast(T, old));
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
template <bool Brain>
u32 add_pair(u32 a, u32 b) {
  u32 result = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const u16 x = static_cast<u16>(a >> shift), y = static_cast<u16>(b >> shift);
    const u16 sum = Brain ? float_to_bfloat(bfloat_to_float(x) + bfloat_to_float(y))
                          : float_to_half(half_to_float(x) + half_to_float(y));
    result |= static_cast<u32>(sum) << shift;
  }
  return result;
}

#define UPDATE(S, space, T, op, type, letter, e)                                         \
  warp_row("atom $order " space " " op " " type, letter "A" letter,                      \
           &update<S, T, []([[maybe_unused]] T a, T b) -> T { return (e); }, true>,      \
           RowKind::atomic, sizeof(T)),                                                  \
      warp_row("red $order " space " " op " " type, "A" letter,                          \
               &update<S, T, []([[maybe_unused]] T a, T b) -> T { return (e); }, false>, \
               RowKind::atomic, sizeof(T))
#define CAS(S, space, T, type, operands)                                                      \
  warp_row("atom $order " space " cas " type, operands, &compare_swap<S, T>, RowKind::atomic, \
           sizeof(T))
#define INTEGERS(S, space, T, bits, letter)                \
  UPDATE(S, space, T, "and", "b" bits, letter, a& b),      \
      UPDATE(S, space, T, "or", "b" bits, letter, a | b),  \
      UPDATE(S, space, T, "xor", "b" bits, letter, a ^ b), \
      UPDATE(S, space, T, "exch", "b" bits, letter, b)
#define MIN_MAX(S, space, T, type, letter)                 \
  UPDATE(S, space, T, "min", type, letter, a < b ? a : b), \
      UPDATE(S, space, T, "max", type, letter, a > b ? a : b)
#define ATOMICS(S, space)                                                      \
  UPDATE(S, space, u32, "add", "u32|s32", "x", a + b),                         \
      UPDATE(S, space, u64, "add", "u64", "y", a + b),                         \
      UPDATE(S, space, f32, "add", "f32", "x", a + b),                         \
      UPDATE(S, space, f64, "add", "f64", "y", a + b),                         \
      UPDATE(S, space, u32, "inc", "u32", "x", a >= b ? 0u : a + 1),           \
      UPDATE(S, space, u32, "dec", "u32", "x", a == 0 || a > b ? b : a - 1),   \
      UPDATE(S, space, u32, "add noftz", "f16x2", "x", add_pair<false>(a, b)), \
      UPDATE(S, space, u32, "add noftz", "bf16x2", "x", add_pair<true>(a, b)), \
      INTEGERS(S, space, u32, "32", "x"), INTEGERS(S, space, u64, "64", "y"),  \
      MIN_MAX(S, space, u32, "u32", "x"), MIN_MAX(S, space, s32, "s32", "x"),  \
      MIN_MAX(S, space, u64, "u64", "y"), MIN_MAX(S, space, s64, "s64", "y"),  \
      CAS(S, space, u32, "b32", "xAxx"), CAS(S, space, u64, "b64", "yAyy")

const Row kRows[] = {
    ATOMICS(Space::global, "global"),
    ATOMICS(Space::shared, "shared|shared::cta"),
    ATOMICS(Space::generic, ""),
};

}  // namespace

RowSpan atomic_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
