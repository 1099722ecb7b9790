// Half inputs, float accumulators: cp.async into a ring of stages, XOR-swizzled shared rows of 128
// bytes, ldmatrix, mma.sync.m16n8k16. Block tile 128x128x64, 8 warps of 64x32 each, 3 stages.
// A is [m, k] row-major, B is [n, k] row-major (that is, B column-major), C is [m, n] float.
#include <cuda_fp16.h>

constexpr int kBlockM = 128, kBlockN = 128, kBlockK = 64, kStages = 3;
constexpr int kStageBytes = (kBlockM + kBlockN) * kBlockK * 2;

__device__ __forceinline__ unsigned swizzle(unsigned offset) {
  return offset ^ ((offset & (7u << 7)) >> 3);
}
__device__ __forceinline__ void copy16(unsigned shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared), "l"(global));
}
__device__ __forceinline__ void load_x4(unsigned (&r)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared));
}
__device__ __forceinline__ void mma16816(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(256)
    hgemm_mma(const __half* a, const __half* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char buffer[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row0 = blockIdx.y * kBlockM, col0 = blockIdx.x * kBlockN;
  const int warp_row = (warp / 4) * 64, warp_col = (warp % 4) * 32;
  auto fetch = [&](int tile) {
    const unsigned stage = base + (tile % kStages) * kStageBytes;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int chunk = thread + i * 256, r = chunk / 8, ch = chunk % 8;
      copy16(stage + swizzle(r * 128 + ch * 16), &a[(row0 + r) * k + tile * kBlockK + ch * 8]);
      copy16(stage + kBlockM * 128 + swizzle(r * 128 + ch * 16),
             &b[(col0 + r) * k + tile * kBlockK + ch * 8]);
    }
  };
  const int tiles = k / kBlockK;
  float sum[4][4][4] = {};
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < tiles) fetch(s);
    asm volatile("cp.async.commit_group;\n");
  }
  for (int tile = 0; tile < tiles; ++tile) {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(kStages - 2));
    __syncthreads();
    if (tile + kStages - 1 < tiles) fetch(tile + kStages - 1);
    asm volatile("cp.async.commit_group;\n");
    const unsigned stage_a = base + (tile % kStages) * kStageBytes;
    const unsigned stage_b = stage_a + kBlockM * 128;
#pragma unroll
    for (int kk = 0; kk < kBlockK / 16; ++kk) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_x4(fa[i], stage_a + swizzle((warp_row + i * 16 + lane % 16) * 128 + kk * 32 +
                                         (lane / 16) * 16));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_x4(fb[j], stage_b + swizzle((warp_col + j * 16 + lane % 8 + (lane / 16) * 8) * 128 +
                                         kk * 32 + ((lane / 8) % 2) * 16));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma16816(sum[i][j], fa[i], fb[j / 2][(j % 2) * 2], fb[j / 2][(j % 2) * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* out = &c[(row0 + warp_row + i * 16 + lane / 4) * n + col0 + warp_col + j * 8 +
                      (lane % 4) * 2];
      *reinterpret_cast<float2*>(out) = make_float2(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<float2*>(out + 8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}
