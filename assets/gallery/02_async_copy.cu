// SGEMM that copies beside the threads
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. A thread copies 16 bytes
// of A and 16 of B to shared memory by cp.async, past its registers; then the CTA multiplies the
// two tiles.
// As in: NVIDIA/Fuser issue #3428 and PR #3438
#define TILE 32

__device__ void copy_async(float* to, const float* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

__global__ void sgemm_async(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[TILE][TILE];
  __shared__ __align__(16) float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int y = (ty * 32 + tx) / 8, x = tx % 8 * 4;  // what this thread copies
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  float sum[4] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    copy_async(&As[y][x], &A[(row + y) * K + k0 + x]);
    copy_async(&Bs[y][x], &B[(k0 + y) * N + col + x]);
    commit();
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col + tx] = sum[i];
}
