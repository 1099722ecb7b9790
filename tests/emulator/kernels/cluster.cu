// Distributed shared memory as CUDA C++ has it: a histogram whose bins are spread over a cluster, a
// sum over a cluster of a size that the launch gives, and a pipeline of words from CTA to CTA.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The bins of CTA r of a cluster are those from r · per_cta on.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    histogram(const int* in, int* bins, int n, int per_cta) {
  extern __shared__ int mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_cta; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  const int all = per_cta * int(cluster.num_blocks());
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = min(max(in[i], 0), all - 1);
    atomicAdd(cluster.map_shared_rank(mine, bin / per_cta) + bin % per_cta, 1);
  }
  cluster.sync();
  int* out = bins + per_cta * int(cluster.block_rank());
  for (int i = threadIdx.x; i < per_cta; i += blockDim.x) atomicAdd(out + i, mine[i]);
}

// out[cluster] is the sum of the cluster's CTAs' lines of `n` numbers.
extern "C" __global__ void cluster_sum(const float* in, float* out, int n) {
  __shared__ float part;
  __shared__ float warps[32];
  cg::cluster_group cluster = cg::this_cluster();
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[blockIdx.x * n + i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    part = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) part += warps[w];
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float all = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); ++r) all += *cluster.map_shared_rank(&part, r);
    out[blockIdx.x / cluster.num_blocks()] = all;
  }
  cluster.sync();
}

// Arrives early and waits late: each CTA reverses its neighbour's line meanwhile.
extern "C" __global__ void __cluster_dims__(2, 1, 1) split_barrier(const int* in, int* out) {
  __shared__ int line[128];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned other = cluster.block_rank() ^ 1;
  line[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  auto token = cluster.barrier_arrive();
  const int own = line[threadIdx.x] * 2;
  cluster.barrier_wait(std::move(token));
  out[blockIdx.x * 128 + threadIdx.x] =
      own + cluster.map_shared_rank(line, other)[127 - threadIdx.x];
  cluster.sync();
}
