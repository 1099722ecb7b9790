// wgmma: products of a warpgroup, of which each warp computes its sixteen rows when it issues them.
// That is one of the orders that the ISA allows, as operands may not change before the group has
// been waited for; that all four warps have issued theirs by then is seen to by
// wgmma.wait_group (emulator/run/cta_warpgroup.cpp). Sums are rounded as product.h says.
#include <utility>

#include "emulator/isa/card_block.h"
#include "emulator/isa/product.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/warp_product.h"
#include "emulator/isa/wgmma_operands.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// Accumulators of integers: what has been summed exactly as f32 is added.
template <bool Saturate>
struct IntegerSums {
  static constexpr int registers = 4;
  static void add(std::byte* file, const u32* r, bool keeps, const float (*sums)[8]) {
    for (int row = 0; row < 16; ++row) {
      for (int j = 0; j < 8; ++j) {
        s32* d = reinterpret_cast<s32*>(file + r[2 * (row / 8) + j / 4]) + 4 * (row % 8) + j % 4;
        *d = IntegerSum<Saturate>::add(keeps ? *d : 0, static_cast<s32>(sums[row][j]));
      }
    }
  }
};

/// What one family of forms has in common, for all n.
template <class A_, class B_, class Sums_, int K_, bool FromRegisters, bool Turns, bool Negates>
struct Form {
  using A = A_;
  using B = B_;
  using Sums = Sums_;
  static constexpr int K = K_;
  static constexpr bool from_registers = FromRegisters, turns = Turns, negates = Negates;
  static constexpr bool bits = false;
};
template <bool FromRegisters>
struct BitForm {
  using Sums = IntegerSums<false>;
  static constexpr int K = 256;
  static constexpr bool from_registers = FromRegisters, turns = false, negates = false;
  static constexpr bool bits = true;
};

template <class F>
constexpr bool is_integer =
    !std::is_same_v<typename F::Sums, FloatSums> && !std::is_same_v<typename F::Sums, HalfSums>;

/// What a warp reads of shared memory: its rows of A, and the first of a warpgroup also B. Layouts
/// for descriptors have no conflicts. Lines of A and columns of B have 32 bytes.
void count_reads(Context& c, const Inst& in, bool a_in_registers, int n) {
  constexpr u64 kLine = 32, kWavefront = 128;
  const u64 bytes = kLine * ((a_in_registers ? 0u : 16u) + (c.warp % 4 ? 0u : static_cast<u32>(n)));
  Site& site = c.sites[in.site];
  site.shared_requests += bytes > 0;
  site.shared_bytes += bytes;
  site.wavefronts += bytes / kWavefront, site.ideal += bytes / kWavefront;
}

template <class F>
constexpr SumFamily family_of = F::A::bits == 16   ? SumFamily::wgmma_16
                                : F::A::bits == 32 ? SumFamily::wgmma_tf32
                                                   : SumFamily::wgmma_8;

/// D of all columns, summed by an architecture's rule.
template <class F>
void card_products(const SumRule& rule, std::byte* file, const u32* r, bool keeps, int n,
                   const float (*a)[F::K], const LinesB<typename F::B, F::K>& b) {
  using A = typename F::A;
  using B = typename F::B;
  using Sums = typename F::Sums;
  constexpr int K = F::K;
  ExponentsA<A, K> of_a;
  of_a.find(a);
  const auto sums = [&](int i) { return r + i * Sums::registers; };
  const auto old = [&](int i) { return keeps ? sums(i) : nullptr; };
  V8 lines[2][K];
  ExponentsB<B, K> of_b[2];
  const auto fill = [&](int block, int at) {
    b.fill(block, lines[at]);
    of_b[at].find(lines[at]);
  };
  int block = 0;
#if defined(__AVX512F__)
  for (; block + 2 <= n / 8; block += 2) {
    fill(block, 0);
    fill(block + 1, 1);
    card_two_blocks<A, B, Sums, K>(rule, file, sums(block), sums(block + 1), old(block),
                                   old(block + 1), a, of_a, lines[0], of_b[0], lines[1], of_b[1]);
  }
#endif
  for (; block < n / 8; ++block) {
    fill(block, 0);
    card_block<A, B, Sums, K>(rule, file, sums(block), old(block), a, of_a, lines[0], of_b[0]);
  }
}

template <class F>
void products(Context& c, const Inst& in, int n) {
  constexpr int K = F::K, per_block = F::Sums::registers;
  need_whole_warp(c, in, "a matrix product");
  count_reads(c, in, F::from_registers, n);
  const u32* r = c.lists + in.list;  // D, A, B, scale-d; immediates after the first
  const u32* after_d = r + n / 8 * per_block;
  const u32* slot_b = after_d + (F::from_registers ? 4 : 1);
  const u32* immediate = slot_b + 2;
  const bool keeps = c.predicates[slot_b[1]] & 1u;
  bool negative = false, a_across = false, b_across = false;
  if constexpr (F::negates) {
    negative = (in.imm < 0) != (static_cast<s32>(*immediate++) < 0);
  }
  if constexpr (F::turns) {
    if (!F::from_registers) a_across = *immediate++ != 0;
    b_across = *immediate != 0;
  }
  RowsA<typename F::A, K> a;
  if constexpr (F::from_registers) {
    a.fill(c.registers, after_d);
  } else {
    a.fill(c, in, descriptor(c, in, *after_d), 16 * (c.warp % 4), a_across);
  }
  if (negative) a.negate();
  LinesB<typename F::B, K> b;
  b.across = b_across;
  b.find(c, in, descriptor(c, in, *slot_b), n);
  std::byte* const file = c.registers;
  if constexpr (is_integer<F>) {
    for (int block = 0; block < n / 8; ++block) {
      V8 lines[K];
      b.fill(block, lines);
      alignas(32) float sums[16][8];
      for (int row = 0; row < 16; ++row) {
        V8 s = {};
        for (int k = 0; k < K; ++k) s += a.of[row][k] * lines[k];
        __builtin_memcpy(sums[row], &s, 32);
      }
      F::Sums::add(file, r + block * per_block, keeps, sums);
    }
  } else {
    using Sums = typename F::Sums;
    int block = 0;
    const auto sums = [&](int i) { return r + i * per_block; };
    const auto old = [&](int i) { return keeps ? sums(i) : nullptr; };
    if (const SumRule* rule = rule_of(c, family_of<F>)) {
      return card_products<F>(*rule, file, r, keeps, n, a.of, b);
    }
#if defined(__AVX512F__)
    for (; block + 2 <= n / 8; block += 2) {
      V8 lines[2][K];
      b.fill(block, lines[0]);
      b.fill(block + 1, lines[1]);
      multiply_two<Sums, K>(file, sums(block), sums(block + 1), old(block), old(block + 1), a.of,
                            lines[0], lines[1]);
    }
#endif
    for (; block < n / 8; ++block) {
      V8 lines[K];
      b.fill(block, lines);
      multiply_block<Sums, K>(file, sums(block), old(block), a.of, lines);
    }
  }
}

/// Bits: A and B, sums of the bits that both have.
template <bool FromRegisters>
void bit_products(Context& c, const Inst& in, int n) {
  need_whole_warp(c, in, "a matrix product");
  count_reads(c, in, FromRegisters, n);
  const u32* r = c.lists + in.list;
  const u32* after_d = r + n / 2;
  const u32* slot_b = after_d + (FromRegisters ? 4 : 1);
  const bool keeps = c.predicates[slot_b[1]] & 1u;
  u32 a[16][8];
  if constexpr (FromRegisters) {
    using A = MmaA<B1x32, 16, 8>;
    for (int q = 0; q < 4; ++q) {
      for (int lane = 0; lane < 32; ++lane) {
        const int i = A::index.of[q][lane][0];
        a[i / 8][i % 8] = get<u32>(c.registers + after_d[q], lane);
      }
    }
  } else {
    const Descriptor d = descriptor(c, in, *after_d);
    Chunks<32> chunks;
    chunks.find(c, in, 32, true,
                [&](u32 i) { return d.along_k(16 * (c.warp % 4) + i / 2, i % 2); });
    for (int i = 0; i < 32; ++i) __builtin_memcpy(a[i / 2] + i % 2 * 4, chunks.at[i], 16);
  }
  const Descriptor d = descriptor(c, in, *slot_b);
  Chunks<kMostColumns * 2> chunks;
  chunks.find(c, in, 2 * n, c.warp % 4 == 0, [&](u32 i) { return d.along_k(i / 2, i % 2); });
  for (int column = 0; column < n; ++column) {
    u32 b[8];
    __builtin_memcpy(b, chunks.at[2 * column], 16);
    __builtin_memcpy(b + 4, chunks.at[2 * column + 1], 16);
    for (int row = 0; row < 16; ++row) {
      u32 sum = 0;
      for (int k = 0; k < 8; ++k) sum += static_cast<u32>(__builtin_popcount(a[row][k] & b[k]));
      const u32 slot = r[column / 8 * 4 + row / 8 * 2 + column % 2];
      u32* d_at = reinterpret_cast<u32*>(c.registers + slot) + 4 * (row % 8) + column % 8 / 2;
      *d_at = (keeps ? *d_at : 0) + sum;
    }
  }
}

// The rows: one for each n, of each family.

constexpr u32 kMostRows = 1200;
struct Table {
  struct Text {
    char of[72];
  };
  Row rows[kMostRows];
  Text patterns[kMostRows], operands[kMostRows];
  u32 count = 0;
};
Table g_table;

char* put(char* at, const char* text) {
  while (*text) *at++ = *text++;
  *at = '\0';
  return at;
}
char* put(char* at, int number) {
  if (number > 9) at = put(at, number / 10);
  *at++ = static_cast<char>('0' + number % 10);
  *at = '\0';
  return at;
}

/// Integers and bits have fewer n.
template <class F>
constexpr int n_of(int i) {
  return !is_integer<F> ? 8 * (i + 1) : i < 3 ? 8 * (i + 1) : 16 * (i - 1);
}

template <class F, int N>
void run(Context& c, const Inst& in) {
  if constexpr (F::bits) {
    bit_products<F::from_registers>(c, in, N);
  } else {
    products<F>(c, in, N);
  }
}

template <class F>
void add_row(int n, const char* types, Handler handler) {
  if (g_table.count == kMostRows) __builtin_trap();
  char* const pattern = g_table.patterns[g_table.count].of;
  char* const operands = g_table.operands[g_table.count].of;
  char* at = put(put(pattern, "wgmma mma_async sync aligned m64n"), n);
  put(put(put(put(at, "k"), F::bits ? 256 : F::K), " "), types);
  at = put(operands, std::is_same_v<typename F::Sums, FloatSums> ? "&F" : "&R");
  at = put(put(at, n / 8 * F::Sums::registers), F::from_registers ? "r4lp" : "llp");
  if (F::negates) at = put(at, "ii");
  if (F::turns) put(at, F::from_registers ? "i" : "ii");
  Row& row = g_table.rows[g_table.count++];
  row = warp_row(pattern, operands, handler, RowKind::warpgroup_product);
  if constexpr (!F::bits) {
    if constexpr (!is_integer<F>) row.sums = family_of<F>;
  }
}
template <class F, int... I>
void add_rows(const char* types, std::integer_sequence<int, I...>) {
  (add_row<F>(n_of<F>(I), types, &run<F, n_of<F>(I)>), ...);
}
template <class F>
void add_rows(const char* types) {
  add_rows<F>(types, std::make_integer_sequence < int, is_integer<F> ? 18 : 32 > {});
}

/// A in shared memory, and in registers.
template <class A, class B, class Sums, int K, bool Turns, bool Negates>
void add_both(const char* types) {
  add_rows<Form<A, B, Sums, K, false, Turns, Negates>>(types);
  add_rows<Form<A, B, Sums, K, true, Turns, Negates>>(types);
}
template <class A, class B>
void add_fp8(const char* to_f32, const char* to_f16) {
  add_both<A, B, FloatSums, 32, false, true>(to_f32);
  add_both<A, B, HalfSums, 32, false, true>(to_f16);
}
template <class A, class B>
void add_integers(const char* types, const char* clamped) {
  add_both<A, B, IntegerSums<false>, 32, false, false>(types);
  add_both<A, B, IntegerSums<true>, 32, false, false>(clamped);
}

bool fill() {
  add_both<F16, F16, FloatSums, 16, true, true>("f32 f16 f16");
  add_both<F16, F16, HalfSums, 16, true, true>("f16 f16 f16");
  add_both<Bf16, Bf16, FloatSums, 16, true, true>("f32 bf16 bf16");
  add_both<Tf32, Tf32, FloatSums, 8, false, true>("f32 tf32 tf32");
  add_fp8<E4m3, E4m3>("f32 e4m3 e4m3", "f16 e4m3 e4m3");
  add_fp8<E4m3, E5m2>("f32 e4m3 e5m2", "f16 e4m3 e5m2");
  add_fp8<E5m2, E4m3>("f32 e5m2 e4m3", "f16 e5m2 e4m3");
  add_fp8<E5m2, E5m2>("f32 e5m2 e5m2", "f16 e5m2 e5m2");
  add_integers<S8, S8>("s32 s8 s8", "satfinite s32 s8 s8");
  add_integers<S8, U8>("s32 s8 u8", "satfinite s32 s8 u8");
  add_integers<U8, S8>("s32 u8 s8", "satfinite s32 u8 s8");
  add_integers<U8, U8>("s32 u8 u8", "satfinite s32 u8 u8");
  add_rows<BitForm<false>>("s32 b1 b1 and popc");
  add_rows<BitForm<true>>("s32 b1 b1 and popc");
  return true;
}

}  // namespace

RowSpan wgmma_rows() {
  static const bool filled = fill();
  (void)filled;
  return {g_table.rows, g_table.count};
}

}  // namespace tilescope::emulator::TILESCOPE_ISA
