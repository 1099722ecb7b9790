// What a launch is given, and which cluster works on what: strips of tiles, and k ranges of tiles
// that clusters share.
#pragma once
#include <cuda_fp16.h>
#include <stdint.h>

#include "hopper_ptx.cuh"

constexpr int BK = 64;  // 64 halves = one 128-byte swizzle span

struct Params {
  int M, N, K, ldc;  // M rows of A, N rows of B
  float alpha, beta;
  void* C;
  int group;     // raster: >0 group that many cluster tiles along M, <0 along N
  int sk_tiles;  // first sk_tiles cluster tiles are shared by all clusters (stream-K)
  int sk_per;    // k blocks of the stream-K region for each cluster
  int sk_parts;  // slots for partial sums per tile
  float* ws;
  unsigned* counters;
};

// ---------------------------------------------------------------- order of the work
struct Work {
  int m, n, k0, k1, tile, part, parts;
};  // m, n in units of cluster tiles
struct Scheduler {
  int tm, tn, kb, c, g, pos, end, dp;
  DEV int div_up(int a, int b) { return (a + b - 1) / b; }
  __device__ __forceinline__ Scheduler(const Params& p, int cluster_m, int cluster_n, int cluster,
                                       int clusters) {
    tm = div_up(p.M, cluster_m);
    tn = div_up(p.N, cluster_n);
    kb = div_up(p.K, BK);
    c = cluster;
    g = clusters;
    pos = min(c * p.sk_per, p.sk_tiles * kb);
    end = min(pos + p.sk_per, p.sk_tiles * kb);
    dp = p.sk_tiles + c;
  }
  __device__ __forceinline__ bool next(const Params& p, Work& w) {
    if (pos < end) {  // stream-K part: a range of k blocks
      w.tile = pos / kb;
      w.k0 = pos - w.tile * kb;
      w.k1 = min(kb, w.k0 + end - pos);
      int first = w.tile * kb / p.sk_per, last = (w.tile * kb + kb - 1) / p.sk_per;
      w.part = c - first;
      w.parts = last - first + 1;
      pos += w.k1 - w.k0;
    } else {  // whole tiles
      if (dp >= tm * tn) return false;
      w.tile = dp;
      dp += g;
      w.k0 = 0;
      w.k1 = kb;
      w.part = 0;
      w.parts = 1;
    }
    if (p.group > 0)
      place(w.tile, p.group, tm, tn, w.m, w.n);
    else
      place(w.tile, -p.group, tn, tm, w.n, w.m);
    return true;
  }
  static __device__ __forceinline__ void place(int i, int group, int a, int b, int& x, int& y) {
    int strip = i / (group * b), first = strip * group, rows = min(group, a - first),
        r = i - strip * group * b;
    x = first + r % rows;
    y = r / rows;
  }
};
