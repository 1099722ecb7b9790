// Slider positions, problems and selections at random, the same in every run.
#pragma once
#include <random>

#include "tests/random_tile.h"
#include "viz/scene/selection.h"

namespace tilescope::viz {

inline Problem random_problem(const KernelEntry& kernel, std::mt19937& random) {
  Problem problem = default_problem(kernel.info);
  const int extents[] = {64, 128, 333, 1000, 1024, 4096, 8192, 16384, 100000};
  problem.m = extents[random() % 9], problem.n = extents[random() % 9];
  problem.k = extents[random() % 9];
  return problem;
}

inline KernelPlan random_legal_plan(const KernelEntry& kernel, const Problem& problem,
                                    std::mt19937& random) {
  for (int attempt = 0; attempt < 400; ++attempt) {
    const TileConfig tile = random_tile(kernel, random);
    if (kernel.validate(tile, problem, DeviceLimits{}).legal()) return kernel.plan(tile, problem);
  }
  return kernel.plan(kernel.sliders.defaults(), problem);
}

inline Selection random_selection(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  Selection s;
  s.cta = {below(40), below(40)};
  s.warp = below(16), s.mma_m = below(8), s.mma_n = below(16), s.lane = below(32);
  s.output = below(64);
  return s;
}

}  // namespace tilescope::viz
