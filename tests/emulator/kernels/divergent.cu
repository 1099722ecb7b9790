// Threads at or past n leave before the barrier; the rest loop a different number of times each,
// with break and continue, and meet again.
extern "C" __global__ void divergent(const int* in, int* out, int n) {
  __shared__ int total[256];
  const int t = threadIdx.x;
  if (t >= n) return;
  int sum = 0;
  for (int i = 0; i < in[t]; ++i) {
    if (i % 3 == 1) continue;
    if (sum > 40) break;
    sum += (i & 1) ? i : 2;
    for (int j = 0; j < (t & 3); ++j) sum ^= j;
  }
  total[t] = sum;
  __syncthreads();
  out[t] = total[n - 1 - t] * 2 + (sum & 1);
}
