#include "worker/engine/gpu/cublas.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace tilescope::worker {
namespace {

constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

std::vector<std::string> places() {
  std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  if (const std::string given = environment("TILESCOPE_CUBLAS"); !given.empty()) {
    return candidates_at(given, names);
  }
  const std::string beside = environment("TILESCOPE_CUBLASLT");
  if (beside.empty()) return vendor_places(names);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::is_directory(beside, ignored)
                                           ? std::filesystem::path(beside)
                                           : std::filesystem::path(beside).parent_path();
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back((folder / name).string());
  return paths;
}

}  // namespace

std::unique_ptr<VendorLibrary> Cublas::open(std::string* why_not) {
  std::unique_ptr<Cublas> blas(new Cublas);
  blas->library_ = SharedLibrary::open(places());
  if (!blas->library_) {
    *why_not =
        "cuBLAS was not found; install it (libcublas, wheel nvidia-cublas) to compare with it.";
    return nullptr;
  }
  cublas::Functions& f = blas->f_;
  const SharedLibrary& from = *blas->library_;
  const bool loaded =
      from.load(f.create, "cublasCreate_v2") && from.load(f.destroy, "cublasDestroy_v2") &&
      from.load(f.version, "cublasGetVersion_v2") &&
      from.load(f.set_stream, "cublasSetStream_v2") &&
      from.load(f.set_workspace, "cublasSetWorkspace_v2") && from.load(f.multiply, "cublasGemmEx");
  if (!loaded || f.create(&blas->handle_) != 0) {
    *why_not = blas->library_->name() + " does not start here; install one that fits the driver.";
    return nullptr;
  }
  return blas;
}

Cublas::~Cublas() {
  if (handle_) f_.destroy(handle_);
}

std::string Cublas::name() const {
  int version = 0;  // 130000, or 12 × 10000 + …
  f_.version(handle_, &version);
  return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100);
}

bool Cublas::prepare(const Problem& problem) {
  call_ = library_call(problem);
  k_ = problem.k;
  alpha_ = problem.alpha, beta_ = problem.beta;
  // Its leading dimensions are ints.
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  // It has no epilogue that adds a bias, and no operands of eight bits.
  fits_ = !problem.bias && element_bytes(problem.type_a) > 1 &&
          std::max({call_.first.leading, call_.second.leading, call_.out.leading}) <= kMost;
  return fits_;
}

bool Cublas::run(int, const LibraryOperands& on) const {
  const auto pointer = [](cuda::DevicePointer p) { return reinterpret_cast<void*>(p); };
  const auto leading = [](const LibraryMatrix& m) { return static_cast<int>(m.leading); };
  if (f_.set_stream(handle_, on.stream) != 0 ||
      f_.set_workspace(handle_, pointer(on.workspace), LibraryOperands::kWorkspace) != 0) {
    return false;
  }
  return f_.multiply(handle_, call_.first.transposed, call_.second.transposed,
                     static_cast<int>(call_.out.rows), static_cast<int>(call_.out.cols), k_,
                     &alpha_, pointer(call_.first_of(on.a, on.b)), call_.first.type,
                     leading(call_.first), pointer(call_.first_of(on.b, on.a)), call_.second.type,
                     leading(call_.second), &beta_, pointer(on.c), call_.out.type,
                     leading(call_.out), kLibraryCompute32f, kDefaultAlgorithm) == 0;
}

}  // namespace tilescope::worker
