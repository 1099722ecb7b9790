// How far cuBLAS's results are from double precision, ‖C − exact‖ / ‖exact‖: SGEMM, and cuBLASLt's
// e4m3 × e4m3 → f32 with and without fast accumulation. Random numbers from −1 to 1, TN, cubes.
//   nvcc -O2 -arch=sm_90 -o library_error bench/library_error.cu -lcublas -lcublasLt
//   ./library_error
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

/// Bits of a counter, mixed (splitmix64), as a number from −1 to 1.
__device__ float uniform(uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9;
  i = (i ^ (i >> 27)) * 0x94d049bb133111eb;
  i ^= i >> 31;
  return static_cast<float>(i >> 40) / 8388608.0f - 1.0f;
}
template <class T>
__global__ void fill(T* to, double* exact, size_t count, uint64_t seed) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    to[i] = T(uniform(seed + i));
    exact[i] = static_cast<float>(to[i]);
  }
}
__global__ void add_squares(const float* c, const double* exact, size_t count, double* sums) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  double difference = 0, reference = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    const double d = c[i] - exact[i];
    difference += d * d, reference += exact[i] * exact[i];
  }
  atomicAdd(sums, difference), atomicAdd(sums + 1, reference);
}

template <class T>
T* device(size_t count) {
  T* p = nullptr;
  if (cudaMalloc(&p, count * sizeof(T)) != cudaSuccess) std::printf("no memory\n");
  return p;
}

/// n × n of A, B, C, and what C should be.
template <class T>
struct Product {
  Product(cublasHandle_t cublas, int n) : n(n), count(size_t(n) * n) {
    double *exact_a = device<double>(count), *exact_b = device<double>(count);
    fill<<<1024, 256>>>(a, exact_a, count, 1);
    fill<<<1024, 256>>>(b, exact_b, count, 1ull << 40);
    const double one = 1, zero = 0;
    cublasDgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, exact_a, n, exact_b, n, &zero,
                exact, n);
    cudaDeviceSynchronize();
    cudaFree(exact_a), cudaFree(exact_b);
  }
  double error() const {
    double* sums = nullptr;
    cudaMallocManaged(&sums, 2 * sizeof(double));
    sums[0] = sums[1] = 0;
    add_squares<<<1024, 256>>>(c, exact, count, sums);
    cudaDeviceSynchronize();
    const double error = std::sqrt(sums[0] / sums[1]);
    cudaFree(sums);
    return error;
  }
  int n;
  size_t count;
  T *a = device<T>(count), *b = device<T>(count);
  float* c = device<float>(count);
  double* exact = device<double>(count);
};

void eight_bits(cublasLtHandle_t lt, const Product<__nv_fp8_e4m3>& p, int8_t fast) {
  cublasLtMatmulDesc_t product;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const cublasOperation_t turned = CUBLAS_OP_T;
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
  cublasLtMatrixLayout_t operand, sum;
  cublasLtMatrixLayoutCreate(&operand, CUDA_R_8F_E4M3, p.n, p.n, p.n);
  cublasLtMatrixLayoutCreate(&sum, CUDA_R_32F, p.n, p.n, p.n);
  size_t room = size_t{64} << 20;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room,
                                       sizeof room);
  cublasLtMatmulHeuristicResult_t chosen;
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(lt, product, operand, operand, sum, sum, preference, 1, &chosen,
                                 &found);
  char* workspace = device<char>(room);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  const float one = 1, zero = 0;
  float best = 1e9f;
  for (int i = 0; found > 0 && i < 12; ++i) {
    cudaEventRecord(begin);
    cublasLtMatmul(lt, product, &one, p.a, operand, p.b, operand, &zero, p.c, sum, p.c, sum,
                   &chosen.algo, workspace, room, nullptr);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    best = std::min(best, ms);
  }
  std::printf("cuBLASLt e4m3 %d, fast accumulation %d: error %.3g, %.0f TFLOPS (best of 12)\n", p.n,
              fast, p.error(), 2.0 * p.n * p.n * p.n / best * 1e-9);
  cudaFree(workspace);
}

}  // namespace

int main() {
  cublasHandle_t cublas;
  cublasLtHandle_t lt;
  cublasCreate(&cublas), cublasLtCreate(&lt);
  for (const int n : {4096, 8192}) {
    const Product<float> p(cublas, n);
    const float one = 1, zero = 0;
    cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, p.a, n, p.b, n, &zero, p.c, n);
    std::printf("cuBLAS SGEMM %d: error %.3g\n", n, p.error());
    const Product<__nv_fp8_e4m3> q(cublas, n);
    for (const int8_t fast : {0, 1}) eight_bits(lt, q, fast);
  }
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
