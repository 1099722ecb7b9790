// HGEMM with padded rows
// C [M, N] = A [M, K] * B [K, N], f16 with f32 sums, row-major, extents are multiples of 64. Rows
// of 64 halves of shared memory are padded, so that the rows that ldmatrix reads at once lie in
// other banks. Eight warps compute 16 x 32 elements of C each.
// As in: flashinfer-ai/flashinfer PR #636; explained by NVIDIA/cuda-samples, cudaTensorCoreGemm.cu
#define WORDS 32  // of a row, two halves each
#define PAD 1

template <bool Transposed>
__device__ void ldmatrix(unsigned (&r)[4], const unsigned* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
    return;
  }
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void hgemm_padded(const unsigned* A, const unsigned* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) unsigned As[64][WORDS + PAD], Bs[64][WORDS + PAD];
  const int tid = threadIdx.x, lane = tid % 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  const int wm = tid / 32 % 4 * 16, wn = tid / 128 * 32;
  float c[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int y = tid / 32; y < 64; y += 8) {
      As[y][lane] = A[((m0 + y) * K + k0) / 2 + lane];
      Bs[y][lane] = B[((k0 + y) * N + n0) / 2 + lane];
    }
    __syncthreads();
    for (int k = 0; k < 64; k += 16) {
      unsigned a[4], b[4];
      ldmatrix<false>(a, &As[wm + lane % 16][k / 2 + lane / 16 * 4]);
      for (int j = 0; j < 4; j += 2) {
        ldmatrix<true>(b, &Bs[k + lane % 16][wn / 2 + j * 4 + lane / 16 * 4]);
        mma(c[j], a, b[0], b[1]);
        mma(c[j + 1], a, b[2], b[3]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    float* to = &C[(m0 + wm + lane / 4) * N + n0 + wn + 8 * j + lane % 4 * 2];
    *reinterpret_cast<float2*>(to) = make_float2(c[j][0], c[j][1]);
    *reinterpret_cast<float2*>(to + 8 * N) = make_float2(c[j][2], c[j][3]);
  }
}
