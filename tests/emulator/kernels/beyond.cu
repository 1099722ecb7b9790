// Kernels beyond GEMM, for the emulator's tests. Written for these tests; see README.md.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void softmax(const float* in, float* out, int cols) {  // a warp a row
  const float* row = in + blockIdx.x * cols;
  float top = -3.4e38f, sum = 0;
  for (int i = threadIdx.x; i < cols; i += 32) top = fmaxf(top, row[i]);
  for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  for (int i = threadIdx.x; i < cols; i += 32) sum += expf(row[i] - top);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  for (int i = threadIdx.x; i < cols; i += 32) out[blockIdx.x * cols + i] = expf(row[i] - top) / sum;
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

extern "C" __global__ void scan(const int* in, int* out, int n) {  // one block, inclusive
  extern __shared__ int buffer[];
  __shared__ int warp_sums[32];
  int i = threadIdx.x, v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (i % 32 >= d) v += other;
  }
  if (i % 32 == 31) warp_sums[i / 32] = v;
  buffer[i] = v;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < i / 32; ++w) before += warp_sums[w];
  if (i < n) out[i] = buffer[i] + before;
}

// Every thread takes one lock in turn: lanes of a warp wait for each other.
extern "C" __global__ void spin_lock(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// Lane 0 waits for a flag that the last lane of its warp sets.
extern "C" __global__ void hand_over(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    out[0] = *flag;
  } else if (threadIdx.x == 31) {
    *flag = 42;
  }
  __syncwarp();
  out[1 + threadIdx.x] = threadIdx.x;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int is_odd(int n);
__device__ __noinline__ int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
__device__ __noinline__ int ackermann(int m, int n) {
  int marks[4] = {m, n, m + n, m * n};
  if (m == 0) return n + 1;
  int inner = n == 0 ? 1 : ackermann(m, n - 1);
  return ackermann(m - 1, inner) + marks[(m + n) & 3] - marks[(m + n) & 3];
}
extern "C" __global__ void recursion(int* out) {  // lanes at different depths
  int i = threadIdx.x;
  out[3 * i] = fibonacci(i % 13);
  out[3 * i + 1] = is_even(i);
  out[3 * i + 2] = ackermann(i % 3, i % 5);
}

struct Pair {
  float a;
  double b;
};
typedef float (*Operation)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float sub(float a, float b) { return a - b; }
__device__ float mul(float a, float b) { return a * b; }
__device__ __noinline__ Pair twice(Pair p) { return Pair{p.a * 2, p.b * 2}; }
__device__ Operation operations[3] = {add, sub, mul};
__constant__ Operation constants[2] = {mul, add};
struct Shape {
  __device__ virtual float area(float x) const { return 0; }
};
struct Square : Shape {
  __device__ float area(float x) const override { return x * x; }
};
struct Circle : Shape {
  float pi;
  __device__ explicit Circle(float p) : pi(p) {}
  __device__ float area(float x) const override { return pi * x * x; }
};
extern "C" __global__ void indirect(float* out) {
  int i = threadIdx.x;
  Square square;
  Circle circle(3.0f);
  const Shape* shape = i % 2 ? static_cast<const Shape*>(&square) : &circle;
  Pair p = twice(Pair{(float)i, i / 4.0});
  out[i] = operations[i % 3]((float)i, 2.0f) + constants[i % 2](p.a, (float)p.b) + shape->area((float)i);
}

__device__ int table[5] = {3, 1, 4, 1, 5};
__device__ int* middle = &table[2];
__constant__ const char* names[2] = {"even", "odd"};
extern "C" __global__ void pointers(int* out) {
  out[threadIdx.x] = middle[(int)(threadIdx.x % 5) - 2] + names[threadIdx.x % 2][1];
}

extern "C" __global__ void jump_table(const int* in, int* out) {
  int i = threadIdx.x, v = in[i], r;
  switch (v) {
    case 0: r = i * 3; break;
    case 1: r = i - 7; break;
    case 2: r = i ^ 21; break;
    case 3: r = i * i; break;
    case 4: r = -i; break;
    case 5: r = i << 3; break;
    case 6: r = i / 3; break;
    case 7: r = i % 7; break;
    default: r = -1;
  }
  out[i] = r;
}

extern "C" __global__ void print(int limit) {
  if (threadIdx.x % 16 == 3)
    printf("block %d thread %2u: %s %5.2f %lld %c%%\n", (int)blockIdx.x, threadIdx.x, "text",
           threadIdx.x / 4.0, -1234567890123LL, 'x');
  assert((int)threadIdx.x < limit);
}

// A two-stage pipeline of cp.async that mbarriers announce.
extern "C" __global__ void pipeline(const int4* in, int* out, int steps) {
#if __CUDA_ARCH__ >= 800
  __shared__ int4 stages[2][64];
  __shared__ unsigned long long barriers[2];
  unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(barriers);
  if (t == 0)
    for (int s = 0; s < 2; ++s)
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at + 8 * s), "r"(blockDim.x));
  __syncthreads();
  auto issue = [&](int k) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&stages[k % 2][t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + k * 64 + t));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at + 8 * (k % 2)));
  };
  issue(0);
  int sum = 0;
  for (int k = 0; k < steps; ++k) {
    if (k + 1 < steps) issue(k + 1);
    unsigned done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
                   "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at + 8 * (k % 2)), "r"((k / 2) & 1));
    int4 v = stages[k % 2][63 - t];
    sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    __syncthreads();
  }
  out[t] = sum;
#endif
}

// Wide arithmetic, bit tricks and votes, as the compiler writes them.
extern "C" __global__ void mixed(const unsigned* in, unsigned long long* out) {
  unsigned i = threadIdx.x, a = in[i], b = in[i + 32];
  unsigned __int128 wide = (unsigned __int128)(((unsigned long long)a << 32) | b) * 0x123456789abcdefull;
  wide += (unsigned __int128)a << 70;
  unsigned long long r = (unsigned long long)(wide >> 64) ^ (unsigned long long)wide;
  r += __popc(a) + __clz(b) + __ffs(a) + __brev(b) + __byte_perm(a, b, 0x5140);
  r += __funnelshift_l(a, b, i) + __umulhi(a, b) + __dp4a((int)a, (int)b, 5) + __vadd4(a, b);
  r += __ballot_sync(0xffffffffu, a & 1) + __any_sync(0xffffffffu, a == 7) + __match_any_sync(0xffffffffu, a % 3);
  r += (long long)(int)a / ((int)b | 1) + (long long)a % (b | 1);
  out[i] = r;
}
