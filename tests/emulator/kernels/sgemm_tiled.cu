// 128x128x8 block tile, 8x8 thread tile, float4 copies, A transposed in shared memory. 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    sgemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) float shared_a[8 * 128];  // [k][m]
  __shared__ __align__(16) float shared_b[8 * 128];  // [k][n]
  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
  const int a_row = thread / 2, a_col = (thread % 2) * 4;
  const int b_row = thread / 32, b_col = (thread % 32) * 4;
  const int tile_row = (thread / 16) * 8, tile_col = (thread % 16) * 8;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    float4 va = *reinterpret_cast<const float4*>(&a[(row0 + a_row) * k + k0 + a_col]);
    float4 vb = *reinterpret_cast<const float4*>(&b[(k0 + b_row) * n + col0 + b_col]);
    shared_a[(a_col + 0) * 128 + a_row] = va.x;
    shared_a[(a_col + 1) * 128 + a_row] = va.y;
    shared_a[(a_col + 2) * 128 + a_row] = va.z;
    shared_a[(a_col + 3) * 128 + a_row] = va.w;
    *reinterpret_cast<float4*>(&shared_b[b_row * 128 + b_col]) = vb;
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      float fa[8], fb[8];
      *reinterpret_cast<float4*>(&fa[0]) = *reinterpret_cast<float4*>(&shared_a[kk * 128 + tile_row]);
      *reinterpret_cast<float4*>(&fa[4]) =
          *reinterpret_cast<float4*>(&shared_a[kk * 128 + tile_row + 4]);
      *reinterpret_cast<float4*>(&fb[0]) = *reinterpret_cast<float4*>(&shared_b[kk * 128 + tile_col]);
      *reinterpret_cast<float4*>(&fb[4]) =
          *reinterpret_cast<float4*>(&shared_b[kk * 128 + tile_col + 4]);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += fa[i] * fb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(&c[(row0 + tile_row + i) * n + col0 + tile_col + j]) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
