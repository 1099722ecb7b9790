// ldmatrix, stmatrix and mma. A register of 16-bit elements over a warp *is* an 8 × 8 row-major
// half tile: lane l holds row l/4, columns 2(l%4) and +1, and its 128 bytes are that tile in order.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

void need_whole_warp(Context& c, const Inst& in, const char* what) {
  if (c.mask == 0xffffffffu) return;
  raise(in, Fault::Kind::partial_warp, static_cast<u32>(__builtin_ctz(~c.mask)), 0, what);
}

// Lanes 8q … 8q+7 address the rows of matrix q; the lanes above do nothing.
template <int Matrices, bool Store>
void matrix_addresses(Context& c, const Inst& in, u32 base, Access& a) {
  need_whole_warp(c, in, Store ? "stmatrix" : "ldmatrix");
  if constexpr (Matrices == 4) {
    read_addresses<true>(c, base, in.imm, 16, a);
    resolve_shared<true>(c, in, a, 16, Store);
  } else {
    set_mask(c, Matrices == 2 ? 0xffffu : 0xffu);
    read_addresses<false>(c, base, in.imm, 16, a);
    resolve_shared<false>(c, in, a, 16, Store);
    set_mask(c, 0xffffffffu);
  }
}

template <int Matrices, bool Transposed>
void load_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 3 ? c.lists + in.list : in.r;
  Access a;
  matrix_addresses<Matrices, false>(c, in, r[Matrices], a);
  for (int q = 0; q < Matrices; ++q) {
    u16* tile = reinterpret_cast<u16*>(c.registers + r[q]);
    for (int row = 0; row < 8; ++row) {
      if constexpr (Transposed) {
        u16 line[8];
        __builtin_memcpy(line, a.at(8 * q + row), 16);
        for (int col = 0; col < 8; ++col) tile[8 * col + row] = line[col];
      } else {
        __builtin_memcpy(tile + 8 * row, a.at(8 * q + row), 16);
      }
    }
  }
}
template <int Matrices, bool Transposed>
void store_matrix(Context& c, const Inst& in) {
  const u32* r = Matrices > 2 ? c.lists + in.list : in.r;  // the address, then registers
  Access a;
  matrix_addresses<Matrices, true>(c, in, r[0], a);
  for (int q = 0; q < Matrices; ++q) {
    const u16* tile = reinterpret_cast<const u16*>(c.registers + r[1 + q]);
    for (int row = 0; row < 8; ++row) {
      u16 line[8];
      for (int col = 0; col < 8; ++col)
        line[col] = Transposed ? tile[8 * col + row] : tile[8 * row + col];
      __builtin_memcpy(a.at(8 * q + row), line, 16);
    }
  }
}

typedef float V8 __attribute__((vector_size(32)));

inline V8 multiply_add(float a, V8 b, V8 c) {
#if defined(__FMA__)
  return _mm256_fmadd_ps(_mm256_set1_ps(a), b, c);
#else  // the product of two 16-bit reals is exact: the same result
  return a * b + c;
#endif
}

struct F16 {
  static void widen8(const u16* from, float* to) {
#if defined(__F16C__)
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
    for (int i = 0; i < 8; ++i) to[i] = half_to_float(from[i]);
#endif
  }
};
struct Bf16 {
  static void widen8(const u16* from, float* to) {
    for (int i = 0; i < 8; ++i) to[i] = bfloat_to_float(from[i]);
  }
};

// A [16][K] and B [K][8] as floats; C and D a row of 8 in a vector. Eight sums at a time keep both
// multipliers busy, and fit the registers.
template <int K>
inline void multiply(const float (*a)[K], const float (*b)[8], V8* d) {
  for (int m = 0; m < 16; m += 8) {
    V8 s0 = d[m], s1 = d[m + 1], s2 = d[m + 2], s3 = d[m + 3];
    V8 s4 = d[m + 4], s5 = d[m + 5], s6 = d[m + 6], s7 = d[m + 7];
    for (int k = 0; k < K; ++k) {
      V8 row;
      __builtin_memcpy(&row, b[k], 32);
      s0 = multiply_add(a[m][k], row, s0);
      s1 = multiply_add(a[m + 1][k], row, s1);
      s2 = multiply_add(a[m + 2][k], row, s2);
      s3 = multiply_add(a[m + 3][k], row, s3);
      s4 = multiply_add(a[m + 4][k], row, s4);
      s5 = multiply_add(a[m + 5][k], row, s5);
      s6 = multiply_add(a[m + 6][k], row, s6);
      s7 = multiply_add(a[m + 7][k], row, s7);
    }
    d[m] = s0, d[m + 1] = s1, d[m + 2] = s2, d[m + 3] = s3;
    d[m + 4] = s4, d[m + 5] = s5, d[m + 6] = s6, d[m + 7] = s7;
  }
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
    F16::widen8(reinterpret_cast<const u16*>(c.registers + r[row / 8]) + 8 * (row % 8), line);
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
    for (int row = 0; row < 8; ++row) T::widen8(tile + 8 * row, &a[8 * (q % 2) + row][8 * (q / 2)]);
  }
  for (int q = 0; q < K / 8; ++q) {
    const u16* tile = reinterpret_cast<const u16*>(c.registers + rb[q]);  // n × k
    for (int n = 0; n < 8; ++n) T::widen8(tile + 8 * n, b[8 * q + n]);
    transpose8(b + 8 * q);
  }
}
// tf32: a register is an 8 × 4 tile; 13 low bits are dropped.
struct Tf32 {};
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
  need_whole_warp(c, in, "mma.sync");
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
  multiply<padded>(a, b, d);
  DRegisters == 4 ? store_sums(c, r, d) : store_half_sums(c, r, d);
}

#define MATRIX(n, letters)                                                                         \
  warp_row("ldmatrix sync aligned m8n8 x" #n " shared|shared::cta b16", "R" letters "A",           \
           &load_matrix<n, false>, RowKind::load_shared, 16),                                      \
      warp_row("ldmatrix sync aligned m8n8 x" #n " trans shared|shared::cta b16", "R" letters "A", \
               &load_matrix<n, true>, RowKind::load_shared, 16),                                   \
      warp_row("stmatrix sync aligned m8n8 x" #n " shared|shared::cta b16", "Ar" letters,          \
               &store_matrix<n, false>, RowKind::store_shared, 16),                                \
      warp_row("stmatrix sync aligned m8n8 x" #n " trans shared|shared::cta b16", "Ar" letters,    \
               &store_matrix<n, true>, RowKind::store_shared, 16)
#define MMA(shape, types, operands, T, K, D) \
  warp_row("mma sync aligned " shape " row col " types, operands, &mma<T, K, D>, RowKind::mma)

const Row kRows[] = {
    MATRIX(1, "1"),
    MATRIX(2, "2"),
    MATRIX(4, "4"),
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

RowSpan matrix_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
