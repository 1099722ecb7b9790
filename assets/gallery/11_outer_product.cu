// SGEMM by outer products
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. A's tile is kept with its
// columns as rows, so that both tiles are read along rows; a thread multiplies one value of a
// column of A or row of B by four of the other.
// As in: NVIDIA/Fuser PR #387 and PR #1534, NVIDIA/cutlass issue #321
#define TILE 32

__global__ void sgemm_outer(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE + 1];  // [k][m]
  __shared__ float Bs[TILE][TILE];      // [k][n]
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
  const int m = tx, n = ty * 4;
  float sum[4] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int y = ty; y < TILE; y += 8) {
      As[tx][y] = A[(m0 + y) * K + k0 + tx];
      Bs[y][tx] = B[(k0 + y) * N + n0 + tx];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[k][m] * Bs[k][n + i];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) C[(m0 + m) * N + n0 + n + i] = sum[i];
}
