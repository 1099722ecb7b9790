// The one parameter of every GEMM kernel. Same text for g++ (the launcher), nvcc and NVRTC.
#pragma once

namespace tilescope {

/// C = alpha · A·B + beta · C. Leading dimensions in elements. 56 bytes, passed by value.
struct GemmArgs {
  const void* a;
  const void* b;
  float* c;
  int m, n, k;
  int lda, ldb, ldc;
  float alpha, beta;
};
static_assert(sizeof(GemmArgs) == 56);

}  // namespace tilescope
