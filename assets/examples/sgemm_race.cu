// SGEMM with a race and a bank conflict
// Two mistakes that many people make in their first tiled one. Findings lists both, by line.
//   1. A tile of A and B is written to shared memory while other warps may still read the one
//      before: a __syncthreads() is missing at the end of the loop.
//   2. B's tile is kept with its columns as rows, and then all lanes of a warp read from one bank:
//      32 wavefronts where one would do. Bs[TILE][TILE + 1] cures it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 32
#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t status = (call);                                           \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                             \
    }                                                                      \
  } while (0)

// C [M, N] = A [M, K] * B [K, N], row-major; extents are multiples of TILE.
__global__ void sgemm_tiled(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < K; t += TILE) {
    As[threadIdx.y][threadIdx.x] = A[row * K + t + threadIdx.x];
    Bs[threadIdx.x][threadIdx.y] = B[(t + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[threadIdx.x][k];
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

int main() {
  const int M = 1024, N = 1024, K = 1024;
  std::vector<float> host(size_t(M) * K, 1.0f);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, sizeof(float) * M * K));
  CHECK(cudaMalloc(&b, sizeof(float) * K * N));
  CHECK(cudaMalloc(&c, sizeof(float) * M * N));
  CHECK(cudaMemcpy(a, host.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice));
  dim3 block(TILE, TILE);
  dim3 grid(N / TILE, M / TILE);
  sgemm_tiled<<<grid, block>>>(M, N, K, a, b, c);
  sgemm_naive<<<grid, block>>>(M, N, K, a, b, c);
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
