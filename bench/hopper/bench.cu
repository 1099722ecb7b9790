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
static char* arena;
static const size_t ARENA = 8ull << 30;

int check(const char* only) {
  struct S {
    int m, n, k;
    float al, be;
  } shapes[] = {{256, 512, 256, 1, 0},   {1000, 1048, 520, 1, 0}, {333, 516, 1096, 1.25f, -0.5f},
                {4096, 1024, 768, 1, 0}, {16, 4096, 1024, 1, 0},  {13, 1111, 264, 1, 0.75f},
                {2177, 3080, 520, 1, 1}};
  double* o;
  CK(cudaMalloc(&o, 16));
  int bad = 0, ran = 0;
  for (auto& s : shapes) {
    __half *A = (__half*)arena, *B = A + 64 * 1024 * 1024;
    char *C = arena + (1ull << 30), *R = C + (1ull << 30), *Z = R + (1ull << 30);
    fill<<<512, 256>>>(A, (size_t)s.m * s.k, 1 + s.m);
    fill<<<512, 256>>>(B, (size_t)s.n * s.k, 2 + s.n);
    fill<<<512, 256>>>((__half*)Z, (size_t)s.m * s.n * 2, 3);
    for (int half = 0; half < 2; half++) {
      size_t n = (size_t)s.m * s.n, es = half ? 2 : 4;
      if (half)
        CK(cudaMemcpy(R, Z, n * es, cudaMemcpyDeviceToDevice));
      else {
        std::vector<float> h(n);
        for (size_t i = 0; i < n; i++) h[i] = (float)((i * 2654435761u >> 8) % 1000) / 500 - 1;
        CK(cudaMemcpy(Z, h.data(), n * 4, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(R, Z, n * 4, cudaMemcpyDeviceToDevice));
      }
      if (half) {
        fill<<<512, 256>>>((__half*)Z, n, 3);
        CK(cudaMemcpy(R, Z, n * es, cudaMemcpyDeviceToDevice));
      }
      blas(A, B, R, s.m, s.n, s.k, s.al, s.be, half);
      for (auto& c : configs())
        if (c.half == half && (!only || strstr(c.name.c_str(), only))) {
          if (c.swap ? s.m > 256 : false) continue;
          for (int sk = 0; sk < 5; sk++) {
            Plan q = plan(c, A, B, C, s.m, s.n, s.k, s.al, s.be, sk % 2 ? 3 : -2, sk == 4 ? 0 : sk,
                          sk == 4);
            if (!q.ok) continue;
            for (int rep = 0; rep < 2; rep++) {
              if (s.be == 0)
                CK(cudaMemset(C, 0xff, n * es));
              else
                CK(cudaMemcpy(C, Z, n * es, cudaMemcpyDeviceToDevice));
              launch(q);
              cudaError_t e = cudaDeviceSynchronize();
              if (e) {
                printf("FAULT %s %dx%dx%d sk%d: %s\n", c.name.c_str(), s.m, s.n, s.k, sk,
                       cudaGetErrorString(e));
                return 1;
              }
              CK(cudaMemset(o, 0, 16));
              if (half)
                diff<<<256, 256>>>((__half*)C, (__half*)R, n, o);
              else
                diff<<<256, 256>>>((float*)C, (float*)R, n, o);
              double h[2];
              CK(cudaMemcpy(h, o, 16, cudaMemcpyDeviceToHost));
              double e2 = sqrt(h[0] / h[1]);
              ran++;
              if (!(e2 < (half ? 4e-4 : 1e-5))) {
                printf("WRONG %s %dx%dx%d beta %g sk%d: %.3g\n", c.name.c_str(), s.m, s.n, s.k,
                       s.be, sk, e2);
                bad++;
              }
            }
          }
        }
    }
  }
  printf("check: %d runs, %d wrong\n", ran, bad);
  return bad;
}

void smi(const char* when) {
  printf("[%s] ", when);
  fflush(stdout);
  (void)!system(
      "nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw "
      "--format=csv,noheader");
}

// What the command line asks for.
static std::string mode = "check";
static bool half_out = false;
static int top = 6, rounds = 7;
static const char* only = nullptr;

// A kernel with its best raster and split.
struct R {
  float t;
  const Cfg* c;
  int g, sk;
  bool whole;
};

// One problem: operands in as many sets as it takes to be cold, the libraries, our kernels.
struct Shape {
  int M, N, K;
  size_t ba, bb, bc, all;
  int sets, reps;
  double fl;
  Lt L;
  float bl = 1e30f;
  std::vector<R> rs;
  std::vector<std::vector<Plan>> vs;
  std::vector<std::vector<float>> ts;
  std::vector<size_t> ix;
  size_t nc = 0;

  Shape(int m, int n, int k) : M(m), N(n), K(k), L(m, n, k, half_out) {
    ba = ((size_t)M * K * 2 + 1023) / 1024 * 1024;
    bb = ((size_t)N * K * 2 + 1023) / 1024 * 1024;
    bc = ((size_t)M * N * 4 + 1023) / 1024 * 1024;
    all = ba + bb + bc;
    sets = std::max<size_t>(1, std::min<size_t>({32, ARENA / all, (400ull << 20) / all + 1}));
    fl = 2.0 * M * N * K;
    reps = std::max(4, std::min(40, (int)(2.0e12 / fl)));
    reps = std::max(reps, std::min(sets, 8));
    for (int i = 0; i < sets; i++) {
      fill<<<1024, 256>>>((__half*)A(i), (size_t)M * K, 2 * i + 1);
      fill<<<1024, 256>>>((__half*)B(i), (size_t)N * K, 2 * i + 2);
    }
    CK(cudaDeviceSynchronize());
  }
  char* A(int i) { return (char*)arena + (i % sets) * all; }
  char* B(int i) { return A(i) + ba; }
  char* C(int i) { return B(i) + bb; }
  void cub(int i) { blas(A(i), B(i), C(i), M, N, K, 1, 0, half_out); }
  void ltf(int i) { L.run(L.best, A(i), B(i), C(i)); }
  std::vector<Plan> mk(const Cfg& c, int g, int sk, bool wh) {
    std::vector<Plan> v;
    for (int i = 0; i < sets; i++) {
      v.push_back(plan(c, A(i), B(i), C(i), M, N, K, 1, 0, g, sk, wh));
      if (!v.back().ok) break;
    }
    return v;
  }
  bool library() {
    auto cub = [&](int i) { this->cub(i); };
    time_of(cub, reps);
    for (int i = 0; i < L.n; i++) {
      auto f = [&](int j) { L.run(i, A(j), B(j), C(j)); };
      time_of(f, 2);
      float t = std::min(time_of(f, reps), time_of(f, reps));
      if (t < bl) bl = t, L.best = i;
    }
    float bcu = std::min(time_of(cub, reps), time_of(cub, reps));
    if (std::isnan(bcu)) return false;
    printf(
        "\n=== %dx%dx%d %s: %d sets, %d launches; cuBLAS %.2f us %.0f, Lt #%d of %d %.2f us %.0f "
        "TFLOPS\n",
        M, N, K, half_out ? "f16 out" : "f32 out", sets, reps, bcu, fl / bcu / 1e6, L.best, L.n, bl,
        fl / bl / 1e6);
    return true;
  }
  // One kernel: each raster, then each way of sharing tiles.
  void candidate(const Cfg& c) {
    auto ltf = [&](int i) { this->ltf(i); };
    R b{1e30f, &c, 0, 0, false};
    auto tryit = [&](int g, int sk, bool wh) {
      auto v = mk(c, g, sk, wh);
      if (!v.back().ok) return;
      auto f = [&](int i) { launch(v[i % sets]); };
      time_of(f, 1);
      float t1 = time_of(f, reps), l1 = time_of(ltf, reps), t2 = time_of(f, reps),
            l2 = time_of(ltf, reps), t = std::min(t1 / l1, t2 / l2) * bl;
      cudaError_t e = cudaGetLastError();
      if (e) {
        printf("fault %s\n", c.name.c_str());
        exit(1);
      }
      if (t < b.t) b = {t, &c, g, sk, wh};
    };
    int gs[] = {4, 8, 16, -4, -8, -16};
    for (int g : gs) {
      int gg = g > 0 ? std::max(1, g / c.cm) : std::min(-1, g / c.cn);
      tryit(gg, 0, false);
    }
    int g0 = b.g;
    for (int sk = 1; sk < 4; sk++) tryit(g0, sk, false);
    if (!c.plain) tryit(g0, 0, true);
    if (b.t < 1e29f) rs.push_back(b);
  }
  void candidates() {
    for (auto& c : configs()) {
      if (mode == "names") break;
      if (c.half != half_out || (only && !strstr(c.name.c_str(), only))) continue;
      if (c.swap != (M <= 64)) continue;
      if (c.bn < 64 && !c.swap) continue;
      candidate(c);
    }
    std::sort(rs.begin(), rs.end(), [](const R& x, const R& y) { return x.t < y.t; });
    for (size_t i = 0; i < rs.size() && i < 3; i++)
      printf("  %-32s group %3d sk%d%s %9.2f us %6.1f\n", rs[i].c->name.c_str(), rs[i].g, rs[i].sk,
             rs[i].whole ? " 1/CTA" : "", rs[i].t, fl / rs[i].t / 1e6);
  }
  // All of them and the libraries, in turns; the best ratio.
  float in_turns(float& tb) {
    auto cub = [&](int i) { this->cub(i); };
    auto ltf = [&](int i) { this->ltf(i); };
    float best_ratio = 0;
    while (nc < rs.size() && nc < 16 && rs[nc].t < rs[0].t * wide) nc++;
    for (size_t i = 0; i < nc; i++) vs.push_back(mk(*rs[i].c, rs[i].g, rs[i].sk, rs[i].whole));
    ts.resize(nc + 2);
    for (int r = 0; r < rounds; r++)
      for (size_t i0 = 0; i0 < nc + 2; i0++) {
        size_t i = (i0 + r * 3) % (nc + 2);
        if (pause_ms) usleep(pause_ms * 1000);
        ts[i].push_back(i == nc       ? time_of(cub, reps)
                        : i == nc + 1 ? time_of(ltf, reps)
                                      : time_of([&](int j) { launch(vs[i][j % sets]); }, reps));
      }
    float tc = med(ts[nc]), tl = med(ts[nc + 1]);
    tb = std::min(tc, tl);
    for (size_t i = 0; i < nc; i++) ix.push_back(i);
    std::sort(ix.begin(), ix.end(), [&](size_t x, size_t y) { return med(ts[x]) < med(ts[y]); });
    printf("  in turns, %d ms pauses: cuBLAS %.2f us %.0f, Lt %.2f us %.0f TFLOPS\n", pause_ms, tc,
           fl / tc / 1e6, tl, fl / tl / 1e6);
    for (size_t i = 0; i < nc && i < (size_t)top; i++) {
      auto& q = rs[ix[i]];
      float t = med(ts[ix[i]]);
      best_ratio = std::max(best_ratio, tb / t);
      printf("    %.2f us %.0f TFLOPS ratio %.3f <- %s g%d sk%d%s\n", t, fl / t / 1e6, tb / t,
             q.c->name.c_str(), q.g, q.sk, q.whole ? " 1/CTA" : "");
    }
    return best_ratio;
  }
  void sustained(float tb) {
    auto cub = [&](int i) { this->cub(i); };
    auto ltf = [&](int i) { this->ltf(i); };
    if (sustain && nc) {
      int n = std::max(reps, int(sustain * 1e3 / tb));
      float l = 1e30f;
      for (int r = 0; r < 2; r++) {
        usleep(200000);
        l = std::min(l, r ? time_of(ltf, n) : time_of(cub, n));
      }
      printf("  sustained %d ms: library %.2f us %.0f", sustain, l, fl / l / 1e6);
      for (size_t i = 0; i < nc && i < 4; i++) {
        usleep(200000);
        float t = time_of([&](int j) { launch(vs[ix[i]][j % sets]); }, n);
        printf(" | %s %.2f us %.0f ratio %.3f", rs[ix[i]].c->name.c_str(), t, fl / t / 1e6, l / t);
      }
      printf("\n");
    }
  }
};

static bool setting(const char* text) {
  const struct {
    const char* name;
    int* to;
  } numbers[] = {{"pdl=", &pdl},
                 {"pause=", &pause_ms},
                 {"sustain=", &sustain},
                 {"rounds=", &rounds},
                 {"top=", &top}};
  for (auto& n : numbers) {
    if (strncmp(text, n.name, strlen(n.name))) continue;
    *n.to = atoi(text + strlen(n.name));
    return true;
  }
  if (!strncmp(text, "wide=", 5)) return wide = atof(text + 5), true;
  if (!strcmp(text, "h")) return half_out = true;
  if (strncmp(text, "only=", 5)) return false;
  only = text[5] ? text + 5 : nullptr;
  return true;
}

static void set_up() {
  setvbuf(stdout, 0, _IOLBF, 0);
  CK(cudaSetDevice(0));
  cudaDeviceProp pr;
  CK(cudaGetDeviceProperties(&pr, 0));
  sms = pr.multiProcessorCount;
  cudaDriverEntryPointQueryResult st;
  CK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &st));
  CK(cudaMalloc(&arena, ARENA));
  CK(cudaMalloc(&ws, WS));
  CK(cudaMalloc(&counters, 1 << 20));
  CK(cudaMemset(counters, 0, 1 << 20));
  CK(cudaMalloc(&ltws, LTWS));
  CK(cublasCreate(&cb));
  CK(cublasLtCreate(&lt));
  CK(cudaEventCreate(&e0));
  CK(cudaEventCreate(&e1));
  CK(cublasSetWorkspace(cb, ltws, LTWS));
  for (auto& c : configs()) {
    CK(cudaFuncSetAttribute(c.fn, cudaFuncAttributeMaxDynamicSharedMemorySize, c.smem));
  }
}

int main(int argc, char** argv) {
  set_up();
  if (argc > 1) mode = argv[1];
  if (mode == "check") return check(argc > 2 ? argv[2] : nullptr);
  // sweep [h] top shape...   shape = MxNxK;   only=TEXT restricts the kernels
  std::vector<float> logs[2];
  smi("start");
  for (int ai = 2; ai < argc; ai++) {
    int M, N, K;
    if (setting(argv[ai]) || sscanf(argv[ai], "%dx%dx%d", &M, &N, &K) != 3) continue;
    Shape shape(M, N, K);
    if (!shape.library()) return 1;
    shape.candidates();
    if (mode == "names") {
      shape.ltf(0);
      shape.cub(0);
      CK(cudaDeviceSynchronize());
      continue;
    }
    float tb = 0, best_ratio = shape.in_turns(tb);
    shape.sustained(tb);
    smi("after");
    if (!shape.rs.empty()) logs[M == N && N == K].push_back(best_ratio);
  }
  for (int i = 0; i < 2; i++)
    if (!logs[i].empty()) {
      double s = 0;
      for (float x : logs[i]) s += log(x);
      printf("%s: geometric mean %.3f of %zu\n", i ? "cubes" : "network shapes",
             exp(s / logs[i].size()), logs[i].size());
    }
  return 0;
}
