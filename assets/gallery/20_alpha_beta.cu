// SGEMM as BLAS has it
// C [M, N] = alpha * A [M, K] * B [K, N] + beta * C, row-major, extents are multiples of 64. A CTA
// of 16 x 16 threads computes 64 x 64 elements of C, a thread 4 x 4 that lie 16 apart, slices are
// 16 deep. C is read once, at the end.
// As in: NVIDIA/cutlass issue #423 (23_ampere_gemm_operand_reduction_fusion)
#define DEPTH 16

__global__ void sgemm_blas(int M, int N, int K, float alpha, const float* A, const float* B,
                           float beta, float* C) {
  __shared__ float As[64][DEPTH];
  __shared__ float Bs[DEPTH][64];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    for (int i = tid; i < 64 * DEPTH; i += 256) {
      As[i / DEPTH][i % DEPTH] = A[(row + i / DEPTH) * K + k0 + i % DEPTH];
      Bs[i / 64][i % 64] = B[(k0 + i / 64) * N + col + i % 64];
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += As[ty + 16 * i][k] * Bs[k][tx + 16 * j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      float& c = C[(row + ty + 16 * i) * N + col + tx + 16 * j];
      c = alpha * (sum[i][j] + beta * c);
    }
  }
}
