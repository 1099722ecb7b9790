// SGEMM that turns its tile of A
// Right, and slower than it need be: the lesson "A kernel of one's own" finds out why. A's tile is
// kept with its columns as rows, so that a warp writes it into one bank; reading it is free, since
// all lanes of a warp read the same element.
#include <cuda_runtime.h>

#define TILE 32

// C [M, N] = A [M, K] * B [K, N], row-major; extents are multiples of TILE.
__global__ void sgemm_turned(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < K; t += TILE) {
    As[threadIdx.x][threadIdx.y] = A[row * K + t + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[k][threadIdx.y] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// The same without tiles: slow, and right.
__global__ void sgemm_naive(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
