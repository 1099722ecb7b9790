// Half precision on tensor cores through nvcuda::wmma, in a foreign style.
#include <cuda_fp16.h>
#include <mma.h>

#include <iostream>
#include <memory>

using namespace nvcuda;

constexpr int kTile = 16;
constexpr int kWarps = 4;

template <typename T>
struct DeviceBuffer {
  T* data = nullptr;
  explicit DeviceBuffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  ~DeviceBuffer() { cudaFree(data); }
};

inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

// C = A·B, A and B row-major; a warp a tile of 16 × 16.
__global__ void hgemm_wmma(const half* __restrict__ d_A, const half* __restrict__ d_B, float* d_C,
                           int M, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * kTile;
  const int col = (blockIdx.x * kWarps + warp) * kTile;
  if (row >= M || col >= N) return;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += kTile) {
    wmma::load_matrix_sync(a, d_A + row * K + k, K);
    wmma::load_matrix_sync(b, d_B + k * N + col, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(d_C + row * N + col, c, N, wmma::mem_row_major);
}

int main() {
  const int M = 256, N = 256, K = 256;
  DeviceBuffer<half> a(M * K), b(K * N);
  DeviceBuffer<float> c(M * N);
  const dim3 block(kWarps * 32);
  const dim3 grid(ceil_div(N, kTile * kWarps), ceil_div(M, kTile));
  hgemm_wmma<<<grid, block>>>(a.data, b.data, c.data, M, N, K);
  cudaDeviceSynchronize();
  auto message = std::make_unique<std::string>("done");
  std::cout << *message << std::endl;
}
