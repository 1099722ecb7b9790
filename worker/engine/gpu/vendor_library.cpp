#include "worker/engine/gpu/vendor_library.h"

#include <algorithm>
#include <iterator>

#include "worker/engine/cuda_folders.h"
#include "worker/engine/gpu/cublas.h"
#include "worker/engine/gpu/cublaslt.h"

namespace tilescope::worker {
namespace {

// cudaDataType
constexpr int kReal32f = 0, kReal16f = 2, kReal16bf = 14, kRealE4m3 = 28, kRealE5m2 = 29;

int library_type(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return kReal16f;
    case ElementType::bf16:
      return kReal16bf;
    case ElementType::e4m3:
      return kRealE4m3;
    case ElementType::e5m2:
      return kRealE5m2;
    default:
      return kReal32f;
  }
}

/// The memory of `o` as a column-major matrix, and what must be done to it so that `o` comes out,
/// or its transpose.
LibraryMatrix matrix_of(const Problem& p, Operand o, bool transpose) {
  const auto rows = static_cast<uint64_t>(operand_rows(p, o));
  const auto cols = static_cast<uint64_t>(operand_cols(p, o));
  // Row-major memory read as column-major is the transpose already.
  const bool turned = operand_order(p, o) == Order::row_major;
  return {.type = library_type(operand_type(p, o)),
          .rows = turned ? cols : rows,
          .cols = turned ? rows : cols,
          .leading = leading_dimension(p, o),
          .transposed = turned != transpose ? 1 : 0};
}

}  // namespace

LibraryCall library_call(const Problem& p) {
  const bool swapped = p.order_c == Order::row_major;
  return {matrix_of(p, swapped ? Operand::b : Operand::a, swapped),
          matrix_of(p, swapped ? Operand::a : Operand::b, swapped),
          matrix_of(p, Operand::c, swapped), swapped};
}

std::vector<std::string> vendor_places(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& folder : cublas_folders()) {
    std::ranges::copy(candidates_at(folder, names), std::back_inserter(all));
  }
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

std::vector<std::unique_ptr<VendorLibrary>> open_libraries(std::string* why_not) {
  constexpr std::unique_ptr<VendorLibrary> (*kOpen[])(std::string*) = {CublasLt::open,
                                                                       Cublas::open};
  std::vector<std::unique_ptr<VendorLibrary>> libraries;
  for (const auto open : kOpen) {
    std::string why;
    if (auto library = open(&why)) {
      libraries.push_back(std::move(library));
    } else if (why_not->empty()) {
      *why_not = why;
    }
  }
  return libraries;
}

}  // namespace tilescope::worker
