// cuBLASLt: a candidate for each answer of its heuristics, at the same types and layouts.
#pragma once
#include "worker/engine/gpu/vendor_library.h"
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
}  // namespace cublaslt

class CublasLt : public VendorLibrary {
 public:
  /// TILESCOPE_CUBLASLT, else wheels, else the loader; null if there is none: `why_not` says why.
  static std::unique_ptr<VendorLibrary> open(std::string* why_not);
  ~CublasLt() override;
  std::string name() const override;
  bool prepare(const Problem& problem) override;
  int candidates() const override { return static_cast<int>(heuristics_.size()); }
  bool run(int i, const LibraryOperands& on) const override;

 private:
  CublasLt() = default;
  void release();
  std::unique_ptr<SharedLibrary> library_;
  cublaslt::Functions f_{};
  void* handle_ = nullptr;
  void* desc_ = nullptr;
  void* layouts_[3] = {};
  LibraryCall call_;
  float alpha_ = 1, beta_ = 0;
  bool has_bias_ = false;
  std::vector<cublaslt::Heuristic> heuristics_;
};

}  // namespace tilescope::worker
