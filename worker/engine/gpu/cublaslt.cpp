#include "worker/engine/gpu/cublaslt.h"

#if __has_include(<cublasLt.h>) && __has_include(<cuda_runtime_api.h>)
#include <cublasLt.h>
namespace tilescope::worker::cublaslt {
static_assert(sizeof(Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(Heuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(Heuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(CUBLASLT_MATMUL_DESC_TRANSA == 3 && CUBLASLT_MATMUL_DESC_TRANSB == 4);
static_assert(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == 1);
static_assert(CUBLAS_COMPUTE_32F == 68 && CUDA_R_32F == 0 && CUDA_R_16F == 2 && CUDA_R_16BF == 14 &&
              CUDA_R_8F_E4M3 == 28 && CUDA_R_8F_E5M2 == 29);
static_assert(CUBLAS_OP_N == 0 && CUBLAS_OP_T == 1 && CUBLAS_STATUS_SUCCESS == 0);
}  // namespace tilescope::worker::cublaslt
#endif

namespace tilescope::worker {

namespace {

constexpr int kScalarReal32f = 0;  // of alpha and beta
constexpr int kTransposeFirst = 3, kTransposeSecond = 4, kMaxWorkspace = 1;
constexpr int kEpilogue = 7, kBiasPointer = 8, kEpilogueBias = 4;
constexpr int kCandidates = 16;

}  // namespace

std::unique_ptr<VendorLibrary> CublasLt::open(std::string* why_not) {
  std::unique_ptr<CublasLt> lt(new CublasLt);
  const std::vector<std::string> names = {"libcublasLt.so.13", "libcublasLt.so.12",
                                          "libcublasLt.so"};
  const std::string given = environment("TILESCOPE_CUBLASLT");
  lt->library_ =
      SharedLibrary::open(given.empty() ? vendor_places(names) : candidates_at(given, names));
  if (!lt->library_) {
    *why_not = (given.empty() ? "cuBLASLt was not found" : "TILESCOPE_CUBLASLT names no library") +
               std::string("; install it (libcublasLt, wheel nvidia-cublas) to compare with it.");
    return nullptr;
  }
  cublaslt::Functions& f = lt->f_;
  const SharedLibrary& from = *lt->library_;
  const bool loaded = from.load(f.version, "cublasLtGetVersion") &&
                      from.load(f.create, "cublasLtCreate") &&
                      from.load(f.destroy, "cublasLtDestroy") &&
                      from.load(f.desc_create, "cublasLtMatmulDescCreate") &&
                      from.load(f.desc_destroy, "cublasLtMatmulDescDestroy") &&
                      from.load(f.desc_set, "cublasLtMatmulDescSetAttribute") &&
                      from.load(f.layout_create, "cublasLtMatrixLayoutCreate") &&
                      from.load(f.layout_destroy, "cublasLtMatrixLayoutDestroy") &&
                      from.load(f.preference_create, "cublasLtMatmulPreferenceCreate") &&
                      from.load(f.preference_destroy, "cublasLtMatmulPreferenceDestroy") &&
                      from.load(f.preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
                      from.load(f.heuristics, "cublasLtMatmulAlgoGetHeuristic") &&
                      from.load(f.multiply, "cublasLtMatmul");
  if (!loaded || f.create(&lt->handle_) != 0) {
    *why_not = lt->library_->name() + " does not start here; install one that fits the driver.";
    return nullptr;
  }
  return lt;
}

CublasLt::~CublasLt() {
  release();
  if (handle_) f_.destroy(handle_);
}

void CublasLt::release() {
  for (void*& layout : layouts_) {
    if (layout) f_.layout_destroy(layout);
    layout = nullptr;
  }
  if (desc_) f_.desc_destroy(desc_);
  desc_ = nullptr;
  heuristics_.clear();
}

std::string CublasLt::name() const {
  const size_t version = f_.version();  // 130000, or 12 × 10000 + …
  return "cuBLASLt " + std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100);
}

bool CublasLt::prepare(const Problem& problem) {
  release();
  alpha_ = problem.alpha, beta_ = problem.beta;
  call_ = library_call(problem);
  if (f_.desc_create(&desc_, kLibraryCompute32f, kScalarReal32f) != 0) return false;
  const int first = call_.first.transposed, second = call_.second.transposed;
  if (f_.desc_set(desc_, kTransposeFirst, &first, sizeof first) != 0 ||
      f_.desc_set(desc_, kTransposeSecond, &second, sizeof second) != 0) {
    return false;
  }
  has_bias_ = problem.bias;
  if (has_bias_) {
    // Its bias runs down the columns of what it computes: along ours, where the operands are
    // swapped.
    if (!call_.swapped) return false;
    if (f_.desc_set(desc_, kEpilogue, &kEpilogueBias, sizeof kEpilogueBias) != 0) return false;
  }
  const LibraryMatrix* matrices[3] = {&call_.first, &call_.second, &call_.out};
  for (int i = 0; i < 3; ++i) {
    const LibraryMatrix& m = *matrices[i];
    if (f_.layout_create(&layouts_[i], m.type, m.rows, m.cols, m.leading) != 0) return false;
  }
  void* preference = nullptr;
  if (f_.preference_create(&preference) != 0) return false;
  const size_t workspace = LibraryOperands::kWorkspace;
  f_.preference_set(preference, kMaxWorkspace, &workspace, sizeof workspace);
  int found = 0;
  heuristics_.resize(kCandidates);
  const int status =
      f_.heuristics(handle_, desc_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], preference,
                    kCandidates, heuristics_.data(), &found);
  f_.preference_destroy(preference);
  heuristics_.resize(status == 0 ? static_cast<size_t>(found) : 0);
  return !heuristics_.empty();
}

bool CublasLt::run(int i, const LibraryOperands& on) const {
  const auto pointer = [](cuda::DevicePointer p) { return reinterpret_cast<void*>(p); };
  if (has_bias_ && f_.desc_set(desc_, kBiasPointer, &on.bias, sizeof on.bias) != 0) return false;
  return f_.multiply(handle_, desc_, &alpha_, pointer(call_.first_of(on.a, on.b)), layouts_[0],
                     pointer(call_.first_of(on.b, on.a)), layouts_[1], &beta_, pointer(on.c),
                     layouts_[2], pointer(on.c), layouts_[2],
                     &heuristics_[static_cast<size_t>(i)].algorithm, pointer(on.workspace),
                     LibraryOperands::kWorkspace, on.stream) == 0;
}

}  // namespace tilescope::worker
