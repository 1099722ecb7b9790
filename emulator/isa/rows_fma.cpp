// fma.rn.f32, the innermost instruction of most kernels without matrix products. Also built for
// AVX-512, where its runs take two thirds of the time.
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr auto kFused = [](f32 a, f32 b, f32 c) -> f32 { return __builtin_fmaf(a, b, c); };
using OneByOne = Lanes<kFused, f32 (*)(f32, f32, f32)>;

#if defined(__FMA__)
#if defined(__AVX512F__)
using Wide = __m512;
inline Wide load(const std::byte* p) { return _mm512_load_ps(p); }
inline void store(std::byte* p, Wide v) { _mm512_store_ps(p, v); }
inline Wide fused(Wide a, Wide b, Wide c) { return _mm512_fmadd_ps(a, b, c); }
#else
using Wide = __m256;
inline Wide load(const std::byte* p) { return _mm256_load_ps(reinterpret_cast<const float*>(p)); }
inline void store(std::byte* p, Wide v) { _mm256_store_ps(reinterpret_cast<float*>(p), v); }
inline Wide fused(Wide a, Wide b, Wide c) { return _mm256_fmadd_ps(a, b, c); }
#endif
constexpr int kParts = 128 / static_cast<int>(sizeof(Wide));

// Outer products multiply one element of A by a row of B: as long as the first factor's register
// stays the same, its lanes stay in the host's registers. Loads are what such a run waits for.
const Inst* run(Context& c, const Inst* in, const Inst* end) {
  const u16 row = in->row;
  std::byte* const file = c.registers;
  Wide a[kParts] = {};
  u32 held = ~0u;
  do {
    if (in->r[1] != held) {
      held = in->r[1];
#pragma GCC unroll 4
      for (int i = 0; i < kParts; ++i) a[i] = load(file + held + sizeof(Wide) * i);
    }
    std::byte* d = file + in->r[0];
    const std::byte *b = file + in->r[2], *s = file + in->r[3];
#pragma GCC unroll 4
    for (size_t i = 0; i < sizeof(Wide) * kParts; i += sizeof(Wide)) {
      store(d + i, fused(a[i / sizeof(Wide)], load(b + i), load(s + i)));
    }
    if (in->r[0] == held) held = ~0u;
  } while (++in != end && in->row == row && in->guard == 0);
  return in;
}
#elif defined(__wasm_simd128__)
// WebAssembly has no fused multiply-add. A product of two floats is exact as a double; the sum is
// then rounded twice, to double and to float, which differs from rounding once only where the
// double lies in the middle between two floats, and where the float is subnormal: such warps are
// done again lane by lane.
struct Sums {
  v128_t first, second;  // two f64 each
};
inline v128_t wide(const std::byte* p) {
  return wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p));
}
inline v128_t sum_of(const std::byte* a, const std::byte* b, const std::byte* c) {
  return wasm_f64x2_add(wasm_f64x2_mul(wide(a), wide(b)), wide(c));
}
/// Lanes that have to be done again, of four sums.
inline v128_t hard(const Sums& s) {
  const v128_t low = wasm_i32x4_shuffle(s.first, s.second, 0, 2, 4, 6);
  const v128_t high = wasm_i32x4_shuffle(s.first, s.second, 1, 3, 5, 7);
  // The 29 bits that a float has not: a one and zeros.
  const v128_t tie = wasm_i32x4_eq(wasm_i32x4_shl(low, 3), wasm_i32x4_const_splat(INT32_MIN));
  // |s| in (0, 2^-126): its upper word without the sign, doubled, is neither 0 nor that of 2^-126.
  constexpr u32 kLeast = 0x38100000u << 1;
  const v128_t small =
      wasm_u32x4_lt(wasm_i32x4_sub(wasm_i32x4_shl(high, 1), wasm_i32x4_const_splat(1)),
                    wasm_i32x4_splat(static_cast<s32>(kLeast - 1)));
  return wasm_v128_or(tie, small);
}

const Inst* run(Context& c, const Inst* in, const Inst* end) {
  const u16 row = in->row;
  std::byte* const file = c.registers;
  do {
    std::byte* const d = file + in->r[0];
    const std::byte *const a = file + in->r[1], *const b = file + in->r[2],
                           *const s = file + in->r[3];
    v128_t again = wasm_i32x4_const_splat(0), out[8];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) {
      const int at = 16 * i;
      const Sums sums{sum_of(a + at, b + at, s + at), sum_of(a + at + 8, b + at + 8, s + at + 8)};
      again = wasm_v128_or(again, hard(sums));
      out[i] = wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(sums.first),
                                  wasm_f32x4_demote_f64x2_zero(sums.second), 0, 1, 4, 5);
    }
    if (__builtin_expect(wasm_v128_any_true(again), 0)) {
      OneByOne::full_run(c, in, in + 1);
      continue;
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) wasm_v128_store(d + 16 * i, out[i]);
  } while (++in != end && in->row == row && in->guard == 0);
  return in;
}
#else
const Inst* run(Context& c, const Inst* in, const Inst* end) {
  return OneByOne::full_run(c, in, end);
}
#endif

const Row kRows[] = {Row{.pattern = "fma|mad rn? f32",
                         .operands = OneByOne::Letters::text,
                         .full = &OneByOne::full,
                         .masked = &OneByOne::masked,
                         .kind = RowKind::fma,
                         .run = &run}};

}  // namespace

RowSpan fma_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
