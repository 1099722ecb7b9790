// Transposes B before a GEMM
// T [N, K] = transpose of B [K, N], both row-major, extents are multiples of 32. A CTA of 32 x 8
// threads reads a tile of 32 x 32 row by row, keeps it in shared memory, and writes it row by row
// of T.
// As in: deepspeedai/DeepSpeed PR #8055 (Transpose_Kernel)
#define TILE 32

__global__ void transpose_tiles(const float* B, float* T, int K, int N) {
  __shared__ float tile[TILE * (TILE + 1)];
  const int tx = threadIdx.x;
  const int n0 = blockIdx.x * TILE, k0 = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += 8) {
    tile[y * TILE + tx] = B[(k0 + y) * N + n0 + tx];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += 8) {
    T[(n0 + y) * K + k0 + tx] = tile[tx * TILE + y];
  }
}

// The same without a tile: what is right.
__global__ void transpose_naive(const float* B, float* T, int K, int N) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = blockIdx.y * blockDim.y + threadIdx.y;
  if (n < N && k < K) T[n * K + k] = B[k * N + n];
}
