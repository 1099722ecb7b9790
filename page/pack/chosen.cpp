#include "page/pack/chosen.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "kernels/registry.h"
#include "worker/engine/store/recording.h"
#include "worker/messages/messages_json.h"

namespace tilescope::web {
namespace {

using worker::KernelRequest;

constexpr int kSquares[] = {256, 512, 1024, 2048, 4096, 8192};
// As skinny as a layer's: few rows, or few columns.
constexpr int kSkinny[][3] = {
    {16, 4096, 4096}, {1, 4096, 4096}, {4096, 16, 4096}, {128, 8192, 512}};
// No tile divides it, and no vector fits its lines.
constexpr int kRagged[] = {1023, 1021, 1019};

class Chosen {
 public:
  explicit Chosen(Extent extent) : extent_(extent) {}

  void add(const KernelEntry& kernel, const TileConfig& tile, const Problem& problem) {
    if (!kernel.validate(tile, problem, DeviceLimits()).legal()) return;
    requests.push_back({kernel.info.id, tile, problem});
  }
  void add_sizes(const KernelEntry& kernel, const TileConfig& tile, Problem problem) {
    for (const int size : kSquares) {
      problem.m = problem.n = problem.k = size;
      add(kernel, tile, problem);
    }
    for (const auto& [m, n, k] : kSkinny) {
      problem.m = m, problem.n = n, problem.k = k;
      add(kernel, tile, problem);
    }
  }
  void add_sliders(const KernelEntry& kernel, const Problem& problem) {
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      for (int v = 0; v < slider.count; ++v) {
        TileConfig tile = kernel.sliders.defaults();
        set(tile, slider.field, slider.values[v]);
        add_sizes(kernel, tile, problem);
      }
    }
  }
  void add_kernel(const KernelEntry& kernel) {
    const Problem own = default_problem(kernel.info);
    const TileConfig first = kernel.sliders.defaults();
    for (int bit = kNN; bit <= kTT; bit *= 2) {
      if ((kernel.info.layouts & bit) == 0) continue;
      Problem problem = own;
      set_layout(problem, bit);
      add_sizes(kernel, first, problem);
      if (extent_ == Extent::whole ||
          (extent_ == Extent::sliders && bit == kernel.info.default_layout)) {
        add_sliders(kernel, problem);
      }
      if (extent_ != Extent::whole) continue;
      problem.m = kRagged[0], problem.n = kRagged[1], problem.k = kRagged[2];
      add(kernel, first, problem);
    }
  }
  void add_preset(const nlohmann::json& preset) {
    const KernelEntry* kernel = find_kernel(preset.at("kernel").get<std::string>().c_str());
    if (!kernel) throw std::invalid_argument("a preset names no kernel: " + preset.dump());
    TileConfig tile = kernel->sliders.defaults();
    for (const auto& [name, value] : preset.at("tile").items()) {
      for (const TileField& field : kTileFields) {
        if (name == field.name) set(tile, field.id, value.get<int>());
      }
    }
    add_sizes(*kernel, tile, default_problem(kernel->info));
  }

  std::vector<KernelRequest> requests;

 private:
  Extent extent_;
};

}  // namespace

std::vector<KernelRequest> chosen_requests(Extent extent, const std::string& presets,
                                           const std::vector<std::string>& recordings) {
  Chosen chosen(extent);
  for (const KernelEntry& kernel : kernel_table()) chosen.add_kernel(kernel);
  if (extent == Extent::defaults) return chosen.requests;
  for (const nlohmann::json& preset : nlohmann::json::parse(presets)) chosen.add_preset(preset);
  if (extent == Extent::sliders) return chosen.requests;
  for (const std::string& folder : recordings) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().filename().string().starts_with("proofs-")) continue;
      for (const worker::Recording& one : worker::read_recording_file(file.path().string())) {
        chosen.add(*find_kernel(one.request.kernel.c_str()), one.request.tile, one.request.problem);
      }
    }
  }
  return chosen.requests;
}

}  // namespace tilescope::web
