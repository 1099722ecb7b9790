#include "worker/engine/gpu/gpu_kernels.h"

namespace tilescope::worker {

// ts_fill computes what operand_value() of operands.cpp does, and ts_compare what Comparison of
// verify.cpp does; a test runs them in the emulator and compares.
const char* const kGpuKernelsSource = R"cuda(
typedef unsigned long long u64;
struct Fill { u64 to, count, seed_mixed; int type, exact; u64 first, cols, leading; };
struct Matrix { u64 first; long long row_step, col_step; int type, unused; };
struct Reference { Matrix a, b, c; u64 out; int m, n, k; float alpha, beta; int bias_type; u64 bias; };
struct Compare { Matrix out; u64 reference, partials, count; int n; unsigned untouched; double most; };
struct Place { u64 from, to, from_pitch, to_pitch, words, lines; int word, unused; };
struct Partial {
  double difference, reference, worst;
  long long worst_index;
  u64 nan, infinite, untouched;
  long long none_index, first_index;
};
static_assert(sizeof(Fill) == 56 && sizeof(Reference) == 136 && sizeof(Compare) == 72 &&
              sizeof(Partial) == 72);

constexpr int kF16 = 0, kBf16 = 1, kF64 = 4, kE4m3 = 5, kE5m2 = 6;

__device__ u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
__device__ unsigned short to_half(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
__device__ float from_half(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ unsigned short to_bfloat(float value) {
  const unsigned bits = __float_as_uint(value);
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
// As half.h of the host has it; cards before 8.9 have no instruction for it.
__device__ int mantissa_of(int type) { return type == kE4m3 ? 3 : 2; }
__device__ int lowest_of(int type) { return type == kE4m3 ? -6 : -14; }
__device__ float power_of_2(int exponent) { return __uint_as_float((unsigned)(exponent + 127) << 23); }
__device__ unsigned char to_eight_bits(int type, float value) {
  const unsigned bits = __float_as_uint(value), sign = bits >> 24 & 0x80;
  const unsigned largest = type == kE4m3 ? 0x7e : 0x7b;
  if ((bits & 0x7fffffff) > 0x7f800000) return (unsigned char)(sign | 0x7f);
  const int own = (int)(bits >> 23 & 0xff) - 127, lowest = lowest_of(type);
  const int exponent = own > lowest ? own : lowest;
  if (exponent > 16) return (unsigned char)(sign | largest);
  const float steps =
      rintf(__uint_as_float(bits & 0x7fffffff) * power_of_2(mantissa_of(type) - exponent));
  const unsigned size =
      ((unsigned)(exponent - lowest) << mantissa_of(type)) + (unsigned)(int)steps;
  return (unsigned char)(sign | (size < largest ? size : largest));
}
__device__ float from_eight_bits(int type, unsigned bits) {
  const int mantissa = mantissa_of(type);
  const unsigned size = bits & 0x7f, exponent = size >> mantissa;
  const unsigned fraction = size & ((1u << mantissa) - 1);
  float value = (float)(fraction + (exponent == 0 ? 0 : 1u << mantissa)) *
                power_of_2((exponent == 0 ? 0 : (int)exponent - 1) + lowest_of(type) - mantissa);
  if (type == kE4m3 ? size == 0x7f : exponent == 31) {
    value = __uint_as_float(type == kE5m2 && fraction == 0 ? 0x7f800000 : 0x7fc00000);
  }
  return (bits & 0x80) != 0 ? -value : value;
}
__device__ double load(u64 buffer, int type, u64 index) {
  if (type == kF64) return ((const double*)buffer)[index];
  if (type == kF16) return from_half(((const unsigned short*)buffer)[index]);
  if (type == kBf16) return __uint_as_float((unsigned)((const unsigned short*)buffer)[index] << 16);
  if (type == kE4m3 || type == kE5m2) {
    return from_eight_bits(type, ((const unsigned char*)buffer)[index]);
  }
  return ((const float*)buffer)[index];
}
__device__ double load(const Matrix& m, long long row, long long col) {
  return load(m.first, m.type, (u64)(row * m.row_step + col * m.col_step));
}

extern "C" __global__ void __launch_bounds__(256) ts_fill(const Fill f) {
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < f.count; i += step) {
    const u64 index = f.first + i / f.cols * f.leading + i % f.cols;
    const u64 bits = mix(index ^ f.seed_mixed);
    const float value = f.exact ? ((float)(bits % 17) - 8.0f) / 8.0f
                                : (float)((int)(bits >> 40) - (1 << 23)) * 0x1p-23f;
    if (f.type == kF16) {
      ((unsigned short*)f.to)[i] = to_half(value);
    } else if (f.type == kBf16) {
      ((unsigned short*)f.to)[i] = to_bfloat(value);
    } else if (f.type == kE4m3 || f.type == kE5m2) {
      ((unsigned char*)f.to)[i] = to_eight_bits(f.type, value);
    } else {
      ((float*)f.to)[i] = value;
    }
  }
}

// 64 x 64 of C per block, 4 x 4 per thread, slices of 16 in shared memory.
extern "C" __global__ void __launch_bounds__(256) ts_reference(const Reference r) {
  // A and B of a slice, [k, m] and [k, n] double; the 65th column keeps banks apart.
  __shared__ double a[16][64 + 1], b[16][64 + 1];
  const int tiles_n = (r.n + 63) / 64;
  const int row0 = (int)(blockIdx.x / tiles_n) * 64, col0 = (int)(blockIdx.x % tiles_n) * 64;
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  const bool a_by_rows = r.a.col_step == 1, b_by_rows = r.b.col_step == 1;
  double sum[4][4] = {};
  for (int k0 = 0; k0 < r.k; k0 += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
      const int a_outer = a_by_rows ? i / 16 : i % 64, a_k = a_by_rows ? i % 16 : i / 64;
      const int b_outer = b_by_rows ? i % 64 : i / 16, b_k = b_by_rows ? i / 64 : i % 16;
      const int row = row0 + a_outer, col = col0 + b_outer, ka = k0 + a_k, kb = k0 + b_k;
      a[a_k][a_outer] = row < r.m && ka < r.k ? (double)load(r.a, row, ka) : 0.0;
      b[b_k][b_outer] = col < r.n && kb < r.k ? (double)load(r.b, kb, col) : 0.0;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      double x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = a[k][ty + 16 * i], y[i] = b[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + ty + 16 * i, col = col0 + tx + 16 * j;
      if (row >= r.m || col >= r.n) continue;
      double value = (double)r.alpha * sum[i][j];
      if (r.beta != 0.0f) value += (double)r.beta * (double)load(r.c, row, col);
      if (r.bias != 0) value += (double)load(r.bias, r.bias_type, (u64)col);
      ((double*)r.out)[(u64)row * r.n + col] = value;
    }
  }
}

template <class Word>
__device__ void place(const Place& p) {
  for (u64 line = blockIdx.x; line < p.lines; line += gridDim.x) {
    const Word* from = (const Word*)p.from + line * p.from_pitch;
    Word* to = (Word*)p.to + line * p.to_pitch;
    for (u64 i = threadIdx.x; i < p.words; i += blockDim.x) to[i] = from[i];
  }
}
extern "C" __global__ void __launch_bounds__(256) ts_place(const Place p) {
  if (p.word == 16) {
    place<uint4>(p);
  } else if (p.word == 4) {
    place<unsigned>(p);
  } else if (p.word == 1) {
    place<unsigned char>(p);
  } else {
    place<unsigned short>(p);
  }
}

// Still what C was filled with before the run.
__device__ bool is_untouched(const Matrix& m, long long row, long long col, unsigned word) {
  const u64 index = (u64)(row * m.row_step + col * m.col_step);
  if (m.type == kF64) return false;
  if (m.type == kF16 || m.type == kBf16)
    return ((const unsigned short*)m.first)[index] == (word & 0xffff);
  return ((const unsigned*)m.first)[index] == word;
}
__device__ long long first_of(long long a, long long b) {
  return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

__device__ void add(Partial& to, const Partial& other) {
  to.difference += other.difference;
  to.reference += other.reference;
  if (other.worst > to.worst || to.worst_index < 0) {
    to.worst = other.worst, to.worst_index = other.worst_index;
  }
  to.nan += other.nan, to.infinite += other.infinite, to.untouched += other.untouched;
  to.none_index = first_of(to.none_index, other.none_index);
  to.first_index = first_of(to.first_index, other.first_index);
}

extern "C" __global__ void __launch_bounds__(256) ts_compare(const Compare c) {
  __shared__ Partial partial[256];  // [threads], added up in a tree below
  Partial mine = {0.0, 0.0, 0.0, -1, 0, 0, 0, -1, -1};
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < c.count; i += step) {
    const double expected = ((const double*)c.reference)[i];
    const long long row = (long long)(i / c.n), col = (long long)(i % c.n);
    const double found = load(c.out, row, col);
    double difference = found - expected;
    difference = difference < 0.0 ? -difference : difference;
    if (difference < __longlong_as_double(0x7ff0000000000000ll)) {
      mine.difference += difference * difference;
      mine.reference += expected * expected;
      if (difference > mine.worst || mine.worst_index < 0) {
        mine.worst = difference, mine.worst_index = (long long)i;
      }
      if (difference > c.most) mine.first_index = first_of(mine.first_index, (long long)i);
      continue;
    }
    if (found == found) {
      ++mine.infinite;
    } else if (is_untouched(c.out, row, col, c.untouched)) {
      ++mine.untouched;
    } else {
      ++mine.nan;
    }
    mine.none_index = first_of(mine.none_index, (long long)i);
    mine.first_index = first_of(mine.first_index, (long long)i);
  }
  partial[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int t = 1; t < 256; ++t) add(mine, partial[t]);
  ((Partial*)c.partials)[blockIdx.x] = mine;
}
)cuda";

}  // namespace tilescope::worker
