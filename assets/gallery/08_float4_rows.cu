// SGEMM that reads four floats at a time
// C [M, N] = A [M, K] * B [K, N], row-major, M and K are multiples of 32, N is any. The tiles are
// 32 x 32; a thread brings four neighbours of a row of each to shared memory at once.
// As in: lightseekorg/tokenspeed PR #683 (fused_topk_topp), NVIDIA/cutlass issue #49 (hgemm)
#define TILE 32

__global__ void sgemm_float4(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[TILE][TILE];
  __shared__ __align__(16) float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 32 + tx;
  const int y = tid / 8, x = tid % 8 * 4;  // what this thread brings
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  float sum[4] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* from = &B[(k0 + y) * N + col + x];
    *reinterpret_cast<float4*>(&As[y][x]) =
        *reinterpret_cast<const float4*>(&A[(row + y) * K + k0 + x]);
    *reinterpret_cast<float4*>(&Bs[y][x]) =
        col + x < N ? *reinterpret_cast<const float4*>(from) : zero;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  if (col + tx >= N) return;
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col + tx] = sum[i];
}
