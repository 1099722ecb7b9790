// Products of one warp a tile by wmma, one entry a shape and type: A and B go through shared
// memory, C is loaded from and stored to global memory.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, class T, class Memory, class Sum, class LayoutA, class LayoutB>
__device__ void tile(const Memory* a, const Memory* b, Sum* c, int n, int k) {
  __shared__ __align__(32) Memory slice_a[M * K];
  __shared__ __align__(32) Memory slice_b[N * K];
  constexpr bool a_row = std::is_same_v<LayoutA, wmma::row_major>;
  constexpr bool b_row = std::is_same_v<LayoutB, wmma::row_major>;
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  const int row = blockIdx.y * M, col = blockIdx.x * N;
  wmma::load_matrix_sync(sum, c + row * n + col, n, wmma::mem_row_major);
#pragma unroll 1
  for (int k0 = 0; k0 < k; k0 += K) {
    // A is [m, k] and B [k, n] in global memory; the slices are in the fragments' layouts.
#pragma unroll 1
    for (int i = threadIdx.x; i < M * K; i += 32) {
      slice_a[a_row ? i : i % K * M + i / K] = a[(row + i / K) * k + k0 + i % K];
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < N * K; i += 32) {
      slice_b[b_row ? i : i % N * K + i / N] = b[(k0 + i / N) * n + col + i % N];
    }
    __syncthreads();
    wmma::load_matrix_sync(fa, slice_a, a_row ? K : M);
    wmma::load_matrix_sync(fb, slice_b, b_row ? N : K);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

#define ENTRY(name, M, N, K, T, Memory, Sum, A, B)                                            \
  extern "C" __global__ void name(const Memory* a, const Memory* b, Sum* c, int n, int k) {   \
    tile<M, N, K, T, Memory, Sum, wmma::A, wmma::B>(a, b, c, n, k);                           \
  }
ENTRY(f16_f32, 16, 16, 16, half, half, float, row_major, col_major)
ENTRY(f16_f16, 32, 8, 16, half, half, half, col_major, row_major)
ENTRY(bf16_f32, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, row_major)
ENTRY(s8_s32, 32, 8, 16, signed char, signed char, int, row_major, col_major)
ENTRY(u8_s32, 8, 32, 16, unsigned char, unsigned char, int, col_major, row_major)
ENTRY(tf32_f32, 16, 16, 8, wmma::precision::tf32, float, float, row_major, row_major)
ENTRY(f64_f64, 8, 8, 4, double, double, double, row_major, col_major)
