// An SGEMM with two mistakes: a barrier is missing before shared memory is written again, and B's
// column of shared memory is read with all lanes in one bank.
#include <cuda_runtime.h>

#include <iostream>

#define TILE 32

__global__ void sgemm_race(const float* A, const float* B, float* C, int N) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < N / TILE; ++t) {
    As[threadIdx.y][threadIdx.x] = A[row * N + t * TILE + threadIdx.x];
    Bs[threadIdx.x][threadIdx.y] = B[(t * TILE + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[threadIdx.x][k];
  }
  C[row * N + col] = sum;
}

int main() {
  const int N = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, N * N * sizeof(float));
  dim3 threads(TILE, TILE);
  dim3 blocks(N / threads.x, N / threads.y);
  sgemm_race<<<blocks, threads>>>(a, b, c, N);
  std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << "\n";
}
