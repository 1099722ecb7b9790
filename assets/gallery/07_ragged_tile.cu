// SGEMM with tiles, of any M and N
// C [M, N] = A [M, K] * B [K, N], row-major. K is a multiple of 16; M and N are any, so that the
// last tiles of a row or column hang over. What lies outside counts as zero and is not stored.
// As in: NVIDIA/cuda-samples issue #411 (matrixMul), ml-explore/mlx PR #3509 (qmm_naive)
#define TILE 16

// 16 x 16 threads, each for one element of C.
__global__ void sgemm_ragged(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty][tx] = row < M ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
