// SGEMM with tiles of 32 x 32
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. A CTA of 32 x 8 threads
// computes 32 x 32 elements of C, a thread four of them. Slices of A and B that are 32 deep go
// through shared memory, one after the other.
// As in: srush/GPU-Puzzles issue #14 (puzzle 14, matrix multiply), NVIDIA/cuml PR #6578
#define TILE 32

__global__ void sgemm_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE + tx;
  float sum[4] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int y = ty; y < TILE; y += 8) {
      As[y][tx] = A[(row + y) * K + k0 + tx];
      Bs[y][tx] = B[(k0 + y) * N + col];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
  }
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col] = sum[i];
}
