// SGEMV, a CTA a row
// y [M] = A [M, K] * x [K], A row-major. 128 threads sum up the products of a row, each every
// 128th; then they add their sums through shared memory, half of them at a time, the last steps
// within one warp.
// As in: kaldi-asr/kaldi issue #2604 (_trace_mat_mat_trans) and PR #3211, ORNL/HeCBench issue #91
#define THREADS 128

__global__ void sgemv_rows(const float* A, const float* x, float* y, int M, int K) {
  __shared__ float sums[THREADS];
  const int tid = threadIdx.x, row = blockIdx.x;
  float sum = 0.0f;
  for (int k = tid; k < K; k += THREADS) sum += A[row * K + k] * x[k];
  sums[tid] = sum;
  __syncthreads();
  if (tid < 64) sums[tid] += sums[tid + 64];
  __syncthreads();
  if (tid < 32) {
    for (int step = 32; step > 0; step /= 2) {
      if (tid < step) sums[tid] += sums[tid + step];
    }
  }
  if (tid == 0) y[row] = sums[0];
}

// One thread a row: what is right.
__global__ void sgemv_naive(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * x[k];
  y[row] = sum;
}
