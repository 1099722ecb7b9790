// Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc. The carry flag is a predicate that
// no operand names; .cc writes it, addc and its like read it. Of sub it is the borrow.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/wide_integer.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
WithCarry<T> add(T a, T b, bool carry) {
  return add_carry(a, b, carry);
}
template <class T>
WithCarry<T> sub(T a, T b, bool borrow) {
  return sub_borrow(a, b, borrow);
}
template <class T, bool High>
T product(T a, T b) {  // of unsigned or, at its low part, of any operands
  if constexpr (!High) {
    return a * b;
  } else if constexpr (sizeof(T) == 8) {
    return high_product(a, b);
  } else {
    return static_cast<T>(u64{a} * b >> 32);
  }
}
template <class T>
T high_signed(T a, T b) {
  using S = std::make_signed_t<T>;
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(high_product(static_cast<S>(a), static_cast<S>(b)));
  } else {
    return static_cast<T>(s64{static_cast<S>(a)} * static_cast<S>(b) >> 32);
  }
}
template <class T>
T first(T a, T) {
  return a;
}

/// d = F(a, b) ± c with the flag read (In) and written (Out). Sources: a, b, c; of add and sub
/// there is no product: a and b are added.
template <class T, WithCarry<T> (*Step)(T, T, bool), auto Product, bool In, bool Out>
void extended(Context& c, const Inst& in) {
  constexpr bool is_mad = Product != &first<T>;
  constexpr u32 sources = is_mad ? 3 : 2;
  constexpr u32 slots = 1 + sources + (In ? 1 : 0) + (Out ? 1 : 0);
  const u32* r = slots > 4 ? c.lists + in.list : in.r;
  const u32 flag = In ? c.predicates[r[1 + sources]] : 0u;
  u32 carries = 0;
  for (int i = 0; i < 32; ++i) {
    const T a = get<T>(c.registers + r[1], i), b = get<T>(c.registers + r[2], i);
    const T left = is_mad ? Product(a, b) : a;
    const T right = is_mad ? get<T>(c.registers + r[sources], i) : b;
    const WithCarry<T> sum = Step(left, right, (flag >> i) & 1u);
    carries |= (sum.carry ? 1u : 0u) << i;
    if (c.lane_mask[i]) put<T>(c.registers + r[0], i, sum.value);
  }
  if constexpr (Out) {
    u32& p = c.predicates[r[slots - 1]];
    p = (p & ~c.mask) | (carries & c.mask);
  }
}

#define FORMS(T, name, types, step, product, letters)                                       \
  warp_row(name " cc " types, letters "K", &extended<T, &step<T>, product, false, true>),   \
      warp_row(name "c " types, letters "k", &extended<T, &step<T>, product, true, false>), \
      warp_row(name "c cc " types, letters "kK", &extended<T, &step<T>, product, true, true>)
#define MAD(T, part, types, product, letters)                                                     \
  warp_row("mad " part " cc " types, letters "K", &extended<T, &add<T>, product, false, true>),   \
      warp_row("madc " part " " types, letters "k", &extended<T, &add<T>, product, true, false>), \
      warp_row("madc " part " cc " types, letters "kK",                                           \
               &extended<T, &add<T>, product, true, true>)

const Row kRows[] = {
    FORMS(u32, "add", "u32|s32|b32", add, &first<u32>, "Rrr"),
    FORMS(u64, "add", "u64|s64|b64", add, &first<u64>, "Lll"),
    FORMS(u32, "sub", "u32|s32|b32", sub, &first<u32>, "Rrr"),
    FORMS(u64, "sub", "u64|s64|b64", sub, &first<u64>, "Lll"),
    MAD(u32, "lo", "u32|s32", (&product<u32, false>), "Rrrr"),
    MAD(u64, "lo", "u64|s64", (&product<u64, false>), "Llll"),
    MAD(u32, "hi", "u32", (&product<u32, true>), "Rrrr"),
    MAD(u64, "hi", "u64", (&product<u64, true>), "Llll"),
    MAD(u32, "hi", "s32", &high_signed<u32>, "Rrrr"),
    MAD(u64, "hi", "s64", &high_signed<u64>, "Llll"),
};

}  // namespace

RowSpan carry_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
