// The library to compare with: cuBLASLt, opened at run time. Its figure is the best of the
// heuristics' candidates at the same types and layouts.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "worker/engine/gpu/cuda_api.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {

namespace cublaslt {
// Declared here because wheels lack the header; checked against it where it exists (cublaslt.cpp).
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
struct Functions {
  size_t (*version)();
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*desc_create)(void** desc, int compute, int scale);
  int (*desc_destroy)(void* desc);
  int (*desc_set)(void* desc, int attribute, const void* value, size_t bytes);
  int (*layout_create)(void** layout, int type, uint64_t rows, uint64_t cols, int64_t leading);
  int (*layout_destroy)(void* layout);
  int (*preference_create)(void** preference);
  int (*preference_destroy)(void* preference);
  int (*preference_set)(void* preference, int attribute, const void* value, size_t bytes);
  int (*heuristics)(void* handle, void* desc, void* a, void* b, void* c, void* d, void* preference,
                    int wanted, Heuristic* results, int* found);
  int (*multiply)(void* handle, void* desc, const void* alpha, const void* a, void* a_layout,
                  const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                  void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                  size_t workspace_bytes, cuda::Stream stream);
};

/// How a row-major problem is put to a library that knows column-major matrices alone: C transposed
/// is B transposed times A transposed, so the operands change places.
struct Matrix {
  int type = 0;  // cudaDataType
  uint64_t rows = 0, cols = 0;
  int64_t leading = 0;
  int transposed = 0;  // cublasOperation_t
};
struct Call {
  Matrix first, second, out;  // B, A and C of the problem
};
Call call_of(const Problem& problem);
}  // namespace cublaslt

class CublasLt {
 public:
  /// TILESCOPE_CUBLASLT, else the loader; null if there is none: the comparison is then left out,
  /// and `why_not` says why.
  static std::unique_ptr<CublasLt> open(std::string* why_not);
  ~CublasLt();
  std::string name() const;  // "cuBLASLt 13.0"

  static constexpr size_t kWorkspace = 64u << 20;
  /// Prepares a problem; false if the library cannot compute it.
  bool prepare(const Problem& problem);
  int candidates() const { return static_cast<int>(heuristics_.size()); }
  /// Enqueues candidate `i`. False if it does not run.
  bool run(int i, cuda::DevicePointer a, cuda::DevicePointer b, cuda::DevicePointer c,
           cuda::DevicePointer workspace, cuda::Stream stream) const;

 private:
  CublasLt() = default;
  void release();
  std::unique_ptr<SharedLibrary> library_;
  cublaslt::Functions f_{};
  void* handle_ = nullptr;
  void* desc_ = nullptr;
  void* layouts_[3] = {};
  float alpha_ = 1, beta_ = 0;
  std::vector<cublaslt::Heuristic> heuristics_;
};

}  // namespace tilescope::worker
