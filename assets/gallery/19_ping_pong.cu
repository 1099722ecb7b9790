// SGEMM with two buffers
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. While one slice is
// multiplied, the next is brought to the other of two buffers, so that one barrier a slice is
// enough; the last slice is multiplied behind the loop.
// As in: xlite-dev/LeetCUDA PR #514 (the double-buffered SGEMM)
#define TILE 32

__global__ void sgemm_two_buffers(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[2][TILE][TILE];
  __shared__ float Bs[2][TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE + tx, slices = K / TILE;
  float sum[4] = {};
  const auto bring = [&](int slice, int buffer) {
    for (int y = ty; y < TILE; y += 8) {
      As[buffer][y][tx] = A[(row + y) * K + slice * TILE + tx];
      Bs[buffer][y][tx] = B[(slice * TILE + y) * N + col];
    }
  };
  const auto multiply = [&](int buffer) {
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[buffer][ty + 8 * i][k] * Bs[buffer][k][tx];
    }
  };
  bring(0, 0);
  __syncthreads();
  for (int slice = 1; slice < slices; ++slice) {
    bring(slice, slice % 2);
    multiply((slice - 1) % 2);
    __syncthreads();
  }
  multiply(1);
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col] = sum[i];
}
