// HGEMM with B as it lies
// C [M, N] = A [M, K] * B [K, N], f16 with f32 sums, row-major, extents are multiples of 32. Tiles
// of A and B lie in shared memory as in global memory, rows of 32 halves, swizzled; ldmatrix brings
// them to the lanes in the order that mma wants.
// As in: TiledTensor/TiledCUDA PR #60, NVIDIA/cutlass issue #1226
template <bool Transposed>
__device__ void ldmatrix(unsigned (&r)[4], const uint4* row) {
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
__device__ int chunk_at(int row, int chunk) { return row * 4 + (chunk ^ (row / 2 % 4)); }

__global__ void hgemm_rows(const uint4* A, const uint4* B, float* C, int M, int N, int K) {
  __shared__ uint4 As[32 * 4], Bs[32 * 4];
  const int tid = threadIdx.x, lane = tid % 32, wm = tid / 32 % 2 * 16, wn = tid / 64 * 16;
  const int row = tid / 4, chunk = tid % 4, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
  float c[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[chunk_at(row, chunk)] = A[((m0 + row) * K + k0) / 8 + chunk];
    Bs[chunk_at(row, chunk)] = B[((k0 + row) * N + n0) / 8 + chunk];
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      unsigned a[4], b[4];
      ldmatrix<false>(a, &As[chunk_at(wm + lane % 16, k / 8 + lane / 16)]);
      ldmatrix<false>(b, &Bs[chunk_at(k + lane % 16, wn / 8 + lane / 16)]);
      mma(c[0], a, b[0], b[1]);
      mma(c[1], a, b[2], b[3]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j) {
    float* to = &C[(m0 + wm + lane / 4) * N + n0 + wn + 8 * j + lane % 4 * 2];
    *reinterpret_cast<float2*>(to) = make_float2(c[j][0], c[j][1]);
    *reinterpret_cast<float2*>(to + 8 * N) = make_float2(c[j][2], c[j][3]);
  }
}
