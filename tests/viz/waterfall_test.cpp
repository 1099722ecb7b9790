// The waterfall at every size: no text touches another, each step can be picked, and steps hang
// where the last one ended.
#include <gtest/gtest.h>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"

namespace tilescope::viz {
namespace {

TEST(Waterfall, IsCleanAtEverySize) {
  const float least = waterfall_height(example_waterfall());
  for (const float width : {120.f, 200.f, 320.f, 560.f, 1200.f}) {
    for (const float height : {least, 200.f, 500.f}) {
      for (const Palette* palette : {&dark_palette(), &light_palette()}) {
        expect_clean_texts(
            build_waterfall(example_waterfall(), *palette, kMeasure, {width, height}), "waterfall");
      }
    }
  }
}

TEST(Waterfall, EachStepIsUnderThePointer) {
  const WaterfallState state = example_waterfall();
  const Scene scene = build_waterfall(state, dark_palette(), kMeasure, {560, 140});
  const float row = 140.f / static_cast<float>(state.steps.size() + 2);
  for (size_t i = 0; i < state.steps.size(); ++i) {
    const auto at = pick(scene, 200, (static_cast<float>(i) + 1.5f) * row);
    ASSERT_TRUE(at.has_value()) << i;
    EXPECT_EQ(at->value, static_cast<int>(i));
  }
}

TEST(Waterfall, TakesAnyNumbers) {
  for (const double begin : {0.0, 1e-9, 5.0, 1e12}) {
    for (const double by : {0.0, -5.0, 1e-12, 1e12}) {
      WaterfallState state = example_waterfall();
      state.begin = begin, state.end = begin + by;
      state.steps = {{"x", by, "", ""}};
      for (const Size size : {Size{0, 0}, Size{1, 1}, Size{30, 300}, Size{560, 10}}) {
        expect_finite(build_waterfall(state, dark_palette(), kMeasure, size));
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::viz
