// mma.sync of 16-bit reals and tf32, by hand where product.h is general: the kernels that matter
// spend their time here. They come in runs in which each A meets several B's, so what has been
// widened is kept for the run.
#include "emulator/isa/half_tile.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// The last few operands, widened, by their registers' slots.
template <class Wide, int Count>
class Kept {
 public:
  Kept() { forget(); }
  void forget() {
    __builtin_memset(held_, 0, sizeof held_);
    for (auto& slots : slots_) slots[0] = ~0u;
  }
  /// `other`: is kept, whatever has to go.
  const Wide& get(const std::byte* file, const u32* r, const Wide* other = nullptr) {
    for (int n = 0; n < Count; ++n) {
      if (__builtin_memcmp(slots_[last_], r, sizeof slots_[last_]) == 0) return wide_[last_];
      last_ = (last_ + 1) % Count;
    }
    last_ = next_;
    if (&wide_[last_] == other) last_ = (last_ + 1) % Count;
    next_ = (last_ + 1) % Count;
    __builtin_memcpy(slots_[last_], r, sizeof slots_[last_]);
    for (u32 slot : slots_[last_]) word(slot) |= bit(slot);
    wide_[last_].fill(file, r);
    return wide_[last_];
  }
  /// Registers have been written, of which some might be held.
  void written(const u32* r, int count) {
    u64 any = 0;
    for (int i = 0; i < count; ++i) any |= word(r[i]) & bit(r[i]);
    if (__builtin_expect(any != 0, 0)) forget();
  }

 private:
  u64& word(u32 slot) { return held_[(slot >> 13) % 16]; }
  static u64 bit(u32 slot) { return 1ull << ((slot >> 7) % 64); }

  u32 slots_[Count][Wide::registers];
  int last_ = 0, next_ = 0;
  u64 held_[16];  // a set of slots / 128, modulo 1024
  Wide wide_[Count];
};

/// The operands of one instruction: r[0…] of D, then A, B, C.
template <class T, int K, class Sums>
struct Operands {
  static constexpr int first_a = Sums::registers, first_b = first_a + WideA<T, K>::registers,
                       first_c = first_b + WideB<T, K>::registers, end = first_c + Sums::registers;
};

template <class Sums, int K>
inline void multiply_rows(std::byte* file, const u32* r, int half, const float (*a)[K], const V8* b,
                          const V8* s) {
#if defined(__wasm_simd128__)
  // A V8 is two registers there, and of an x86 host's sixteen eight are enough for sums.
  for (int part = 0; part < 8; part += 4) {
    V8 t0 = s[part], t1 = s[part + 1], t2 = s[part + 2], t3 = s[part + 3];
    const float(*const rows)[K] = a + part;
    for (int k = 0; k < K; ++k) {
      const V8 line = b[k];
      t0 = multiply_add(rows[0][k], line, t0);
      t1 = multiply_add(rows[1][k], line, t1);
      t2 = multiply_add(rows[2][k], line, t2);
      t3 = multiply_add(rows[3][k], line, t3);
    }
    Sums::put(file, r, half, part, t0);
    Sums::put(file, r, half, part + 1, t1);
    Sums::put(file, r, half, part + 2, t2);
    Sums::put(file, r, half, part + 3, t3);
  }
#else
  V8 s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3], s4 = s[4], s5 = s[5], s6 = s[6], s7 = s[7];
#pragma GCC unroll 2
  for (int k = 0; k < K; ++k) {  // eight sums keep both multipliers busy, and fit the registers
    const V8 line = b[k];
    s0 = multiply_add(a[0][k], line, s0);
    s1 = multiply_add(a[1][k], line, s1);
    s2 = multiply_add(a[2][k], line, s2);
    s3 = multiply_add(a[3][k], line, s3);
    s4 = multiply_add(a[4][k], line, s4);
    s5 = multiply_add(a[5][k], line, s5);
    s6 = multiply_add(a[6][k], line, s6);
    s7 = multiply_add(a[7][k], line, s7);
  }
  const V8 sums[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
#pragma GCC unroll 8
  for (int row = 0; row < 8; ++row) Sums::put(file, r, half, row, sums[row]);
#endif
}

template <class T, int K, class Sums>
inline void multiply_one(std::byte* file, const u32* r, const WideA<T, K>& a,
                         const WideB<T, K>& b) {
  V8 s[16];  // all are read before one is written: they may be the same registers, in any order
#pragma GCC unroll 16
  for (int m = 0; m < 16; ++m) {
    s[m] = Sums::get(file, r + Operands<T, K, Sums>::first_c, m / 8, m % 8);
  }
  multiply_rows<Sums, WideA<T, K>::deep>(file, r, 0, a.of, b.of, s);
  multiply_rows<Sums, WideA<T, K>::deep>(file, r, 1, a.of + 8, b.of, s + 8);
}

#if defined(__AVX512F__)
// Two products with the same A, beside each other: sixteen columns.
template <class T, int K, class Sums>
inline void multiply_two(std::byte* file, const u32* r0, const u32* r1, const WideA<T, K>& a,
                         const WideB<T, K>& b0, const WideB<T, K>& b1) {
  constexpr int first_c = Operands<T, K, Sums>::first_c;
  const auto beside = [](V8 x, V8 y) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(x), y, 1);
  };
  __m512 s[16];
#pragma GCC unroll 16
  for (int m = 0; m < 16; ++m) {
    s[m] = beside(Sums::get(file, r0 + first_c, m / 8, m % 8),
                  Sums::get(file, r1 + first_c, m / 8, m % 8));
  }
#pragma GCC unroll 1
  for (int k = 0; k < WideA<T, K>::deep; ++k) {
    const __m512 line = beside(b0.of[k], b1.of[k]);
#pragma GCC unroll 16
    for (int m = 0; m < 16; ++m) s[m] = _mm512_fmadd_ps(_mm512_set1_ps(a.of[m][k]), line, s[m]);
  }
#pragma GCC unroll 16
  for (int m = 0; m < 16; ++m) {
    Sums::put(file, r0, m / 8, m % 8, _mm512_castps512_ps256(s[m]));
    Sums::put(file, r1, m / 8, m % 8, _mm512_extractf32x8_ps(s[m], 1));
  }
}

// The second product has the first one's A, and needs nothing that the first one writes.
template <class T, int K, class Sums>
inline bool go_together(const u32* r0, const u32* r1) {
  using O = Operands<T, K, Sums>;
  if (__builtin_memcmp(r0 + O::first_a, r1 + O::first_a, 4 * WideA<T, K>::registers) != 0)
    return false;
  constexpr __mmask16 sources = (1u << (O::end - O::first_a)) - 1;
  const __m512i read = _mm512_maskz_loadu_epi32(sources, r1 + O::first_a);
  __mmask16 hit = 0;
  for (int i = 0; i < Sums::registers; ++i) {
    hit |= _mm512_mask_cmpeq_epi32_mask(sources, read, _mm512_set1_epi32(static_cast<int>(r0[i])));
  }
  return hit == 0;
}
#endif

template <class T, int K, class Sums>
const Inst* mma_run(Context& c, const Inst* in, const Inst* end) {
  using O = Operands<T, K, Sums>;
  Kept<WideA<T, K>, 4> some_a;
  Kept<WideB<T, K>, 8> some_b;
  std::byte* const file = c.registers;
  const u16 row = in->row;
  const auto goes_on = [&](const Inst* i) { return i != end && i->row == row && i->guard == 0; };
  const auto wrote = [&](const u32* r) {
    some_a.written(r, Sums::registers);
    some_b.written(r, Sums::registers);
  };
  do {
    const u32* r = c.lists + in->list;
    const WideA<T, K>& a = some_a.get(file, r + O::first_a);
    const WideB<T, K>& b = some_b.get(file, r + O::first_b);
#if defined(__AVX512F__)
    const u32* next = goes_on(in + 1) ? c.lists + in[1].list : nullptr;
    if (next && go_together<T, K, Sums>(r, next)) {
      multiply_two<T, K, Sums>(file, r, next, a, b, some_b.get(file, next + O::first_b, &b));
      wrote(r);
      wrote(next);
      ++in;
      continue;
    }
#endif
    multiply_one<T, K, Sums>(file, r, a, b);
    wrote(r);
  } while (goes_on(++in));
  return in;
}
template <class T, int K, class Sums>
void mma(Context& c, const Inst& in) {
  need_whole_warp(c, in, "a matrix product");
  mma_run<T, K, Sums>(c, &in, &in + 1);
}

#define MMA(shape, types, operands, T, K, Sums)                                                \
  Row {                                                                                        \
    "mma sync aligned " shape " row col " types, operands, &mma<T, K, Sums>, &mma<T, K, Sums>, \
        RowKind::mma, 0, &mma_run<T, K, Sums>                                                  \
  }

const Row kRows[] = {
    MMA("m16n8k16", "f32 f16 f16 f32", "F4r4r2f4", F16, 16, FloatSums),
    MMA("m16n8k16", "f16 f16 f16 f16", "R2r4r2r2", F16, 16, HalfSums),
    MMA("m16n8k16", "f32 bf16 bf16 f32", "F4r4r2f4", Bf16, 16, FloatSums),
    MMA("m16n8k8", "f32 f16 f16 f32", "F4r2r1f4", F16, 8, FloatSums),
    MMA("m16n8k8", "f16 f16 f16 f16", "R2r2r1r2", F16, 8, HalfSums),
    MMA("m16n8k8", "f32 bf16 bf16 f32", "F4r2r1f4", Bf16, 8, FloatSums),
    MMA("m16n8k8", "f32 tf32 tf32 f32", "F4r4r2f4", Tf32, 8, FloatSums),
    MMA("m16n8k4", "f32 tf32 tf32 f32", "F4r2r1f4", Tf32, 4, FloatSums),
};

}  // namespace

RowSpan mma_real_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
