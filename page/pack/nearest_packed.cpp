#include "page/pack/nearest_packed.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "kernels/registry.h"
#include "worker/engine/compile/source.h"

namespace tilescope::web {
namespace {

using worker::KernelRequest;

/// Steps of the sliders from one tile to another.
int steps_between(const KernelEntry& kernel, const TileConfig& a, const TileConfig& b) {
  int steps = 0;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& slider = kernel.sliders.slider[i];
    const auto place = [&](const TileConfig& tile) {
      const int* const end = slider.values + slider.count;
      return static_cast<int>(std::find(slider.values, end, get(tile, slider.field)) -
                              slider.values);
    };
    steps += std::abs(place(a) - place(b));
  }
  return steps;
}

bool same_layout(const Problem& a, const Problem& b) {
  return a.order_a == b.order_a && a.order_b == b.order_b && a.order_c == b.order_c &&
         a.type_a == b.type_a && a.type_b == b.type_b && a.type_c == b.type_c;
}

}  // namespace

std::optional<KernelRequest> nearest_packed(const KernelRequest& request,
                                            const std::vector<KernelRequest>& packed) {
  const KernelEntry& kernel = worker::kernel_of(request);
  std::set<std::string> sources;
  for (const KernelRequest& one : packed) sources.insert(worker::entry_source(one, kernel));
  std::optional<KernelRequest> nearest;
  int least = 0;
  const auto consider = [&](const KernelRequest& one, int far) {
    if (nearest && far >= least) return;
    nearest = one;
    nearest->sms = request.sms;
    least = far;
  };
  constexpr int kOtherSize = 1000, kOtherLayout = 10000;  // more than all sliders together
  for (const KernelRequest& one : packed) {
    const int steps = steps_between(kernel, request.tile, one.tile);
    KernelRequest here = request;
    here.tile = one.tile;
    const bool legal = kernel.validate(here.tile, here.problem, DeviceLimits()).legal();
    if (legal && sources.contains(worker::entry_source(here, kernel))) {
      consider(here, steps);
    } else {
      consider(one,
               steps + (same_layout(request.problem, one.problem) ? kOtherSize : kOtherLayout));
    }
  }
  return nearest;
}

}  // namespace tilescope::web
