#pragma once
// Checks and times the kernels of inst_*.cu against cuBLAS and cuBLASLt.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include "cfg.h"
#include "gemm.cuh"
#ifndef PROMO
#define PROMO CU_TENSOR_MAP_L2_PROMOTION_L2_256B
#endif
#define CK(x)                                             \
  do {                                                    \
    auto e_ = (x);                                        \
    if ((int)e_) {                                        \
      printf("error %d at line %d\n", (int)e_, __LINE__); \
      fflush(stdout);                                     \
      exit(1);                                            \
    }                                                     \
  } while (0)
std::vector<Cfg>& configs() {
  static std::vector<Cfg> v;
  return v;
}

// Launches of the kernels, the libraries beside them, and how long either takes.
static decltype(&cuTensorMapEncodeTiled) encode;
static float wide = 1.13f;
static int sms, pdl = 0, pause_ms = 0, sustain = 0;
static float* ws;
static unsigned* counters;
static const size_t WS = 512ull << 20;
static CUtensorMap tmap(void* p, int es, int64_t inner, int64_t outer, int bi, int bo) {
  CUtensorMap m;
  cuuint64_t d[2] = {(cuuint64_t)inner, (cuuint64_t)outer}, st[1] = {(cuuint64_t)inner * es};
  cuuint32_t box[2] = {(cuuint32_t)bi, (cuuint32_t)bo}, el[2] = {1, 1};
  CK(encode(&m, es == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p,
            d, st, box, el, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, PROMO,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return m;
}
struct Plan {
  CUtensorMap ta, tb, tc;
  Params p;
  cudaLaunchConfig_t lc;
  cudaLaunchAttribute at[2];
  const Cfg* c;
  bool ok;
};
// sk: 0 none; 1 all tiles are shared; 2 the last, partial wave and one full wave; grid0: 1 = one
// tile a CTA
static Plan plan(const Cfg& c, void* A, void* B, void* C, int M, int N, int K, float alpha,
                 float beta, int group, int sk, bool whole = false) {
  Plan q{};
  q.c = &c;
  q.ok = true;
  int rows = M, cols = N;
  if (c.swap) std::swap(A, B), std::swap(rows, cols);
  q.ta = tmap(A, 2, K, rows, 64, c.bm / c.cn);
  q.tb = tmap(B, 2, K, cols, 64, c.bn / c.cm);
  if (c.epi == 2) {
    int es = c.half ? 2 : 4;
    if (N * es % 16) {
      q.ok = false;
      return q;
    }
    q.tc = tmap(C, es, N, M, 128 / es, 16);
  }
  if (c.epi == 1 && N % 4) {
    q.ok = false;
    return q;
  }
  auto up = [](int a, int b) { return (a + b - 1) / b; };
  int tiles = up(rows, c.bm * c.cm) * up(cols, c.bn * c.cn), kb = up(K, 64), cs = c.cm * c.cn,
      g = sms / cs;
  q.p = {rows, cols, K, N, alpha, beta, C, group, 0, 1, 1, ws, counters};
  if (c.plain) {
    g = tiles;
    if (sk) {
      q.ok = false;
      return q;
    }
  } else if (whole)
    g = tiles;
  else if (sk) {
    int t = sk == 1 ? tiles : tiles > g ? tiles % g + (tiles % g ? g : 0) : tiles;
    if (sk == 2 && t == tiles) {
      q.ok = false;
      return q;
    }
    if (!t) {
      q.ok = false;
      return q;
    }
    if (kb * (int64_t)t < 4 * g) {
      q.ok = false;
      return q;
    }
    if (sk == 3) {
      int sp = g / tiles;
      if (sp < 2) {
        q.ok = false;
        return q;
      }
      t = tiles;
      g = tiles * sp;
    }
    q.p.sk_tiles = t;
    q.p.sk_per = up(t * kb, g);
    q.p.sk_parts = up(kb, q.p.sk_per) + 1;
    if ((size_t)t * cs * q.p.sk_parts * c.bm * c.bn * 4 > WS) {
      q.ok = false;
      return q;
    }
  } else
    g = std::min(g, tiles);
  q.lc.gridDim = dim3(g * cs);
  q.lc.blockDim = dim3(c.threads);
  q.lc.dynamicSmemBytes = c.smem;
  if (cs > 1) {
    q.at[0].id = cudaLaunchAttributeClusterDimension;
    q.at[0].val.clusterDim = {(unsigned)cs, 1, 1};
    q.lc.numAttrs = 1;
  }
  if (pdl && !c.plain) {
    auto& x = q.at[q.lc.numAttrs++];
    x.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    x.val.programmaticStreamSerializationAllowed = 1;
  }
  return q;
}
static void launch(Plan& q) {
  q.lc.attrs = q.at;
  void* a[] = {&q.ta, &q.tb, &q.tc, &q.p};
  CK(cudaLaunchKernelExC(&q.lc, q.c->fn, a));
}

__global__ void fill(__half* p, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long h = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
    h ^= h >> 31;
    h *= 0xBF58476D1CE4E5B9ull;
    h ^= h >> 29;
    h *= 0x94D049BB133111EBull;
    h ^= h >> 32;
    float s = 0;
    for (int j = 0; j < 4; j++) s += float((h >> (16 * j)) & 0xffff) / 65536.f - 0.5f;
    p[i] = __float2half(s * 1.732f);
  }
}
template <class T>
__global__ void diff(const T* a, const T* b, size_t n, double* o) {
  double d = 0, r = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    double x = (float)a[i], y = (float)b[i];
    d += (x - y) * (x - y);
    r += y * y;
  }
  atomicAdd(o, d);
  atomicAdd(o + 1, r);
}
static cublasHandle_t cb;
static cublasLtHandle_t lt;
static void* ltws;
static const size_t LTWS = 64 << 20;
static void blas(void* A, void* B, void* C, int M, int N, int K, float al, float be, bool half) {
  CK(cublasGemmEx(cb, CUBLAS_OP_T, CUBLAS_OP_N, N, M, K, &al, B, CUDA_R_16F, K, A, CUDA_R_16F, K,
                  &be, C, half ? CUDA_R_16F : CUDA_R_32F, N, CUBLAS_COMPUTE_32F,
                  CUBLAS_GEMM_DEFAULT));
}
struct Lt {
  cublasLtMatmulDesc_t op;
  cublasLtMatrixLayout_t a, b, c;
  cublasLtMatmulHeuristicResult_t r[8];
  int n = 0, best = 0;
  Lt(int M, int N, int K, bool half) {
    CK(cublasLtMatmulDescCreate(&op, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    cublasOperation_t T = CUBLAS_OP_T;
    CK(cublasLtMatmulDescSetAttribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &T, sizeof T));
    CK(cublasLtMatrixLayoutCreate(&a, CUDA_R_16F, K, N, K));
    CK(cublasLtMatrixLayoutCreate(&b, CUDA_R_16F, K, M, K));
    CK(cublasLtMatrixLayoutCreate(&c, half ? CUDA_R_16F : CUDA_R_32F, N, M, N));
    cublasLtMatmulPreference_t pr;
    CK(cublasLtMatmulPreferenceCreate(&pr));
    CK(cublasLtMatmulPreferenceSetAttribute(pr, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &LTWS,
                                            sizeof LTWS));
    CK(cublasLtMatmulAlgoGetHeuristic(lt, op, a, b, c, c, pr, 8, r, &n));
  }
  void run(int i, void* A, void* B, void* C) {
    float al = 1, be = 0;
    CK(cublasLtMatmul(lt, op, &al, B, a, A, b, &be, C, c, C, c, &r[i].algo, ltws, LTWS, 0));
  }
};
static cudaEvent_t e0, e1;
static float time_of(const std::function<void(int)>& f, int n) {  // microseconds a launch
  CK(cudaEventRecord(e0));
  for (int i = 0; i < n; i++) f(i);
  CK(cudaEventRecord(e1));
  CK(cudaEventSynchronize(e1));
  float ms;
  CK(cudaEventElapsedTime(&ms, e0, e1));
  return ms * 1e3f / n;
}
static float med(std::vector<float> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
