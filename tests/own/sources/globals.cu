// Constants and variables of the device, several entries, dynamic shared memory, cooperative groups
// and printf, inside of a namespace.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

#include <cstdint>
#include <string>

namespace cg = cooperative_groups;
#define HD __host__ __device__

namespace filters {

__constant__ float weights[4] = {0.25f, 0.5f, 0.75f, 1.0f};
__device__ unsigned int launches = 0;
extern __shared__ float tile[];

struct Range {
  int begin, end;
  HD int size() const { return end - begin; }
};

HD inline float weighted(float x, int i) {
#ifdef __CUDA_ARCH__
  return x * weights[i % 4];
#else
  return x;
#endif
}

extern "C" __global__ void weigh(float* out, const float* in, Range range) {
  cg::thread_block block = cg::this_thread_block();
  const int i = range.begin + blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < range.end ? in[i] : 0.0f;
  block.sync();
  if (i < range.end) out[i] = weighted(tile[threadIdx.x], threadIdx.x);
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    atomicAdd(&launches, 1u);
    printf("range of %d\n", range.size());
  }
}

__global__ void count(int32_t* out) { out[threadIdx.x] = launches + threadIdx.x; }

static std::string describe(const Range& range) { return std::to_string(range.size()); }

}  // namespace filters

int main() {
  constexpr int threads = 128;
  filters::weigh<<<4, threads, threads * sizeof(float)>>>(nullptr, nullptr, {0, 512});
  filters::count<<<1, 32>>>(nullptr);
  printf("%s\n", filters::describe({0, 512}).c_str());
}
