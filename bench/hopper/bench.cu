// The command line: check compares with cuBLAS, sweep times the kernels in turns with the
// libraries.
#include "harness.cuh"

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
