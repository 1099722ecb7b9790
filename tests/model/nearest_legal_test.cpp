#include "core/model/nearest_legal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernels/registry.h"

namespace tilescope::model {
namespace {

std::optional<NearestLegal> nearest(const KernelEntry& kernel, const TileConfig& tile,
                                    const Problem& p) {
  const Violation v = kernel.validate(tile, p, DeviceLimits{});
  return nearest_legal(kernel.validator(), kernel.sliders, tile, p, DeviceLimits{}, v.field);
}

TEST(NearestLegal, MovesTheOffendingSliderFirst) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = default_problem(kernel.info);
  TileConfig tile = kernel.sliders.defaults();
  tile.stages = 8;
  const auto found = nearest(kernel, tile, p);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tile.stages, 7);
  EXPECT_EQ(found->label, "7 stages");
  EXPECT_EQ(found->tile.block_k, tile.block_k);
}

TEST(NearestLegal, AValueNotOfferedSnaps) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const Problem p = default_problem(kernel.info);
  TileConfig tile = kernel.sliders.defaults();
  tile.block_m = 100;
  const auto found = nearest(kernel, tile, p);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "block M 128");
}

TEST(NearestLegal, NoTileMendsTheProblem) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  Problem p = default_problem(kernel.info);
  EXPECT_FALSE(nearest(kernel, kernel.sliders.defaults(), p));  // legal already
  p.m = 0;
  EXPECT_FALSE(nearest(kernel, kernel.sliders.defaults(), p));
}

TEST(NearestLegal, IsAlwaysLegalAndMoves) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Problem p = default_problem(kernel.info);
    EXPECT_TRUE(rc::check(kernel.info.id, [&] {
      TileConfig tile;
      for (int i = 0; i < kernel.sliders.count; ++i) {
        const Slider& slider = kernel.sliders.slider[i];
        set(tile, slider.field, slider.values[*rc::gen::inRange(0, slider.count)]);
      }
      if (kernel.validate(tile, p, DeviceLimits{}).legal()) return;
      const auto found = nearest(kernel, tile, p);
      RC_ASSERT(found.has_value());
      RC_ASSERT(kernel.validate(found->tile, p, DeviceLimits{}).legal());
      RC_ASSERT(found->tile != tile);
      RC_ASSERT(!found->label.empty());
    }));
  }
}

}  // namespace
}  // namespace tilescope::model
