// SGEMM of oblong matrices
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32, and M, N and K need not
// be equal. Each matrix is packed: one row ends where the next begins. The leading dimension of a
// matrix is the distance of its rows.
// As in: NVIDIA/cuda-samples issue #5 (simple_wmma_gemm)
#define TILE 32

__global__ void sgemm_oblong(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int lda = M;
  const int ldb = N;
  const int ldc = N;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE + tx;
  float sum[4] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int y = ty; y < TILE; y += 8) {
      As[y][tx] = A[(row + y) * lda + k0 + tx];
      Bs[y][tx] = B[(k0 + y) * ldb + col];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * ldc + col] = sum[i];
}
