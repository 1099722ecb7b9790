// The vendor's libraries that kernels are compared with, opened at run time. Each offers candidates
// (its algorithms); the fastest candidate with a right result, of all libraries, is "the library".
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "worker/engine/gpu/cuda_api.h"

namespace tilescope::worker {

/// Where a call of a library works.
struct LibraryOperands {
  cuda::DevicePointer a = 0, b = 0, c = 0, workspace = 0, bias = 0;
  cuda::Stream stream = nullptr;
  static constexpr size_t kWorkspace = 64u << 20;  // bytes
};

/// How a problem is put to a library that knows column-major matrices alone. Row-major C is its own
/// transpose there, B transposed times A transposed: the operands change places.
struct LibraryMatrix {
  int type = 0;  // cudaDataType
  uint64_t rows = 0, cols = 0;
  int64_t leading = 0;
  int transposed = 0;  // cublasOperation_t
};
struct LibraryCall {
  LibraryMatrix first, second, out;
  bool swapped = false;  // `first` is the problem's B and `second` its A
  template <class T>
  const T& first_of(const T& a, const T& b) const {
    return swapped ? b : a;
  }
};
LibraryCall library_call(const Problem& problem);
/// cublasComputeType_t of every call: sums in single precision, without TF32.
inline constexpr int kLibraryCompute32f = 68;

class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  virtual std::string name() const = 0;  // "cuBLASLt 13.0"
  /// Prepares a problem; false if the library cannot compute it.
  virtual bool prepare(const Problem& problem) = 0;
  virtual int candidates() const = 0;
  /// Enqueues candidate `i`. False if it does not run.
  virtual bool run(int i, const LibraryOperands& on) const = 0;
};

/// Where a library of one of these names is looked for: in wheels, then where the loader looks.
std::vector<std::string> vendor_places(const std::vector<std::string>& names);

/// The libraries that can be opened here. `why_not`: why the first of the others cannot.
std::vector<std::unique_ptr<VendorLibrary>> open_libraries(std::string* why_not);

}  // namespace tilescope::worker
