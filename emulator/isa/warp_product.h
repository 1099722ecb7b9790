// D = A · B + C of one warp and eight columns: where all products of 16-bit reals and tf32 end,
// those of mma.sync and those of wgmma. Sums are read from and put to registers, A and B are
// widened before.
#pragma once
#include "emulator/isa/half_tile.h"

namespace tilescope::emulator::TILESCOPE_ISA {

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

/// D = A · B + C, 16 × 8; `d` and `c` are the slots of the sums, `c` null for zeros.
template <class Sums, int K>
inline void multiply_block(std::byte* file, const u32* d, const u32* c, const float (*a)[K],
                           const V8* b) {
  V8 s[16] =
      {};  // all are read before one is written: they may be the same registers, in any order
  if (c) {
#pragma GCC unroll 16
    for (int m = 0; m < 16; ++m) s[m] = Sums::get(file, c, m / 8, m % 8);
  }
  multiply_rows<Sums, K>(file, d, 0, a, b, s);
  multiply_rows<Sums, K>(file, d, 1, a + 8, b, s + 8);
}

#if defined(__AVX512F__)
/// Two products with the same A, beside each other: sixteen columns.
template <class Sums, int K>
inline void multiply_two(std::byte* file, const u32* d0, const u32* d1, const u32* c0,
                         const u32* c1, const float (*a)[K], const V8* b0, const V8* b1) {
  const auto beside = [](V8 x, V8 y) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(x), y, 1);
  };
  __m512 s[16];
  if (c0) {
#pragma GCC unroll 16
    for (int m = 0; m < 16; ++m) {
      s[m] = beside(Sums::get(file, c0, m / 8, m % 8), Sums::get(file, c1, m / 8, m % 8));
    }
  } else {
#pragma GCC unroll 16
    for (int m = 0; m < 16; ++m) s[m] = _mm512_setzero_ps();
  }
#pragma GCC unroll 1
  for (int k = 0; k < K; ++k) {
    const __m512 line = beside(b0[k], b1[k]);
#pragma GCC unroll 16
    for (int m = 0; m < 16; ++m) s[m] = _mm512_fmadd_ps(_mm512_set1_ps(a[m][k]), line, s[m]);
  }
#pragma GCC unroll 16
  for (int m = 0; m < 16; ++m) {
    Sums::put(file, d0, m / 8, m % 8, _mm512_castps512_ps256(s[m]));
    Sums::put(file, d1, m / 8, m % 8, _mm512_extractf32x8_ps(s[m], 1));
  }
}
#endif

}  // namespace tilescope::emulator::TILESCOPE_ISA
