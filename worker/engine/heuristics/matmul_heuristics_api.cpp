// Checks what is declared here against the library's own header, where there is one.
#include "worker/engine/heuristics/matmul_heuristics_api.h"

#if __has_include(<nvMatmulHeuristics.h>)
#define NVMMH_NO_EXCEPTIONS
#include <nvMatmulHeuristics.h>

#include <cstddef>
#include <type_traits>

namespace tilescope::worker::heuristics {
namespace {

constexpr bool same(int ours, int theirs) { return ours == theirs; }

static_assert(sizeof(Problem) == sizeof(nvmmhMatmulProblem_t));
static_assert(offsetof(Problem, layout) == offsetof(nvmmhMatmulProblem_t, matmulLayout));
static_assert(sizeof(Configuration) == sizeof(nvmmhKernelConfiguration_t));
static_assert(offsetof(Configuration, split_k) == offsetof(nvmmhKernelConfiguration_t, splitK));
static_assert(offsetof(Configuration, order) == offsetof(nvmmhKernelConfiguration_t, ctaOrder));
static_assert(offsetof(Configuration, cluster) == offsetof(nvmmhKernelConfiguration_t, cluster));
static_assert(same(kVersionMajor, NVMMH_VERSION_MAJOR));
static_assert(same(kVersionMinor, NVMMH_VERSION_MINOR));
static_assert(same(kSuccess, NVMMH_STATUS_SUCCESS));
static_assert(same(kTargetTriton, NVMMH_TARGET_TRITON));
static_assert(same(kLayoutNN, NVMMH_MATMUL_LAYOUT_NN_ROW_MAJOR));
static_assert(same(kLayoutNT, NVMMH_MATMUL_LAYOUT_NT_ROW_MAJOR));
static_assert(same(kLayoutTN, NVMMH_MATMUL_LAYOUT_TN_ROW_MAJOR));
static_assert(same(kLayoutTT, NVMMH_MATMUL_LAYOUT_TT_ROW_MAJOR));
static_assert(same(kSliceK, NVMMH_BACKEND_PROP_HAS_SLICE_K));
static_assert(same(kColumnRaster, NVMMH_BACKEND_PROP_HAS_COL_MAJOR_RASTER));
static_assert(same(kSplitK, NVMMH_BACKEND_PROP_SPLIT_K_KIND));
static_assert(same(kTileMultipleM, NVMMH_BACKEND_PROP_CTA_TILE_M_DIV_REQUIREMENT));
static_assert(same(kTileMultipleN, NVMMH_BACKEND_PROP_CTA_TILE_N_DIV_REQUIREMENT));
static_assert(same(kSplitNone, NVMMH_SPLIT_K_NONE));
static_assert(same(kSplitOutOfPlace, NVMMH_SPLIT_K_OUT_OF_PLACE));
static_assert(same(kRankByTime, NVMMH_FLAG_PERF_MODEL_BASED_AUTO_TUNING));
static_assert(same(kRuntime, NVMMH_METRIC_RUNTIME_S));
static_assert(same(kL2HitRate, NVMMH_METRIC_L2_HIT_RATE));
static_assert(same(kDramLoadBytes, NVMMH_METRIC_GMEM_LOAD_BYTES));
static_assert(same(kDramStoreBytes, NVMMH_METRIC_GMEM_STORE_BYTES));
static_assert(same(kL2LoadBytes, NVMMH_METRIC_L2_LOAD_BYTES));
static_assert(same(kRelativeRuntime, NVMMH_METRIC_RUNTIME_RELATIVE_FAST_S));

/// Both numbers of a size, or both pointers, to pointers or not.
template <class Ours, class Theirs>
constexpr bool kAlike =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> ==
        std::is_pointer_v<Theirs>&& std::is_pointer_v<std::remove_pointer_t<Ours>> ==
        std::is_pointer_v<std::remove_pointer_t<Theirs>>;
template <class Ours, class Theirs>
struct CalledAlike : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct CalledAlike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<kAlike<R, S> && (kAlike<A, B> && ...)> {
};

#define TILESCOPE_CALLED_ALIKE(ours, theirs) \
  static_assert(                             \
      CalledAlike<decltype(Functions::ours), decltype(&nvMatmulHeuristics##theirs)>::value)
TILESCOPE_CALLED_ALIKE(version_major, GetVersionMajor);
TILESCOPE_CALLED_ALIKE(version_minor, GetVersionMinor);
TILESCOPE_CALLED_ALIKE(version_patch, GetVersionPatch);
TILESCOPE_CALLED_ALIKE(create, Create);
TILESCOPE_CALLED_ALIKE(card_create, HardwareDescriptorCreate);
TILESCOPE_CALLED_ALIKE(card_destroy, HardwareDescriptorDestroy);
TILESCOPE_CALLED_ALIKE(card_set, HardwareDescriptorSetPredefinedGpu);
TILESCOPE_CALLED_ALIKE(backend_create, BackendCreate);
TILESCOPE_CALLED_ALIKE(backend_destroy, BackendDestroy);
TILESCOPE_CALLED_ALIKE(backend_set, BackendSetValueProperty);
TILESCOPE_CALLED_ALIKE(load_profile, LoadInternalDiscoverySet);
TILESCOPE_CALLED_ALIKE(configurations, GetGemmConfigEx);
TILESCOPE_CALLED_ALIKE(estimate, EstimateSiliconMetricEx);
#undef TILESCOPE_CALLED_ALIKE

}  // namespace
}  // namespace tilescope::worker::heuristics
#endif
