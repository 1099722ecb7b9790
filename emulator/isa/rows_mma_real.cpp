// mma.sync of 16-bit reals and tf32, by hand where product.h is general: the kernels that matter
// spend their time here. A register of 16-bit elements over a warp *is* an 8 × 8 row-major half
// tile: lane l holds row l/4, columns 2(l%4) and +1, and its 128 bytes are that tile in order.
#include "emulator/isa/product.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
inline void widen8(const u16* from, float* to) {
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, F16>) {
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (std::is_same_v<T, Bf16>) {
    const __m256i words =
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    _mm256_storeu_ps(to, _mm256_castsi256_ps(_mm256_slli_epi32(words, 16)));
    return;
  }
#endif
  for (int i = 0; i < 8; ++i) to[i] = T::widen(from[i]);
}

inline void transpose8(float (*t)[8]) {
#if defined(__AVX2__)
  __m256 r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(t[i]);
  for (int i = 0; i < 8; i += 2) {
    s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(t[i], _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(t[i + 4], _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
#else
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) {
      const float x = t[i][j];
      t[i][j] = t[j][i];
      t[j][i] = x;
    }
  }
#endif
}

// Accumulators in f32: register 2h holds the even columns of rows 8h + lane/4, 2h+1 the odd ones.
inline void load_sums(const Context& c, const u32* r, V8* d) {
  for (int half = 0; half < 2; ++half) {
    const float* even = reinterpret_cast<const float*>(c.registers + r[2 * half]);
    const float* odd = reinterpret_cast<const float*>(c.registers + r[2 * half + 1]);
    for (int row = 0; row < 8; ++row) {
      const float* e = even + 4 * row;
      const float* o = odd + 4 * row;
#if defined(__AVX2__)
      const __m128 x = _mm_loadu_ps(e), y = _mm_loadu_ps(o);
      d[8 * half + row] = _mm256_set_m128(_mm_unpackhi_ps(x, y), _mm_unpacklo_ps(x, y));
#else
      d[8 * half + row] = V8{e[0], o[0], e[1], o[1], e[2], o[2], e[3], o[3]};
#endif
    }
  }
}
inline void store_sums(Context& c, const u32* r, const V8* d) {
  for (int half = 0; half < 2; ++half) {
    float* even = reinterpret_cast<float*>(c.registers + r[2 * half]);
    float* odd = reinterpret_cast<float*>(c.registers + r[2 * half + 1]);
    for (int row = 0; row < 8; ++row) {
      const V8 v = d[8 * half + row];
#if defined(__AVX2__)
      const __m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);
      _mm_storeu_ps(even + 4 * row, _mm_shuffle_ps(low, high, 0x88));
      _mm_storeu_ps(odd + 4 * row, _mm_shuffle_ps(low, high, 0xdd));
#else
      for (int j = 0; j < 4; ++j) {
        even[4 * row + j] = v[2 * j];
        odd[4 * row + j] = v[2 * j + 1];
      }
#endif
    }
  }
}
// Accumulators in f16: a register is a half tile.
inline void load_half_sums(const Context& c, const u32* r, V8* d) {
  for (int row = 0; row < 16; ++row) {
    float line[8];
    widen8<F16>(reinterpret_cast<const u16*>(c.registers + r[row / 8]) + 8 * (row % 8), line);
    __builtin_memcpy(&d[row], line, 32);
  }
}
inline void store_half_sums(Context& c, const u32* r, const V8* d) {
  for (int row = 0; row < 16; ++row) {
    u16* tile = reinterpret_cast<u16*>(c.registers + r[row / 8]) + 8 * (row % 8);
    for (int j = 0; j < 8; ++j) tile[j] = float_to_half(d[row][j]);
  }
}

// 16-bit inputs: A in K/4 registers (rows 0-7, 8-15; then the next 8 of k), B in K/8.
template <class T, int K>
inline void load_inputs(const Context& c, const u32* ra, const u32* rb, float (*a)[K],
                        float (*b)[8]) {
  for (int q = 0; q < K / 4; ++q) {
    const u16* tile = reinterpret_cast<const u16*>(c.registers + ra[q]);
    for (int row = 0; row < 8; ++row) widen8<T>(tile + 8 * row, &a[8 * (q % 2) + row][8 * (q / 2)]);
  }
  for (int q = 0; q < K / 8; ++q) {
    const u16* tile = reinterpret_cast<const u16*>(c.registers + rb[q]);  // n × k
    for (int n = 0; n < 8; ++n) widen8<T>(tile + 8 * n, b[8 * q + n]);
    transpose8(b + 8 * q);
  }
}
// tf32: a register is an 8 × 4 tile; 13 low bits are dropped.
template <int K>
inline void load_tf32(const Context& c, const u32* ra, const u32* rb, float (*a)[K],
                      float (*b)[8]) {
  for (int q = 0; q < K / 2; ++q) {
    const u32* tile = reinterpret_cast<const u32*>(c.registers + ra[q]);
    for (int l = 0; l < 32; ++l) {
      a[8 * (q % 2) + l / 4][4 * (q / 2) + l % 4] = bits_float(tile[l] & 0xffffe000u);
    }
  }
  for (int q = 0; q < K / 4; ++q) {
    const u32* tile = reinterpret_cast<const u32*>(c.registers + rb[q]);
    for (int l = 0; l < 32; ++l) b[4 * q + l % 4][l / 4] = bits_float(tile[l] & 0xffffe000u);
  }
}

template <class T, int K, int DRegisters>
void mma(Context& c, const Inst& in) {
  constexpr bool tf32 = std::is_same_v<T, Tf32>;
  constexpr int a_registers = tf32 ? K / 2 : K / 4, b_registers = tf32 ? K / 4 : K / 8;
  constexpr int padded = K < 8 ? 8 : K;  // multiply() works on 8 of k at a time
  need_whole_warp(c, in, "a matrix product");
  const u32* r = c.lists + in.list;
  alignas(32) float a[16][padded], b[padded][8];
  V8 d[16];
  const u32* rc = r + DRegisters + a_registers + b_registers;
  if constexpr (tf32 && K < 8) {
    float narrow[16][K];
    __builtin_memset(a, 0, sizeof a);
    __builtin_memset(b, 0, sizeof b);
    load_tf32<K>(c, r + DRegisters, r + DRegisters + a_registers, narrow, b);
    for (int m = 0; m < 16; ++m) __builtin_memcpy(a[m], narrow[m], sizeof narrow[m]);
  } else if constexpr (tf32) {
    load_tf32<K>(c, r + DRegisters, r + DRegisters + a_registers, a, b);
  } else {
    load_inputs<T, K>(c, r + DRegisters, r + DRegisters + a_registers, a, b);
  }
  DRegisters == 4 ? load_sums(c, rc, d) : load_half_sums(c, rc, d);
  multiply<16, 8, padded>(a, b, d);
  DRegisters == 4 ? store_sums(c, r, d) : store_half_sums(c, r, d);
}

#define MMA(shape, types, operands, T, K, D) \
  warp_row("mma sync aligned " shape " row col " types, operands, &mma<T, K, D>, RowKind::mma)

const Row kRows[] = {
    MMA("m16n8k16", "f32 f16 f16 f32", "F4r4r2f4", F16, 16, 4),
    MMA("m16n8k16", "f16 f16 f16 f16", "R2r4r2r2", F16, 16, 2),
    MMA("m16n8k16", "f32 bf16 bf16 f32", "F4r4r2f4", Bf16, 16, 4),
    MMA("m16n8k8", "f32 f16 f16 f32", "F4r2r1f4", F16, 8, 4),
    MMA("m16n8k8", "f16 f16 f16 f16", "R2r2r1r2", F16, 8, 2),
    MMA("m16n8k8", "f32 bf16 bf16 f32", "F4r2r1f4", Bf16, 8, 4),
    MMA("m16n8k8", "f32 tf32 tf32 f32", "F4r4r2f4", Tf32, 8, 4),
    MMA("m16n8k4", "f32 tf32 tf32 f32", "F4r2r1f4", Tf32, 4, 4),
};

}  // namespace

RowSpan mma_real_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
