// Kernels for clang's NVPTX back end, which needs no headers; see README.md.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define NOINLINE __attribute__((noinline))

DEVICE int tid() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE int size() { return __nvvm_read_ptx_sreg_ntid_x(); }

GLOBAL void clang_reduce(const float* in, float* out, int n) {
  SHARED static float parts[32];
  float sum = 0;
  for (int i = tid(); i < n; i += size()) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __nvvm_shfl_sync_down_f32(~0u, sum, d, 31);
  if (tid() % 32 == 0) parts[tid() / 32] = sum;
  __syncthreads();
  if (tid() == 0) {
    for (int w = 1; w < size() / 32; ++w) sum += parts[w];
    __nvvm_atom_add_gen_f(out, sum);
  }
}

DEVICE NOINLINE int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
GLOBAL void clang_recursion(int* out) { out[tid()] = ackermann(tid() % 3, tid() % 5); }

typedef int (*Operation)(int, int);
DEVICE int add(int a, int b) { return a + b; }
DEVICE int sub(int a, int b) { return a - b; }
DEVICE int mul(int a, int b) { return a * b; }
DEVICE Operation operations[3] = {add, sub, mul};
GLOBAL void clang_indirect(int* out) { out[tid()] = operations[tid() % 3](tid(), 5); }

struct Shape {
  double weight;
  short sides[5];
  char name;
};
CONSTANT int factors[8] = {7, 1, 3, 5, 9, 2, 4, 8};
GLOBAL void clang_mixed(const int* in, long long* out, Shape shape) {
  int i = tid(), v = in[i], history[16];
  for (int k = 0; k < 16; ++k) history[k] = v >> k;  // indexed below: local memory
  long long r = history[v & 15] * (long long)factors[i & 7] + shape.sides[i % 5] + shape.name;
  switch (v & 15) {
    case 0: r += 3; break;
    case 1: r *= 5; break;
    case 2: r ^= 77; break;
    case 3: r -= i; break;
    case 4: r = -r; break;
    case 5: r /= 3; break;
    case 6: r %= 11; break;
    case 9: r <<= 3; break;
    default: r += (long long)(shape.weight * i);
  }
  float f = (float)v * 0.25f;
  r += (long long)__builtin_floorf(f) + (f < 0 ? 1 : 0) + __builtin_popcount(v) + __builtin_clz(v | 1);
  out[i] = r;
}

GLOBAL void clang_lock(int* lock, volatile int* counter) {
  while (__nvvm_atom_cas_gen_i(lock, 0, 1) != 0) {
  }
  __nvvm_membar_gl();
  *counter = *counter + 1;
  __nvvm_membar_gl();
  __nvvm_atom_xchg_gen_i(lock, 0);
}
