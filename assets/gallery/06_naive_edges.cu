// SGEMM of any size, without tiles
// C [M, N] = A [M, K] * B [K, N], row-major, any extents. A thread computes one element; the grid
// covers at least all of C, and threads that lie outside of C have nothing to do.
// As in: paradigms-of-intelligence/cubff PR #54 (CheckSelfRep), autowarefoundation/autoware PR #113
__global__ void sgemm_any(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > M || col > N) return;
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
