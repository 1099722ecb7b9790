// Bits: and, or, xor, not, shifts, lop3, prmt, shf, moves, packing, address conversions.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
T shift_left(T a, u32 n) {
  return n < 8 * sizeof(T) ? static_cast<T>(a << n) : T{0};
}
template <class T>
T shift_right(T a, u32 n) {  // past the width: zero, or the sign
  constexpr u32 top = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n < top ? n : top));
  return n <= top ? static_cast<T>(a >> n) : T{0};
}
u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 nibble = (selector >> (4 * i)) & 15u;
    u32 byte = static_cast<u32>(bytes >> (8 * (nibble & 7u))) & 255u;
    if (nibble & 8u) byte = byte & 128u ? 255u : 0u;
    result |= byte << (8 * i);
  }
  return result;
}
// The special modes of prmt read the low two bits of the selector only.
template <int Mode>
u32 permute_mode(u32 a, u32 b, u32 selector) {
  static constexpr u32 kSelectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return permute(a, b, kSelectors[Mode][selector & 3u]);
}
template <bool Left, bool Wrap>
u32 funnel(u32 a, u32 b, u32 n) {
  n = Wrap ? n & 31u : n < 32 ? n : 32;
  const u64 v = static_cast<u64>(b) << 32 | a;
  return Left ? static_cast<u32>((v << n) >> 32) : static_cast<u32>(v >> n);
}
template <bool Full>
void lop3(Context& c, const Inst& in) {
  const u32 table = static_cast<u32>(in.imm);
  const u32* a = reinterpret_cast<const u32*>(c.registers + in.r[1]);
  const u32* b = reinterpret_cast<const u32*>(c.registers + in.r[2]);
  const u32* e = reinterpret_cast<const u32*>(c.registers + in.r[3]);
  u32* d = reinterpret_cast<u32*>(c.registers + in.r[0]);
  for (int i = 0; i < 32; ++i) {
    u32 v = 0;
    for (u32 bit = 0; bit < 8; ++bit) {
      const u32 term =
          (bit & 4u ? a[i] : ~a[i]) & (bit & 2u ? b[i] : ~b[i]) & (bit & 1u ? e[i] : ~e[i]);
      v |= (table >> bit) & 1u ? term : 0u;
    }
    d[i] = Full || c.lane_mask[i] ? v : d[i];
  }
}
/// 128 bits are two registers of 64, named or not.
void move_wide(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    const u64 low = get<u64>(c.registers + in.r[2], i), high = get<u64>(c.registers + in.r[3], i);
    put<u64>(c.registers + in.r[0], i, low);
    put<u64>(c.registers + in.r[1], i, high);
  }
}

// mov of braces: N narrow registers of `Bits` into a wide one, and back.
template <class W, class N, int Count, bool Full>
void pack(Context& c, const Inst& in) {
  const u32* list = c.lists + in.list;
  const u32* r = Count > 3 ? list : in.r;
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    W v = 0;
    for (int k = 0; k < Count; ++k) {
      v |= static_cast<W>(get<N>(c.registers + r[1 + k], i))
           << (8 * sizeof(N) * static_cast<u32>(k));
    }
    put<W>(c.registers + r[0], i, v);
  }
}
template <class W, class N, int Count, bool Full>
void unpack(Context& c, const Inst& in) {
  const u32* list = c.lists + in.list;
  const u32* r = Count > 3 ? list : in.r;
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    const W v = get<W>(c.registers + r[Count], i);
    for (int k = 0; k < Count; ++k) {
      put<N>(c.registers + r[k], i, static_cast<N>(v >> (8 * sizeof(N) * static_cast<u32>(k))));
    }
  }
}
void read_clock(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u32>(c.registers + in.r[0], i, static_cast<u32>(c.clock));
  }
}
void read_clock64(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i]) put<u64>(c.registers + in.r[0], i, c.clock);
  }
}
enum class Window { shared, cluster, local, global, constant, parameter };
template <Window W>
void is_in(Context& c, const Inst& in) {  // isspacep, of a generic address
  u32 bits = 0;
  for (int i = 0; i < 32; ++i) {
    const u64 a = get<u64>(c.registers + in.r[1], i), window = a & kWindowMask;
    const u64 region = a >> kRegionShift;
    bool inside = false;
    if (W == Window::cluster) inside = window == kSharedWindow;
    if (W == Window::shared) {
      inside = window == kSharedWindow && rank_of(a, c.cluster_rank) == c.cluster_rank;
    }
    if (W == Window::local) inside = window == kLocalWindow;
    if (window == 0) {
      const bool parameter = region == kParameterRegion;
      const bool constant =
          region > kParameterRegion && region < c.region_count && c.regions[region].read_only;
      if (W == Window::parameter) inside = parameter;
      if (W == Window::constant) inside = constant;
      if (W == Window::global) inside = !parameter && !constant;
    }
    bits |= u32{inside} << i;
  }
  u32& d = c.predicates[in.r[0]];
  d = (d & ~c.mask) | (bits & c.mask);
}
// lop3 with a predicate: d|p = lop3(a, b, c), p = (d ≠ 0) and or or q.
template <bool Or>
void lop3_predicate(Context& c, const Inst& in) {
  const u32* r = c.lists + in.list;  // d, p, a, b, c, q
  const u32 table = static_cast<u32>(in.imm), q = c.predicates[r[5]];
  u32 bits = 0;
  for (int i = 0; i < 32; ++i) {
    const u32 a = get<u32>(c.registers + r[2], i), b = get<u32>(c.registers + r[3], i);
    const u32 e = get<u32>(c.registers + r[4], i);
    u32 v = 0;
    for (u32 k = 0; k < 8; ++k) {
      const u32 term = (k & 4u ? a : ~a) & (k & 2u ? b : ~b) & (k & 1u ? e : ~e);
      v |= (table >> k) & 1u ? term : 0u;
    }
    if (c.lane_mask[i]) put<u32>(c.registers + r[0], i, v);
    bits |= u32{v != 0} << i;
  }
  bits = Or ? bits | q : bits & q;
  u32& p = c.predicates[r[1]];
  p = (p & ~c.mask) | (bits & c.mask);
}
// The top of the lane's stack: alloca takes from it, what it gives is a local address.
void allocate_stack(Context& c, const Inst& in) {  // address, bytes, stack pointer in and out
  const u32* r = in.r;
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    const u64 top = (get<u64>(c.registers + r[2], i) + 15) & ~u64{15};
    const u64 bytes = get<u64>(c.registers + r[1], i);
    put<u64>(c.registers + r[0], i, top);
    put<u64>(c.registers + r[3], i, top + ((bytes + 15) & ~u64{15}));
  }
}

#define BITS(T, name)                                                     \
  lanes<[](T a, T b) -> T { return a & b; }>("and " name),                \
      lanes<[](T a, T b) -> T { return a | b; }>("or " name),             \
      lanes<[](T a, T b) -> T { return a ^ b; }>("xor " name),            \
      lanes<[](T a) -> T { return static_cast<T>(~a); }>("not " name),    \
      lanes<[](T a) -> T { return a == 0 ? T{1} : T{0}; }>("cnot " name), \
      lanes<[](T a, u32 n) -> T { return shift_left<T>(a, n); }>("shl " name)
#define SHIFT_RIGHT(T, name) \
  lanes<[](T a, u32 n) -> T { return shift_right<T>(a, n); }>("shr " name)
#define PACK(W, N, count, letters_in, letters_out, name)                                   \
  Row{"mov " name, letters_in, &pack<W, N, count, true>, &pack<W, N, count, false>}, Row { \
    "mov " name, letters_out, &unpack<W, N, count, true>, &unpack<W, N, count, false>      \
  }

constexpr u32 kWrap = 1;

const Row kRows[] = {
    BITS(u32, "b32"),
    BITS(u64, "b64"),
    BITS(u16, "b16"),
    SHIFT_RIGHT(u32, "u32|b32"),
    SHIFT_RIGHT(s32, "s32"),
    SHIFT_RIGHT(u64, "u64|b64"),
    SHIFT_RIGHT(s64, "s64"),
    SHIFT_RIGHT(u16, "u16|b16"),
    SHIFT_RIGHT(s16, "s16"),
    masks<[](u32 a, u32 b) { return a & b; }>("and pred", "Ppp"),
    masks<[](u32 a, u32 b) { return a | b; }>("or pred", "Ppp"),
    masks<[](u32 a, u32 b) { return a ^ b; }>("xor pred", "Ppp"),
    masks<[](u32 a) { return ~a; }>("not pred", "Pp"),
    masks<[](u32 a) { return a; }>("mov pred", "Pp"),
    lanes<[](u32 a) -> u32 { return a; }>("mov b32|u32|s32|f16x2|bf16x2"),
    lanes<[](f32 a) -> f32 { return a; }>("mov f32"),
    lanes<[](u64 a) -> u64 { return a; }>("mov b64|u64|s64"),
    lanes<[](f64 a) -> f64 { return a; }>("mov f64"),
    lanes<[](u16 a) -> u16 { return a; }>("mov b16|u16|s16|f16|bf16"),
    PACK(u32, u16, 2, "Rh2", "H2r", "b32"),
    PACK(u64, u32, 2, "Lr2", "R2l", "b64"),
    PACK(u64, u16, 4, "Lh4", "H4l", "b64"),
    warp_row("mov b128", "Ww", &move_wide),
    warp_row("mov b128", "Wl2", &move_wide),
    warp_row("mov b128", "L2w", &move_wide),
    warp_row("mov u32|b32|s32", "RC", &read_clock),
    warp_row("mov u64|b64|s64", "LC", &read_clock64),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute(a, b, s); }>("prmt b32"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<0>(a, b, s); }>("prmt b32 f4e"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<1>(a, b, s); }>("prmt b32 b4e"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<2>(a, b, s); }>("prmt b32 rc8"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<3>(a, b, s); }>("prmt b32 ecl"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<4>(a, b, s); }>("prmt b32 ecr"),
    lanes<[](u32 a, u32 b, u32 s) -> u32 { return permute_mode<5>(a, b, s); }>("prmt b32 rc16"),
    lanes<[](u32 a, u32 b, u32 n) -> u32 { return funnel<true, kWrap>(a, b, n); }>(
        "shf l wrap b32"),
    lanes<[](u32 a, u32 b, u32 n) -> u32 { return funnel<true, !kWrap>(a, b, n); }>(
        "shf l clamp b32"),
    lanes<[](u32 a, u32 b, u32 n) -> u32 { return funnel<false, kWrap>(a, b, n); }>(
        "shf r wrap b32"),
    lanes<[](u32 a, u32 b, u32 n) -> u32 { return funnel<false, !kWrap>(a, b, n); }>(
        "shf r clamp b32"),
    Row{"lop3 b32", "Rrrri", &lop3<true>, &lop3<false>},
    warp_row("lop3 or b32", "Qrrrip", &lop3_predicate<true>),
    warp_row("lop3 and b32", "Qrrrip", &lop3_predicate<false>),
    // Global and constant addresses are generic addresses; shared and local ones lie in windows.
    lanes<[](u64 a) -> u64 { return a; }>("cvta to? global|const u64"),
    // An address of a parameter that was taken in 32 bits is its offset.
    lanes<[](u64 a) -> u64 {
      return (a >> 32) != 0 ? a : a + (u64{kParameterRegion} << kRegionShift);
    }>("cvta param|param::entry u64"),
    lanes<[](u64 a) -> u64 { return a; }>("cvta to param|param::entry u64"),
    lanes<[](u64 a) -> u64 { return a + kSharedWindow; }>(
        "cvta shared|shared::cta|shared::cluster u64"),
    lanes<[](u64 a) -> u64 { return a + kLocalWindow; }>("cvta local u64"),
    lanes<[](u64 a) -> u64 { return a - kSharedWindow; }>(
        "cvta to shared|shared::cta|shared::cluster u64"),
    lanes<[](u64 a) -> u64 { return a - kLocalWindow; }>("cvta to local u64"),
    warp_row("isspacep shared|shared::cta", "Pl", &is_in<Window::shared>),
    warp_row("isspacep shared::cluster", "Pl", &is_in<Window::cluster>),
    warp_row("isspacep local", "Pl", &is_in<Window::local>),
    warp_row("isspacep global", "Pl", &is_in<Window::global>),
    warp_row("isspacep const", "Pl", &is_in<Window::constant>),
    warp_row("isspacep param|param::entry", "Pl", &is_in<Window::parameter>),
    warp_row("alloca u64", "LlsS", &allocate_stack),
    warp_row("alloca u64", "LlisS", &allocate_stack),  // 16 bytes is the largest alignment
    lanes_as<[](u64 a) -> u64 { return a; }>("stacksave u64", "Ls"),
    lanes_as<[](u64 a) -> u64 { return a; }>("stackrestore u64", "Sl"),
};

}  // namespace

RowSpan logic_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
