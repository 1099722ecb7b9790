// HGEMM whose warps have roles
// C [M, N] = A [M, K] * B [K, N], f16 with f32 sums, row-major, extents are multiples of 32. Four
// warps bring slices of halves to shared memory; the four others make floats of them there, and
// multiply. Named barriers say when a slice is full and when it is empty again.
// As in: flashinfer-ai/flashinfer PR #2996 (tinygemm2), tile-ai/tilelang issue #1026
#define TILE 32
#define FULL 1
#define EMPTY 2

__device__ void barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ float to_float(unsigned short half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
}

__global__ void hgemm_roles(const unsigned short* A, const unsigned short* B, float* C, int M,
                            int N, int K) {
  __shared__ unsigned short halves[2][TILE][TILE];
  __shared__ float floats[2][TILE][TILE];  // of A, of B
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE + lane;
  if (threadIdx.x >= 128) {
    for (int k0 = 0; k0 < K; k0 += TILE) {
      for (int y = warp; y < TILE; y += 4) {
        halves[0][y][lane] = A[(row + y) * K + k0 + lane];
        halves[1][y][lane] = B[(k0 + y) * N + col];
      }
      barrier(FULL, 256);
      barrier(EMPTY, 256);
    }
    return;
  }
  float sum[8] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    barrier(FULL, 256);
    for (int y = warp; y < TILE; y += 4) {
      for (int of = 0; of < 2; ++of) floats[of][y][lane] = to_float(halves[of][y][lane]);
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 8; ++i) sum[i] += floats[0][warp + 4 * i][k] * floats[1][k][lane];
    }
    barrier(EMPTY, 256);
  }
  for (int i = 0; i < 8; ++i) C[(row + warp + 4 * i) * N + col] = sum[i];
}
