// The source text handed to NVRTC: no logic, only which kernel at which tile and specialization.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/packing.h"
#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

inline constexpr const char* kDefaultArch = "sm_90";
inline constexpr const char* kEntryName = "tilescope_gemm";
/// The pass before it, of kernels whose plan packs operands.
inline constexpr const char* kPackEntryName = "tilescope_pack";
inline constexpr const char* kColumnSumEntryName = "tilescope_column_sum";
inline constexpr const char* kEntryFile = "tilescope_gemm.cu";

struct SourceFile {
  std::string name;  // as in #include
  std::string text;
  std::string path = {};  // where it was read; empty if it is built in
};

/// The entry of one kernel. Two requests with equal tiles and specializations give equal text.
std::string entry_source(const KernelRequest& request, const KernelEntry& kernel);

/// What a kernel is compiled for where `arch` is asked for (empty: the default): Hopper's own
/// instructions are those of "sm_90a".
std::string arch_of(const KernelEntry& kernel, const std::string& arch);

/// How entries take tensor maps, last: a card reads them where they lie among the parameters.
inline constexpr const char* kTensorMapsParameter = ", const __grid_constant__ TensorMaps maps";

/// What the entry takes: GemmArgs, or with a bias BiasedArgs.
std::string args_type(const Specialization& spec);
/// Of the entry, where CTAs make clusters: their size, which a launch takes from there.
std::string cluster_words(const KernelPlan& plan);
/// The entry of the pass, which all kernels share (kernels/common/pack.cuh).
std::string pack_entry_source(const Specialization& spec);

/// The whole text of the sums of columns of elements of a type, `width` of them at once: entry
/// kColumnSumEntryName, which takes ColumnSumArgs.
std::string column_sum_source(ElementType type, int width);

/// The members of a TileConfig and of a Specialization as C++ has them, a line each.
std::string tile_literal(const TileConfig& tile);
std::string spec_literal(const Specialization& spec);

/// For as many SMs as the request says.
KernelPlan plan_of(const KernelRequest& request, const KernelEntry& kernel);

/// The kernel that a request names; fails with a sentence if there is none.
const KernelEntry& kernel_of(const KernelRequest& request);

}  // namespace tilescope::worker
