// Slider positions at random, the same in every run.
#pragma once
#include <random>

#include "kernels/registry.h"

namespace tilescope {

/// Legal or not.
inline TileConfig random_tile(const KernelEntry& kernel, std::mt19937& random) {
  TileConfig tile;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& slider = kernel.sliders.slider[i];
    set(tile, slider.field, slider.values[random() % static_cast<unsigned>(slider.count)]);
  }
  return tile;
}

}  // namespace tilescope
