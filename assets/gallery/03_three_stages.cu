// SGEMM with three stages
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. While one slice is
// multiplied, the copies of the next two are under way: cp.async, one group of copies a slice,
// three stages of shared memory that take turns.
// As in: deepseek-ai/DeepEP issue #657 (tma_copy), csarofeen/pytorch PR #2457
#define TILE 32
#define STAGES 3

__device__ void copy_async(float* to, const float* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__global__ void sgemm_stages(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[STAGES][TILE][TILE];
  __shared__ __align__(16) float Bs[STAGES][TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int y = (ty * 32 + tx) / 8, x = tx % 8 * 4;  // what this thread copies
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE, slices = K / TILE;
  const auto copy_slice = [&](int slice) {
    if (slice < slices) {
      copy_async(&As[slice % STAGES][y][x], &A[(row + y) * K + slice * TILE + x]);
      copy_async(&Bs[slice % STAGES][y][x], &B[(slice * TILE + y) * N + col + x]);
    }
    commit();  // a group, be it empty, so that the count stays right at the end
  };
  for (int slice = 0; slice < STAGES - 1; ++slice) copy_slice(slice);
  float sum[4] = {};
  for (int slice = 0; slice < slices; ++slice) {
    wait<STAGES - 1>();
    __syncthreads();
    copy_slice(slice + STAGES - 1);
    const int stage = slice % STAGES;
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[stage][ty + 8 * i][k] * Bs[stage][k][tx];
    }
  }
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col + tx] = sum[i];
}
