// The first SGEMM that one writes
// C [M, N] = A [M, K] * B [K, N], row-major, any extents. A thread computes one element of C from a
// row of A and a column of B, straight from global memory.
// The grid covers at least all of C.
// As in: siboehm/SGEMM_CUDA issue #7 (kernel 1)
__global__ void sgemm_first(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  int k = 0;
  // Four products at a time, then what is left.
  for (; k + 4 <= K; k += 4) {
    const float* a = &A[row * K + k];
    const float* b = &B[k * N + col];
    sum += a[0] * b[0];
    sum += a[1] * b[N];
    sum += a[2] * b[2 * N];
    sum += a[3] * b[3 * N];
  }
  for (; k < K; ++k) {
    sum += A[row * K + k] * B[k * N + col];
  }
  C[row * N + col] = sum;
}
