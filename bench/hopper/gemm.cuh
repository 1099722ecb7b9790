// GEMM for Hopper (sm_90a): C = alpha * A * B^T + beta * C.
// A is [M,K] row-major, B is [N,K] row-major (both K-major), f16 in, f32 accumulation, T out.
// A ring of STAGES slots of A (BM x 64) and B (BN x 64) is filled by TMA and drained by wgmma.
#pragma once
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>

#ifndef STOREHINT
#define STOREHINT 0x12F0000000000000ull  // L2 evict_first: C does not push A and B out
#endif
#ifndef MOREBUFS
#define MOREBUFS 0
#endif
template <int N>
struct Wgmma;
#include "schedule.cuh"
#include "wgmma.inc"

// ---------------------------------------------------------------- the kernel
// CONS warpgroups of consumers. PP (ping-pong): each takes a whole tile in turn; else each takes
// BM/CONS rows, or with NS BN/CONS columns. CM x CN: cluster. EPI 0: st.global, 8 bytes a lane; 1:
// 16 bytes a lane; 2: shared memory and TMA store.
template <int BM_, int BN_, int STAGES_, int CONS_, bool PP_, int CM_, int CN_, int EPI_,
          bool SWAP_ = false, class T_ = float, bool NS_ = false>
struct Gemm {
  static constexpr int BM = BM_, BN = BN_, STAGES = STAGES_, CONS = CONS_, CM = CM_, CN = CN_,
                       EPI = EPI_;
  static constexpr bool PP = PP_, SWAP = SWAP_;
  using T = T_;
  static constexpr int THREADS = 128 * (CONS + 1);
  static constexpr bool NS = NS_;
  static constexpr int ROWS = PP || NS ? BM : BM / CONS, COLS = NS ? BN / CONS : BN, MB = ROWS / 64,
                       ACC = COLS / 2;
  static constexpr int A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE = A_BYTES + B_BYTES;
  static constexpr int BUFS = STAGES_ * (BM_ + BN_) * 128 + CONS_ * 4 * 4 * 2048 <=
                                          232448 - 1024 - 256 &&
                                      MOREBUFS
                                  ? 4
                                  : 2,
                       STORE_BYTES = 2048;  // 16 rows x 128 bytes a warp
  static constexpr int STORE = EPI == 2 ? CONS * 4 * BUFS * STORE_BYTES : 0;
  static constexpr int SMEM = 1024 + STAGES * STAGE + STORE + STAGES * 16 + 16;
  static constexpr int GROUP_THREADS = PP ? 128 : CONS * 128;  // threads that share a tile
  static_assert(BM % (64 * (PP || NS ? 1 : CONS)) == 0 && BN / CM <= 256 && !(PP && NS) &&
                    (BN / CM) % 8 == 0 && (BM / CN) % 8 == 0 && SMEM <= 232448,
                "tile");

  static __device__ __forceinline__ void produce(const CUtensorMap* ta, const CUtensorMap* tb,
                                                 const Params& p, Scheduler s, uint32_t base,
                                                 uint32_t full, uint32_t empty, int cm, int cn) {
    int slot = 0, phase = 0;
    Work w;
    while (s.next(p, w)) {
      int ya = (w.m * CM + cm) * BM + cn * (BM / CN), yb = (w.n * CN + cn) * BN + cm * (BN / CM);
      for (int k = w.k0; k < w.k1; k++) {
        mbar_wait(empty + 8 * slot, phase ^ 1);
        uint32_t bar = full + 8 * slot, a = base + slot * STAGE + cn * (A_BYTES / CN),
                 b = base + slot * STAGE + A_BYTES + cm * (B_BYTES / CM);
        mbar_expect(bar, STAGE);
        if (CN == 1)
          tma_load(a, ta, k * BK, ya, bar);
        else {
          uint16_t mask = 0;
          for (int i = 0; i < CN; i++) mask |= 1 << (cm + i * CM);
          tma_load_multicast(a, ta, k * BK, ya, bar, mask);
        }
        if (CM == 1)
          tma_load(b, tb, k * BK, yb, bar);
        else {
          uint16_t mask = 0;
          for (int i = 0; i < CM; i++) mask |= 1 << (i + cn * CM);
          tma_load_multicast(b, tb, k * BK, yb, bar, mask);
        }
        if (++slot == STAGES) slot = 0, phase ^= 1;
      }
    }
  }

  // Tell every CTA that writes into our slot that this warpgroup has read it.
  static __device__ __forceinline__ void release(uint32_t bar, int t, int cm, int cn) {
    if (CM * CN == 1) {
      if (t == 0) mbar_arrive(bar);
    } else if (t < CM * CN && (t % CM == cm || t / CM == cn))
      mbar_arrive_cluster(bar, t);
  }

  static __device__ __forceinline__ void mainloop(float (&acc)[MB][ACC], int n, int row, int col,
                                                  uint32_t base, uint32_t full, uint32_t empty,
                                                  int& slot, int& phase, int t, int wg, int cm,
                                                  int cn) {
    int prev = slot;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
      mbar_wait(full + 8 * slot, phase);
      uint64_t da = smem_desc(base + slot * STAGE + row * 128),
               db = smem_desc(base + slot * STAGE + A_BYTES + col * 128);
      wgmma_fence();
#pragma unroll
      for (int kk = 0; kk < BK / 16; kk++)
#pragma unroll
        for (int m = 0; m < MB; m++)
          Wgmma<COLS>::run(acc[m], da + 2 * kk + 512 * m, db + 2 * kk, k | kk);
      wgmma_commit();
      wgmma_wait<1>();
      if (k) release(empty + 8 * prev, t, cm, cn);
      prev = slot;
      if (++slot == STAGES) slot = 0, phase ^= 1;
    }
    if (PP) named_arrive(9 - wg, 256);  // the other warpgroup's turn
    wgmma_wait<0>();
// keep the compiler from reading the accumulators before the wait
#pragma unroll
    for (int i = 0; i < MB * ACC; i++) asm volatile("" : "+f"((&acc[0][0])[i])::"memory");
    release(empty + 8 * prev, t, cm, cn);
  }

  // Sum the parts of a tile: the CTA that comes last adds all of them, in their order.
  static __device__ __forceinline__ bool combine(float (&acc)[MB][ACC], const Params& p,
                                                 const Work& w, int rank, int gt, int bar,
                                                 volatile int* flag) {
    float* a = &acc[0][0];
    int64_t tile = (int64_t)w.tile * CM * CN + rank;
    float4* ws = (float4*)p.ws + tile * p.sk_parts * (BM * BN / 4) + gt;
#pragma unroll
    for (int i = 0; i < MB * ACC / 4; i++)
      __stcg(ws + w.part * (BM * BN / 4) + i * GROUP_THREADS,
             make_float4(a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3]));
    __threadfence();
    named_sync(bar, GROUP_THREADS);
    if (gt == 0) {
      unsigned old = atomicAdd(p.counters + tile, 1u);
      int last = old == unsigned(w.parts - 1);
      if (last) p.counters[tile] = 0;
      __threadfence();
      *flag = last;
    }
    named_sync(bar, GROUP_THREADS);
    if (!*flag) return false;
    __threadfence();
    constexpr int U = MB * ACC / 4 < 8 ? MB * ACC / 4 : 8;
#pragma unroll
    for (int c = 0; c < MB * ACC / 4; c += U) {
      float s[4 * U] = {};
      for (int q = 0; q < w.parts; q++)
#pragma unroll
        for (int u = 0; u < U; u++)
          if (c + u < MB * ACC / 4) {
            float4 v = __ldcg(ws + q * (BM * BN / 4) + (c + u) * GROUP_THREADS);
            s[4 * u] += v.x;
            s[4 * u + 1] += v.y;
            s[4 * u + 2] += v.z;
            s[4 * u + 3] += v.w;
          }
#pragma unroll
      for (int u = 0; u < 4 * U; u++)
        if (4 * c + u < MB * ACC) a[4 * c + u] = s[u];
    }
    return true;
  }

  static __device__ __forceinline__ void put2(const Params& p, int row, int col, float x, float y) {
    if (row >= p.M || col >= p.N) return;
    x *= p.alpha;
    y *= p.alpha;
    int64_t i = SWAP ? (int64_t)col * p.ldc + row : (int64_t)row * p.ldc + col,
            j = i + (SWAP ? p.ldc : 1);
    T* c = (T*)p.C;
    if (p.beta != 0) {
      x += p.beta * float(c[i]);
      if (col + 1 < p.N) y += p.beta * float(c[j]);
    }
    if (!SWAP && p.ldc % 2 == 0 && col + 1 < p.N) {
      if constexpr (sizeof(T) == 4)
        *(float2*)(c + i) = make_float2(x, y);
      else
        *(__half2*)(c + i) = __floats2half2_rn(x, y);
    } else {
      c[i] = T(x);
      if (col + 1 < p.N) c[j] = T(y);
    }
  }

  static __device__ __forceinline__ void epilogue(float (&acc)[MB][ACC], const Params& p,
                                                  const CUtensorMap* tc, int row0, int col0,
                                                  uint32_t store, int t) {
    int lane = t % 32, warp = t / 32, r = lane / 4, q = lane % 4;
    row0 += warp * 16;
    if constexpr (EPI == 0) {
#pragma unroll
      for (int m = 0; m < MB; m++)
#pragma unroll
        for (int j = 0; j < COLS / 8; j++)
#pragma unroll
          for (int h = 0; h < 2; h++)
            put2(p, row0 + m * 64 + h * 8 + r, col0 + j * 8 + 2 * q, acc[m][4 * j + 2 * h],
                 acc[m][4 * j + 2 * h + 1]);
    } else {  // each warp: 16 rows x 128 bytes, two buffers, no barrier wider than the warp
      constexpr int W = 128 / sizeof(T), O = W / 8;  // columns, octets a buffer
      static_assert(!SWAP, "");
      store += warp * BUFS * STORE_BYTES;
      const T* c = (const T*)p.C;
      int buf = 0;
#pragma unroll
      for (int m = 0; m < MB; m++)
#pragma unroll
        for (int j0 = 0; j0 + O <= COLS / 8; j0 += O) {
          // A tile begins with buffer 0; with one box a tile, that is the last one sent.
          if (lane == 0) bulk_wait_read<MB*(COLS / 8 / O) % BUFS == 0 ? BUFS - 1 : 0>();
          __syncwarp();
          uint32_t s = store + buf * STORE_BYTES;
#pragma unroll
          for (int h = 0; h < 2; h++) {
            if constexpr (sizeof(T) == 4) {
#pragma unroll
              for (int j = 0; j < O;
                   j++) {  // odd rows take octet j^2: no two rows of a half warp meet in a bank
                int o = j ^ (r & 1) * 2;
                float *a = &acc[m][4 * (j0 + j) + 2 * h], *b = &acc[m][4 * (j0 + (j ^ 2)) + 2 * h];
                float x = (r & 1 ? b[0] : a[0]) * p.alpha, y = (r & 1 ? b[1] : a[1]) * p.alpha;
                if (p.beta != 0) {
                  int row = row0 + m * 64 + h * 8 + r, col = col0 + (j0 + o) * 8 + 2 * q;
                  if (row < p.M && col < p.N) {
                    float2 z = *(const float2*)(c + (int64_t)row * p.ldc + col);
                    x += p.beta * z.x;
                    y += p.beta * z.y;
                  }
                }
                uint32_t at = s + (h * 8 + r) * 128 + (((2 * o + (q >> 1)) ^ r) << 4) + (q & 1) * 8;
                asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(x), "f"(y)
                             : "memory");
              }
            }
          }
          if constexpr (sizeof(T) == 2) {
#pragma unroll
            for (int j = 0; j < O; j += 2) {  // four 8x8 blocks: two row halves of two octets
              uint32_t v[4];
#pragma unroll
              for (int i = 0; i < 4; i++) {
                int h = i & 1, o = j0 + j + i / 2;
                float x = acc[m][4 * o + 2 * h] * p.alpha, y = acc[m][4 * o + 2 * h + 1] * p.alpha;
                int row = row0 + m * 64 + h * 8 + r, col = col0 + o * 8 + 2 * q;
                if (p.beta != 0 && row < p.M && col < p.N) {
                  float2 z = __half22float2(*(const __half2*)(c + (int64_t)row * p.ldc + col));
                  x += p.beta * z.x;
                  y += p.beta * z.y;
                }
                __half2 w = __floats2half2_rn(x, y);
                v[i] = *(uint32_t*)&w;
              }
              int i = lane / 8, rr = (i & 1) * 8 + lane % 8;
              uint32_t at = s + rr * 128 + (((j + i / 2) ^ (lane % 8)) << 4);
              asm volatile(
                  "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at),
                  "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                  : "memory");
            }
          }
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          __syncwarp();
          if (lane == 0) {
            tma_store(tc, col0 + j0 * 8, row0 + m * 64, s);
            bulk_commit();
          }
          buf = (buf + 1) % BUFS;
        }
#pragma unroll  // columns that fill no buffer
      for (int m = 0; m < MB; m++)
#pragma unroll
        for (int j = COLS / 8 / O * O; j < COLS / 8; j++)
#pragma unroll
          for (int h = 0; h < 2; h++)
            put2(p, row0 + m * 64 + h * 8 + r, col0 + j * 8 + 2 * q, acc[m][4 * j + 2 * h],
                 acc[m][4 * j + 2 * h + 1]);
    }
  }

  static __device__ __forceinline__ void consume(const CUtensorMap* tc, const Params& p,
                                                 Scheduler s, uint32_t base, uint32_t full,
                                                 uint32_t empty, uint32_t store, volatile int* flag,
                                                 int wg, int rank, int cm, int cn) {
    int t = threadIdx.x % 128, slot = 0, phase = 0, turn = 0;
    Work w;
    if (PP && wg == 1) named_arrive(8, 256);  // the first turn is warpgroup 0's
    while (s.next(p, w)) {
      if (PP) {
        if (turn++ % 2 != wg) {
          slot += w.k1 - w.k0;
          phase ^= slot / STAGES & 1;
          slot %= STAGES;
          continue;
        }
        named_sync(8 + wg, 256);
      }
      float acc[MB][ACC];
      int row = PP || NS ? 0 : wg * ROWS, col = NS ? wg * COLS : 0;
      mainloop(acc, w.k1 - w.k0, row, col, base, full, empty, slot, phase, t, wg, cm, cn);
      if (w.parts > 1 && !combine(acc, p, w, rank, PP ? t : threadIdx.x - 128, PP ? 1 + wg : 1,
                                  flag + (PP ? wg : 0)))
        continue;
      epilogue(acc, p, tc, (w.m * CM + cm) * BM + row, (w.n * CN + cn) * BN + col,
               store + wg * 4 * BUFS * STORE_BYTES, t);
    }
    if (EPI == 2 && t % 32 == 0) bulk_wait_read<0>();
  }
};

template <class G>
__global__ void __launch_bounds__(G::THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb,
         const __grid_constant__ CUtensorMap tc, const Params p) {
  constexpr int C = G::CM * G::CN;
  extern __shared__ uint8_t raw[];
  uint32_t base = (smem_u32(raw) + 1023) & ~1023u;
  uint32_t store = base + G::STAGES * G::STAGE, full = store + G::STORE,
           empty = full + 8 * G::STAGES, flag = empty + 8 * G::STAGES;
  int rank = C > 1 ? cluster_rank() : 0, cm = rank % G::CM, cn = rank / G::CM;
  if (threadIdx.x == 0) {
    for (int i = 0; i < G::STAGES; i++) {
      mbar_init(full + 8 * i, 1);
      mbar_init(empty + 8 * i, (G::PP ? 1 : G::CONS) * (G::CM + G::CN - 1));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("prefetch.tensormap [%0];\nprefetch.tensormap [%1];" ::"l"(&ta), "l"(&tb)
                 : "memory");
  }
  __syncthreads();
  if (C > 1) cluster_sync();
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::
                   : "memory");  // nothing, unless launched so
  Scheduler s(p, G::BM * G::CM, G::BN * G::CN, blockIdx.x / C, gridDim.x / C);
  int wg = threadIdx.x / 128;
  if (wg == 0) {
    if (G::CONS > 1) reg_dec<(G::CONS == 3 ? 32 : G::MB * G::ACC > 128 ? 24 : 40)>();
    if (threadIdx.x == 0) G::produce(&ta, &tb, p, s, base, full, empty, cm, cn);
    __syncwarp();
  } else {
    if (G::CONS > 1) reg_inc<(G::CONS == 3 ? 160 : G::MB * G::ACC > 128 ? 240 : 232)>();
    G::consume(&tc, p, s, base, full, empty, store, (volatile int*)(raw + (flag - smem_u32(raw))),
               wg - 1, rank, cm, cn);
  }
  if (C > 1) cluster_sync();  // peers still signal our barriers until here
}

// ---------------------------------------------------------------- step 1: one warpgroup, no roles
template <int BM, int BN, int STAGES>
__global__ void __launch_bounds__(128)
    gemm_plain(const __grid_constant__ CUtensorMap ta, const __grid_constant__ CUtensorMap tb,
               const __grid_constant__ CUtensorMap tc, const Params p) {
  using G = Gemm<BM, BN, STAGES, 1, false, 1, 1, 0>;
  extern __shared__ uint8_t raw[];
  uint32_t base = (smem_u32(raw) + 1023) & ~1023u, full = base + STAGES * G::STAGE;
  int t = threadIdx.x, n = (p.K + BK - 1) / BK;
  Scheduler s(p, BM, BN, blockIdx.x, gridDim.x);
  Work w;
  s.next(p, w);
  auto load = [&](int k) {
    uint32_t bar = full + 8 * (k % STAGES), a = base + k % STAGES * G::STAGE;
    mbar_expect(bar, G::STAGE);
    tma_load(a, &ta, k * BK, w.m * BM, bar);
    tma_load(a + G::A_BYTES, &tb, k * BK, w.n * BN, bar);
  };
  if (t == 0) {
    for (int i = 0; i < STAGES; i++) mbar_init(full + 8 * i, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int k = 0; k < STAGES - 1 && k < n; k++) load(k);
  }
  __syncthreads();
  float acc[G::MB][G::ACC];
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    mbar_wait(full + 8 * (k % STAGES), k / STAGES & 1);
    uint64_t da = smem_desc(base + k % STAGES * G::STAGE),
             db = smem_desc(base + k % STAGES * G::STAGE + G::A_BYTES);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < BK / 16; kk++)
#pragma unroll
      for (int m = 0; m < G::MB; m++)
        Wgmma<BN>::run(acc[m], da + 2 * kk + 512 * m, db + 2 * kk, k | kk);
    wgmma_commit();
    wgmma_wait<1>();
    __syncthreads();  // slot k-1 is free
    if (t == 0 && k + STAGES - 1 < n) load(k + STAGES - 1);
  }
  wgmma_wait<0>();
  G::epilogue(acc, p, &tc, w.m * BM, w.n * BN, 0, t);
}
