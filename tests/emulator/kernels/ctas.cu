// CTAs that wait for each other. Of each kernel there is a version that waits and fences as it
// should, and versions with one of both left out.
enum { kWait = 1, kRelease = 2, kAcquire = 4, kRight = 7 };

template <int P>
__device__ void release() {
  if (P & kRelease) __threadfence();
}
template <int P>
__device__ void acquire() {
  if (P & kAcquire) __threadfence();
}
__device__ float part(const float* a, const float* b, int n, int k, int row, int col, int from, int to) {
  float sum = 0;
  for (int i = from; i < to; ++i) sum += a[row * k + i] * b[i * n + col];
  return sum;
}

// C [16 · grid.x, n = 16] = A · B, grid.y parts of k each; a tile's last CTA adds all parts.
template <int P>
__device__ void split_k(const float* a, const float* b, float* c, int k, float* parts, unsigned* count) {
  __shared__ bool last;
  const int t = threadIdx.y * 16 + threadIdx.x, tile = blockIdx.x, splits = gridDim.y;
  const int row = tile * 16 + threadIdx.y, each = k / splits;
  float* mine = parts + (tile * splits + blockIdx.y) * 256;
  mine[t] = part(a, b, 16, k, row, threadIdx.x, blockIdx.y * each, (blockIdx.y + 1) * each);
  release<P>();
  __syncthreads();
  if (t == 0) last = P & kWait ? atomicAdd(count + tile, 1) == splits - 1 : blockIdx.y == splits - 1;
  __syncthreads();
  if (!last) return;
  acquire<P>();
  float sum = 0;
  for (int s = 0; s < splits; ++s) sum += parts[(tile * splits + s) * 256 + t];
  c[row * 16 + threadIdx.x] = sum;
}
#define SPLIT_K(name, p)                                                                           \
  extern "C" __global__ void name(const float* a, const float* b, float* c, int k, float* parts,   \
                                  unsigned* count) {                                               \
    split_k<p>(a, b, c, k, parts, count);                                                          \
  }
SPLIT_K(split_k_last, kRight)
SPLIT_K(split_k_no_count, kRelease | kAcquire)
SPLIT_K(split_k_no_release, kWait | kAcquire)
SPLIT_K(split_k_no_acquire, kWait | kRelease)

// All parts are added to C by atomics.
extern "C" __global__ void split_k_atomic(const float* a, const float* b, float* c, int k) {
  const int row = blockIdx.x * 16 + threadIdx.y, each = k / gridDim.y;
  atomicAdd(c + row * 16 + threadIdx.x,
            part(a, b, 16, k, row, threadIdx.x, blockIdx.y * each, (blockIdx.y + 1) * each));
}

// Stream-K: `tiles` tiles of 16 × 16 and k / 8 steps each are shared out evenly. The CTA with a tile's
// first step waits for those that have the others, one after the other.
template <int P>
__device__ void stream_k(const float* a, const float* b, float* c, int k, int tiles, float* parts,
                         unsigned* flags) {
  const int steps = k / 8, all = tiles * steps, t = threadIdx.y * 16 + threadIdx.x;
  const int begin = (long long)all * blockIdx.x / gridDim.x;
  const int end = (long long)all * (blockIdx.x + 1) / gridDim.x;
  for (int at = begin; at < end;) {
    const int tile = at / steps, first = at % steps;
    const int last = min(end - tile * steps, steps), row = tile * 16 + threadIdx.y;
    float sum = part(a, b, 16, k, row, threadIdx.x, first * 8, last * 8);
    at = tile * steps + last;
    if (first != 0) {
      parts[blockIdx.x * 256 + t] = sum;
      release<P>();
      __syncthreads();
      if (t == 0) *(volatile unsigned*)(flags + blockIdx.x) = 1;
      continue;
    }
    for (int done = last, other = blockIdx.x + 1; done < steps; ++other) {
      if (P & kWait) {
        if (t == 0) {
          while (*(volatile unsigned*)(flags + other) == 0) {
          }
        }
        acquire<P>();
        __syncthreads();
      }
      sum += parts[other * 256 + t];
      done += (long long)all * (other + 1) / gridDim.x - (long long)all * other / gridDim.x;
    }
    c[row * 16 + threadIdx.x] = sum;
  }
}
#define STREAM_K(name, p)                                                                          \
  extern "C" __global__ void name(const float* a, const float* b, float* c, int k, int tiles,      \
                                  float* parts, unsigned* flags) {                                 \
    stream_k<p>(a, b, c, k, tiles, parts, flags);                                                  \
  }
STREAM_K(stream_k_flags, kRight)
STREAM_K(stream_k_no_wait, kRelease | kAcquire)
STREAM_K(stream_k_no_release, kWait | kAcquire)
STREAM_K(stream_k_no_acquire, kWait | kRelease)

// Each CTA adds to its word what its neighbour's word is, `rounds` times, with a barrier over the grid
// between reading and writing.
template <int P>
__device__ void grid_sync(unsigned* count, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    release<P>();
    atomicAdd(count, 1);
    if (P & kWait) {
      while (*(volatile unsigned*)count < target) __nanosleep(20);
    }
    acquire<P>();
  }
  __syncthreads();
}
template <int P>
__device__ void neighbours(unsigned* words, unsigned* count, int rounds) {
  const unsigned t = threadIdx.x, n = gridDim.x, x = blockIdx.x;
  words[x * 64 + t] = x + 1;
  for (int i = 0; i < rounds; ++i) {
    grid_sync<P>(count, n * (2 * i + 1));
    const unsigned other = words[(x + 1) % n * 64 + t];
    grid_sync<P>(count, n * (2 * i + 2));
    words[x * 64 + t] += other;
  }
}
#define GRID_BARRIER(name, p)                                                                      \
  extern "C" __global__ void name(unsigned* words, unsigned* count, int rounds) {                  \
    neighbours<p>(words, count, rounds);                                                           \
  }
GRID_BARRIER(grid_barrier, kRight)
GRID_BARRIER(grid_barrier_no_wait, kRelease | kAcquire)
GRID_BARRIER(grid_barrier_no_release, kWait | kAcquire)

// The same by a flag a CTA, which the first CTA collects; then it lets all go on. Nobody meets but the
// first.
extern "C" __global__ void grid_barrier_master(unsigned* words, unsigned* arrived, unsigned* go) {
  const unsigned t = threadIdx.x, n = gridDim.x, x = blockIdx.x;
  words[x * 64 + t] = x + 1;
  __threadfence();
  __syncthreads();
  if (x == 0) {
    for (unsigned i = 1 + t; i < n; i += blockDim.x) {
      while (*(volatile unsigned*)(arrived + i) == 0) {
      }
    }
    __threadfence();
    __syncthreads();
    if (t == 0) *(volatile unsigned*)go = 1;
  } else if (t == 0) {
    *(volatile unsigned*)(arrived + x) = 1;
    while (*(volatile unsigned*)go == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  words[n * 64 + x * 64 + t] = words[(x + 1) % n * 64 + t];
}

// Inclusive sums by decoupled look-back: a status word a tile, 1 = the tile's own sum, 2 = all sums up
// to it. Tiles are numbered from the last CTA on if `backward`, so that every CTA waits for a later one.
struct Status {
  unsigned state, sum;
};
__device__ Status read_status(const unsigned long long* at) {
  unsigned long long v;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
  return {(unsigned)(v >> 32), (unsigned)v};
}
__device__ void write_status(unsigned long long* at, unsigned state, unsigned sum) {
  const unsigned long long v = (unsigned long long)state << 32 | sum;
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory");
}
extern "C" __global__ void look_back(const unsigned* in, unsigned* out, unsigned long long* status,
                                     int backward) {
  __shared__ unsigned before, warp_sum[2];
  const int t = threadIdx.x, lane = t % 32, tile = backward ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  unsigned sum = in[tile * 64 + t];
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) warp_sum[t / 32] = sum;
  __syncthreads();
  if (t >= 32) sum += warp_sum[0];
  if (t < 32) {  // lane i looks at tile - 1 - i, window by window
    const unsigned own = warp_sum[0] + warp_sum[1];
    if (lane == 0) write_status(status + tile, tile == 0 ? 2 : 1, own);
    unsigned all = 0;
    for (int window = tile - 1; window >= 0; window -= 32) {
      const int i = window - lane;
      Status s{2, 0};
      if (i >= 0) {
        do s = read_status(status + i);
        while (s.state == 0);
      }
      const unsigned whole = __ballot_sync(~0u, s.state == 2);
      const int to = whole ? __ffs(whole) - 1 : 31;
      all += __reduce_add_sync(~0u, lane <= to ? s.sum : 0);
      if (whole) break;
    }
    if (lane == 0) {
      before = all;
      if (tile != 0) write_status(status + tile, 2, all + own);
    }
  }
  __syncthreads();
  out[tile * 64 + t] = sum + before;
}

// Other ways to wait for the next CTA's flag: all threads of the CTA, with a barrier in the loop; a
// lock; a count of the tries; a plain load; warps of whose lanes one looks.
extern "C" __global__ void wait_together(unsigned* flags, unsigned* out) {
  __shared__ unsigned seen;
  const unsigned x = blockIdx.x, n = gridDim.x;
  do {
    __syncthreads();
    if (threadIdx.x == 0) seen = x + 1 == n ? 1 : *(volatile unsigned*)(flags + x + 1);
    __syncthreads();
  } while (seen == 0);
  out[x * blockDim.x + threadIdx.x] = seen;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile unsigned*)(flags + x) = seen + 1;
}
extern "C" __global__ void wait_shuffled(unsigned* flags, unsigned* out) {
  const unsigned x = blockIdx.x, n = gridDim.x, lane = threadIdx.x % 32;
  unsigned seen = 1;
  while (x + 1 < n) {
    if (lane == 0) seen = *(volatile unsigned*)(flags + x + 1);
    seen = __shfl_sync(~0u, seen, 0);
    if (seen) break;
  }
  out[x * blockDim.x + threadIdx.x] = seen;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile unsigned*)(flags + x) = seen + 1;
}
extern "C" __global__ void wait_backing_off(unsigned* flags, unsigned* out) {
  const unsigned x = blockIdx.x, n = gridDim.x;
  unsigned seen = 1, ns = 8;
  while (x + 1 < n && (seen = *(volatile unsigned*)(flags + x + 1)) == 0) {
    __nanosleep(ns);
    if (ns < 256) ns *= 2;
  }
  out[x * blockDim.x + threadIdx.x] = seen;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile unsigned*)(flags + x) = seen + 1;
}
extern "C" __global__ void wait_counting(unsigned* flags, unsigned* out) {
  const unsigned x = blockIdx.x, n = gridDim.x;
  unsigned seen = 1, tries = 0;
  while (x + 1 < n && (seen = *(volatile unsigned*)(flags + x + 1)) == 0) ++tries;
  out[x * blockDim.x + threadIdx.x] = seen + (tries == 0xffffffff);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile unsigned*)(flags + x) = seen + 1;
}
// Takes a ticket's turn with compare-and-swap; the last CTA is the first that may.
extern "C" __global__ void wait_swapping(unsigned* turn, unsigned* out) {
  const unsigned x = blockIdx.x, n = gridDim.x, mine = n - 1 - x;
  if (threadIdx.x == 0) {
    while (atomicCAS(turn, 2 * mine, 2 * mine + 1) != 2 * mine) {
    }
    __threadfence();
    out[0] = out[0] * 3 + x;
    __threadfence();
    atomicAdd(turn, 1);
  }
}
// CTA x waits for x + 1's flag, and the last for the first's: nobody ever goes on.
extern "C" __global__ void wait_in_a_circle(unsigned* flags) {
  const unsigned x = blockIdx.x, n = gridDim.x;
  if (threadIdx.x == 0) {
    while (*(volatile unsigned*)(flags + (x + 1) % n) == 0) {
    }
    *(volatile unsigned*)(flags + x) = 1;
  }
}
// Waits for four arrivals, but only as many as there are CTAs come.
extern "C" __global__ void wait_for_four(unsigned* words, unsigned* count) {
  if (threadIdx.x == 0) {
    atomicAdd(count + 3, 1);
    while (*(volatile unsigned*)(count + 3) < 4) {
    }
    words[blockIdx.x] = 1;
  }
}
