// SGEMM with bulk copies (sm_90)
// C [M, N] = A [M, K] * B [K, N], row-major, extents are multiples of 32. The last of nine warps
// asks for slices of A and B by cp.async.bulk, a row of 128 bytes a copy; the others multiply. An
// mbarrier's phase ends when a slice has come, another one's when all eight have read it.
// As in: tile-ai/tilelang PR #3087
#define TILE 32

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void bulk_copy(float* to, const float* from, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(barrier)
      : "memory");
}
__device__ void wait(unsigned barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__global__ void sgemm_bulk(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(128) float As[TILE][TILE], Bs[TILE][TILE];
  __shared__ unsigned long long barriers[2];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  const unsigned full = shared_address(&barriers[0]), empty = shared_address(&barriers[1]);
  if (tx == 0 && ty == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(empty) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  float sum[4] = {};
  for (int slice = 0; slice < K / TILE; ++slice) {
    if (ty == 8) {
      if (slice > 0) wait(empty, (slice - 1) % 2);
      if (tx == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 8192;" ::"r"(full) : "memory");
      }
      __syncwarp();
      bulk_copy(As[tx], &A[(row + tx) * K + slice * TILE], full);
      bulk_copy(Bs[tx], &B[(slice * TILE + tx) * N + col], full);
      continue;
    }
    wait(full, 0);
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < 4; ++i) sum[i] += As[ty + 8 * i][k] * Bs[k][tx];
    }
    __syncwarp();
    if (tx == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(empty) : "memory");
  }
  if (ty == 8) return;
  for (int i = 0; i < 4; ++i) C[(row + ty + 8 * i) * N + col + tx] = sum[i];
}
