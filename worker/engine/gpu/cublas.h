// cuBLAS as most programs call it: cublasGemmEx, which chooses its kernel itself.
#pragma once
#include "worker/engine/gpu/vendor_library.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

namespace cublas {
// Declared here because wheels lack the header.
struct Functions {
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*version)(void* handle, int* version);
  int (*set_stream)(void* handle, cuda::Stream stream);
  int (*set_workspace)(void* handle, void* workspace, size_t bytes);
  int (*multiply)(void* handle, int transpose_first, int transpose_second, int m, int n, int k,
                  const void* alpha, const void* a, int a_type, int lda, const void* b, int b_type,
                  int ldb, const void* beta, void* c, int c_type, int ldc, int compute,
                  int algorithm);
};
}  // namespace cublas

class Cublas : public VendorLibrary {
 public:
  /// TILESCOPE_CUBLAS, else beside TILESCOPE_CUBLASLT, else the loader; null if there is none:
  /// `why_not` says why.
  static std::unique_ptr<VendorLibrary> open(std::string* why_not);
  ~Cublas() override;
  std::string name() const override;
  bool prepare(const Problem& problem) override;
  int candidates() const override { return fits_ ? 1 : 0; }
  bool run(int i, const LibraryOperands& on) const override;

 private:
  Cublas() = default;
  std::unique_ptr<SharedLibrary> library_;
  cublas::Functions f_{};
  void* handle_ = nullptr;
  LibraryCall call_;
  int k_ = 0;
  float alpha_ = 1, beta_ = 0;
  bool fits_ = false;
};

}  // namespace tilescope::worker
