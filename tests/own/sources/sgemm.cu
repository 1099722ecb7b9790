// An SGEMM as other people write them: kernels in headers of their own, a main with cuBLAS beside
// it, launches with the host's constants. Ours, in a foreign style.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "kernels/kernels.cuh"

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))

using namespace std;

void cuda_check(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}

static const std::vector<int> SIZE = {128, 256, 512, 1024};

struct Timer {
  cudaEvent_t beg, end;
  Timer() { cudaEventCreate(&beg), cudaEventCreate(&end); }
  float stop() {
    float ms = 0;
    cudaEventElapsedTime(&ms, beg, end);
    return ms;
  }
};

void run_naive(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
  dim3 blockDim(32, 32);
  sgemm_naive<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}

void run_shared(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
  dim3 blockDim(32 * 32);
  sgemm_shared_block<32><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}

void run_blocktiling(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const uint BK = 8;
  const uint TM = 8;
  const uint TN = 8;
  if (M >= 128 and N >= 128) {
    const uint BM = 128;
    const uint BN = 128;
    dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemm2DBlocktiling<BM, BN, BK, TM, TN><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
  } else {
    // this is a hacky solution to the underlying problem
    const uint BM = 64;
    const uint BN = 64;
    dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemm2DBlocktiling<BM, BN, BK, TM, TN><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
  }
}

template <typename T>
bool verify_matrix(T* mat_ref, T* mat_out, int N) {
  for (int i = 0; i < N; i++) {
    if (fabs((double)(mat_ref[i] - mat_out[i])) > 0.01) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  int kernel_num = atoi(argv[1]);
  cublasHandle_t handle;
  if (cublasCreate(&handle)) {
    cerr << "Create cublas handle error." << endl;
    exit(EXIT_FAILURE);
  }
  long m = 4096, n = 4096, k = 4096;
  float alpha = 0.5, beta = 3.0;
  float *dA = nullptr, *dB = nullptr, *dC = nullptr;
  cudaCheck(cudaMalloc((void**)&dA, sizeof(float) * m * k));
  for (int size : SIZE) {
    m = n = k = size;
    std::cout << "dimensions(m=n=k) " << m << ", alpha: " << alpha << ", kernel " << kernel_num
              << std::endl;
    run_blocktiling(m, n, k, alpha, dA, dB, beta, dC);
  }
  cudaFree(dA);
  cublasDestroy(handle);
  return 0;
}
