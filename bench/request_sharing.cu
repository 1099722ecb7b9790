// Which SMs share their requests on the way to the L2, and how far apart in time: for the model of
// L2 → SM bytes. What `order` and `pairs` gave on an H200: docs/performance.md, "The time model".
//   nvcc -arch=native -o request_sharing bench/request_sharing.cu
//   ./request_sharing order        the SM of each CTA, of launches of 132, 264 and 528
//   ncu --csv --cache-control none --metrics \
//     lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_bytes.sum ./request_sharing
//     pairs
//                                  SM 0 and each other one read the same lines, in step: a launch
//                                  each
//   … ./request_sharing apart J    SM 0 and SM J, J later by 0, 50, 100 … cycles: a launch each
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int kThreads = 256, kSms = 132, kChunks = 2048;  // chunks of 4 KB, a meeting each
constexpr int kRoom = 200 << 10;                           // shared memory: a CTA an SM

__device__ unsigned sm_id() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ void pause(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void order(unsigned* sm) {
  if (threadIdx.x == 0) sm[blockIdx.x] = sm_id();
  pause(200000);
}

__global__ void __launch_bounds__(kThreads)
    read_together(const uint4* data, unsigned a, unsigned b, int later, unsigned* met, uint4* out) {
  const unsigned me = sm_id();
  if (me != a && me != b) return;
  const unsigned both = a == b ? 1 : 2;
  uint4 sum = {};
  for (int i = 0; i < kChunks; ++i) {
    if (threadIdx.x == 0) {
      atomicAdd(met + i, 1);
      while (*static_cast<volatile unsigned*>(met + i) < both) {
      }
      if (me == b && a != b) pause(later);
    }
    __syncthreads();
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + i * kThreads + threadIdx.x));
    sum.x += v.x, sum.y ^= v.y, sum.z += v.z, sum.w ^= v.w;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "order";
  unsigned* words;
  must(cudaMalloc(&words, 4096 * sizeof(unsigned)));
  if (std::strcmp(what, "order") == 0) {
    for (const int ctas : {kSms, 2 * kSms, 4 * kSms}) {
      order<<<ctas, 128>>>(words);
      std::vector<unsigned> sm(static_cast<size_t>(ctas));
      must(cudaMemcpy(sm.data(), words, sm.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
      std::printf("%d:", ctas);
      for (const unsigned s : sm) std::printf(" %u", s);
      std::printf("\n");
    }
    return 0;
  }
  uint4 *data, *out;
  must(cudaMalloc(&data, sizeof(uint4) * kThreads * kChunks));
  must(cudaMemset(data, 1, sizeof(uint4) * kThreads * kChunks));
  must(cudaMalloc(&out, sizeof(uint4) * kThreads * kSms));
  must(cudaFuncSetAttribute(read_together, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom));
  const auto launch = [&](unsigned other, int later) {
    must(cudaMemset(words, 0, kChunks * sizeof(unsigned)));
    read_together<<<kSms, kThreads, kRoom>>>(data, 0, other, later, words, out);
    must(cudaDeviceSynchronize());
  };
  if (std::strcmp(what, "pairs") == 0) {
    for (unsigned other = 0; other < kSms; ++other) launch(other, 0);
  } else {
    const unsigned other = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
    for (int later = 0; later <= 1600; later += later < 400 ? 50 : 200) launch(other, later);
  }
  return 0;
}
