// libraries: tilescope_model tilescope_kernels
// What the model costs: traffic and prediction of one tile, as a slider's step asks for, and of all
// legal tiles of the ladder one after the other (`bench_model [TILES [KERNEL]]`, 100,000 of each
// kernel unless it says otherwise), on one core.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string_view>
#include <vector>

#include "core/model/device_table.h"
#include "core/model/prediction.h"
#include "core/model/traffic.h"
#include "kernels/registry.h"

namespace {

using namespace tilescope;

/// Of this process alone: other programs that share the core do not count.
double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double ms_since(double begin) { return cpu_ms() - begin; }

double predict(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
               const model::DeviceRow& device) {
  const KernelPlan plan = kernel.plan(tile, p, device.limits.sm_count);
  return model::predict(plan, p, launch_of(plan), model::traffic(plan, p), device).us;
}

/// Every combination of the sliders that can be launched, in the order of the sliders.
std::vector<TileConfig> legal_tiles(const KernelEntry& kernel, const Problem& p,
                                    const model::DeviceRow& device, size_t most) {
  std::vector<TileConfig> legal;
  std::vector<int> at(static_cast<size_t>(kernel.sliders.count), 0);
  while (legal.size() < most) {
    TileConfig tile = kernel.sliders.defaults();
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& s = kernel.sliders.slider[i];
      set(tile, s.field, s.values[at[static_cast<size_t>(i)]]);
    }
    if (kernel.validate(tile, p, device.limits).legal()) legal.push_back(tile);
    int i = kernel.sliders.count - 1;
    while (i >= 0 && ++at[static_cast<size_t>(i)] == kernel.sliders.slider[i].count) {
      at[static_cast<size_t>(i--)] = 0;
    }
    if (i < 0) break;
  }
  return legal;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t most = argc > 1 ? static_cast<size_t>(std::atoll(argv[1])) : 100000;
  const model::DeviceRow& device = model::device_table().front();
  std::printf("%-16s %8s  one tile anew: median, p95, most (ms)   all, one after the other\n",
              "kernel", "legal");
  double all_ms = 0, sum = 0;
  size_t tiles = 0;
  std::mt19937 random(1);
  for (const KernelEntry& kernel : kernel_table()) {
    if (argc > 2 && std::string_view(argv[2]) != kernel.info.id) continue;
    Problem p = default_problem(kernel.info);
    p.m = p.n = p.k = 4096;
    std::vector<TileConfig> legal = legal_tiles(kernel, p, device, most);
    // Each with a problem of its own, so that nothing is known of it yet.
    std::vector<double> each;
    for (int i = 0; i < 200 && !legal.empty(); ++i) {
      Problem own = p;
      own.m = 4096 + 128 * (i + 1);
      const TileConfig& tile = legal[random() % legal.size()];
      const auto begin = cpu_ms();
      sum += predict(kernel, tile, own, device);
      each.push_back(ms_since(begin));
    }
    std::sort(each.begin(), each.end());
    const auto begin = cpu_ms();
    for (const TileConfig& tile : legal) sum += predict(kernel, tile, p, device);
    const double took = ms_since(begin);
    all_ms += took, tiles += legal.size();
    std::printf("%-16s %8zu  %.3f %.3f %.3f   %.0f ms, %.1f µs per tile\n", kernel.info.id,
                legal.size(), each[each.size() / 2], each[each.size() * 95 / 100], each.back(),
                took, 1e3 * took / static_cast<double>(legal.size()));
  }
  std::printf("%zu tiles in %.2f s (%g)\n", tiles, all_ms / 1e3, sum);
  return 0;
}
