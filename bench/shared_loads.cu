// How a card serves shared loads of 8 and 16 bytes whose lanes share addresses: one warp, 1000
// loads of each pattern of addresses and lanes, to be run under Nsight Compute
// (bench/gpu_counters.sh). What an H200 counted is the table of tests/layout/warp_access_test.cpp;
// keep the two in the same order. With an argument it prints the patterns' names: bytes a lane,
// name.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

struct Off {
  unsigned o[32];
  unsigned active;
};
template <int W>
__global__ void probe(Off off, unsigned* sink) {
  extern __shared__ __align__(1024) unsigned char s[];
  for (int i = threadIdx.x; i < 16384 / 4; i += 32) ((unsigned*)s)[i] = i;
  __syncwarp();
  unsigned at = (unsigned)__cvta_generic_to_shared(s) + off.o[threadIdx.x];
  unsigned sum = 0;
  bool on = off.active >> threadIdx.x & 1;
#pragma unroll 1
  for (int i = 0; i < 1000; i++) {
    unsigned a, b, c, d;
    if (on) {
      if (W == 16)
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at));
      else {
        asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(at));
        c = d = 0;
      }
      sum += a ^ b ^ c ^ d;
    }
  }
  sink[threadIdx.x] = sum;
}
int main(int argc, char** argv) {
  unsigned* sink;
  cudaMalloc(&sink, 4096);
  struct P {
    std::string n;
    std::function<unsigned(int, int)> f;
    unsigned act;
  };
  auto drop = [](int l, int b) { return (l & ((1 << b) - 1)) | ((l >> (b + 1)) << b); };
  std::vector<P> ps;
  ps.push_back({"contiguous", [](int l, int w) { return l * w; }, ~0u});
  for (int b = 0; b < 5; b++)
    ps.push_back(
        {"share n^" + std::to_string(1 << b), [=](int l, int w) { return drop(l, b) * w; }, ~0u});
  ps.push_back({"broadcast", [](int, int) { return 0; }, ~0u});
  ps.push_back({"share n^1 in first half only",
                [=](int l, int w) { return l < 16 ? drop(l, 0) * w : 256 + l * w; }, ~0u});
  ps.push_back({"share n^1 in first quarter only",
                [=](int l, int w) { return l < 8 ? drop(l, 0) * w : 256 + l * w; }, ~0u});
  ps.push_back(
      {"share n^1 in quarters 0 and 2",
       [=](int l, int w) { return (l < 8 || (l >= 16 && l < 24)) ? drop(l, 0) * w : 256 + l * w; },
       ~0u});
  ps.push_back({"quarter 0 n^1, quarter 1 n^2",
                [=](int l, int w) {
                  return l < 8 ? drop(l, 0) * w : l < 16 ? 128 + drop(l - 8, 1) * w : 512 + l * w;
                },
                ~0u});
  ps.push_back({"one pair shares (0,1)", [=](int l, int w) { return l == 1 ? 0 : l * w; }, ~0u});
  ps.push_back({"all pairs share but lanes 14,15",
                [=](int l, int w) { return l >= 14 && l < 16 ? 512 + l * w : drop(l, 0) * w; },
                ~0u});
  ps.push_back(
      {"two groups of 16 (thread tile A)", [=](int l, int w) { return (l / 16) * w; }, ~0u});
  ps.push_back({"groups of 4", [=](int l, int w) { return (l / 4) * w; }, ~0u});
  ps.push_back({"groups of 8", [=](int l, int w) { return (l / 8) * w; }, ~0u});
  ps.push_back({"share n^1, rows 128 B", [=](int l, int w) { return drop(l, 0) * 128; }, ~0u});
  ps.push_back({"share n^2, rows 128 B", [=](int l, int w) { return drop(l, 1) * 128; }, ~0u});
  ps.push_back({"rows 128 B", [=](int l, int w) { return l * 128; }, ~0u});
  ps.push_back({"even lanes on, contiguous", [=](int l, int w) { return l * w; }, 0x55555555u});
  ps.push_back({"even lanes on, packed", [=](int l, int w) { return l / 2 * w; }, 0x55555555u});
  ps.push_back({"lanes 0-15 on", [=](int l, int w) { return l * w; }, 0xffffu});
  ps.push_back({"lanes 0-7 on", [=](int l, int w) { return l * w; }, 0xffu});
  ps.push_back({"lanes 0-15 on, share n^1", [=](int l, int w) { return drop(l, 0) * w; }, 0xffffu});
  ps.push_back({"share n^1, stride 32 B", [=](int l, int w) { return drop(l, 0) * 32; }, ~0u});
  ps.push_back({"share n^1 and n^16", [=](int l, int w) { return drop(l & 15, 0) * w; }, ~0u});
  ps.push_back({"share n^3 (0,3)(1,2)",
                [=](int l, int w) {
                  int q = l / 4, r = l % 4;
                  return (q * 2 + (r == 1 || r == 2)) * w;
                },
                ~0u});
  for (int w : {16, 8})
    for (auto& p : ps) {
      Off o;
      o.active = p.act;
      for (int l = 0; l < 32; l++) o.o[l] = p.f(l, w);
      if (argc > 1) printf("%d %s\n", w, p.n.c_str());
      if (w == 16)
        probe<16><<<1, 32, 16384>>>(o, sink);
      else
        probe<8><<<1, 32, 16384>>>(o, sink);
      auto e = cudaDeviceSynchronize();
      if (e) printf("ERR %s\n", cudaGetErrorString(e));
    }
}
