// Kernels that fault, and kernels that never end: what tools/ordeal and the window's test
// with_faults launch on a card. An emulator, which would find these out before, sees nothing; what
// the driver of tests/driver then says stands beside each.

/// The upper half of a clock of nanoseconds that an emulation begins with zero.
__device__ bool on_a_card() {
  unsigned high;
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
  return high != 0;
}

extern "C" __global__ void null_write(int* out) {  // illegal_address
  if (!on_a_card()) return;
  int* volatile nowhere = nullptr;
  *nowhere = out[0];
}

extern "C" __global__ void wild_read(int* out) {  // illegal_address
  if (!on_a_card()) return;
  const volatile int* far = reinterpret_cast<const int*>(0x7f1234560000ull);
  out[threadIdx.x] = far[threadIdx.x];
}

extern "C" __global__ void misaligned(int* out) {  // misaligned_address
  if (!on_a_card()) return;
  *reinterpret_cast<volatile double*>(reinterpret_cast<char*>(out) + 4) = 1;
}

extern "C" __global__ void traps(int* out) {  // launch_failed
  if (!on_a_card()) return;
  if (out[threadIdx.x] == 0) asm volatile("trap;");
}

extern "C" __global__ void wild_shared(int* out) {  // illegal_address
  if (!on_a_card()) return;
  extern __shared__ int shared[];
  volatile int* far = shared;
  out[0] = far[1 << 20];
}

__device__ __noinline__ int deep(int n, volatile int* out) {
  volatile int here[64];
  here[n & 63] = n;
  return out[0] == 12345 ? n : deep(n + 1, out) + here[n & 63];
}
extern "C" __global__ void stack_overflow(int* out) {  // illegal_address
  if (!on_a_card()) return;
  out[threadIdx.x] = deep(0, out);
}

extern "C" __global__ void much_shared(int* out) {
  if (!on_a_card()) return;
  extern __shared__ int shared[];
  shared[threadIdx.x] = out[threadIdx.x];
  out[threadIdx.x] = shared[threadIdx.x];
}

// Hangs.
extern "C" __global__ void endless(int* out) {  // hang
  if (!on_a_card()) return;
  volatile int* flag = out;
  while (*flag == 0) {
  }
}

extern "C" __global__ void ctas_wait(int* out) {  // hang
  if (!on_a_card()) return;
  if (threadIdx.x == 0) {
    while (atomicAdd(&out[blockIdx.x ^ 1], 0) == 0) {
    }
    out[blockIdx.x] = 1;
  }
}

extern "C" __global__ void nobody_arrives(int* out) {  // hang
  if (!on_a_card()) return;
  asm volatile("bar.sync 1, 96;");
  out[threadIdx.x] = 1;
}

extern "C" __global__ void a_phase_that_never_ends(int* out) {  // hang
  if (!on_a_card()) return;
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
  __syncthreads();
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at));
  }
  out[0] = 1;
}
