// SGEMM with a split K
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32, C holds zeros before the
// launch. K is cut into gridDim.z parts; a CTA computes the sum of one part for 32 x 32 elements of
// C, and the parts are added in C.
// As in: turboderp-org/exllamav2 issue #279 (q_gemm_kernel_gptq)
#define TILE 32

__global__ void sgemm_split_k(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE + tx;
  const int part = K / gridDim.z, begin = blockIdx.z * part;
  float sum[4] = {};
  for (int k0 = begin; k0 < begin + part; k0 += TILE) {
    for (int y = ty; y < TILE; y += 8) {
      As[y][tx] = A[(row + y) * K + k0 + tx];
      Bs[y][tx] = B[(k0 + y) * N + col];
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    float* to = &C[(row + ty + 8 * i) * N + col];
    if (blockIdx.z == 0) {
      *to = sum[i];
    } else {
      atomicAdd(to, sum[i]);
    }
  }
}
