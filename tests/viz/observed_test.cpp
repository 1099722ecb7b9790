// Tiling as it was observed: whatever was seen, and however small the panel is.
#include <gtest/gtest.h>

#include <random>

#include "tests/viz/scene_checks.h"
#include "viz/scene/tiling/observed_scene.h"

namespace tilescope::viz {
namespace {

/// A grid of 2 × 3 CTAs, each with a tile of 4 × 8 elements; the chosen one has a thread each.
Observed seen_tiles() {
  Observed o;
  o.name = "C";
  o.rows = 8, o.cols = 24;
  o.grid_x = 3, o.grid_y = 2;
  o.of_ctas = o.ctas = 6;
  for (int cta = 0; cta < 6; ++cta) o.parts.push_back({cta / 3 * 4, cta % 3 * 8, 4, 8, cta});
  o.cta = 4;
  o.box = {4, 8, 4, 8, 4};
  for (int i = 0; i < 32; ++i) o.threads.push_back(i);
  return o;
}

Scene drawn(const Observed& o, Size size, ObservedState state = {}) {
  state.seen = std::make_shared<const Observed>(o);
  return build_observed(state, dark_palette(), FixedMeasure(), size);
}

TEST(ObservedTiling, APointerTellsCtaAndElement) {
  const Observed o = seen_tiles();
  EXPECT_EQ(o.thread_at(5, 10), 10);
  EXPECT_EQ(o.thread_at(3, 10), -1);
  EXPECT_EQ(o.thread_at(5, 16), -1);
  const Scene scene = drawn(o, {900, 400});
  bool cta = false, element = false;
  for (float y = 1; y < 400; y += 3) {
    for (float x = 1; x < 900; x += 3) {
      const auto at = pick(scene, x, y);
      if (!at) continue;
      cta = cta || (at->kind == Pick::Kind::cta && at->cta_row == 1 && at->cta_col == 2);
      if (at->kind != Pick::Kind::element) continue;
      element = true;
      EXPECT_GE(at->row, 4);
      EXPECT_LT(at->row, 8);
      EXPECT_GE(at->col, 8);
      EXPECT_LT(at->col, 16);
      EXPECT_EQ(at->cta_row, 1);
      EXPECT_EQ(at->cta_col, 1);
    }
  }
  EXPECT_TRUE(cta);
  EXPECT_TRUE(element);
}

TEST(ObservedTiling, LayersOfTheGridAreTold) {
  Observed o = seen_tiles();
  o.grid_x = 1, o.grid_y = 2, o.grid_z = 3;  // CTA 5 is that of y 1, z 2
  o.cta = 5;
  const Scene scene = drawn(o, {900, 400});
  bool named = false, last = false;
  for (const Pick& p : scene.picks) {
    if (p.kind != Pick::Kind::cta) continue;
    last = last || (p.cta_z == 2 && p.cta_row == 1 && p.cta_col == 0);
  }
  EXPECT_TRUE(last);
  for (const Primitive& primitive : scene.primitives) {
    const auto* text = std::get_if<Text>(&primitive.shape);
    named = named || (text && text->string.starts_with("CTA 0,1,2"));
  }
  EXPECT_TRUE(named);
}

TEST(ObservedTiling, NoTextIsCutWhateverWasSeen) {
  std::mt19937 random(17);
  const auto number = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 300; ++i) {
    Observed o;
    o.name = i % 2 ? "C" : "a_long_name_of_a_buffer_that_somebody_chose";
    o.rows = number(0, 3) == 0 ? 1 : number(1, 100000), o.cols = number(1, 100000);
    o.grid_x = number(1, 70000), o.grid_y = number(1, 9), o.grid_z = number(1, 3);
    o.of_ctas = static_cast<uint64_t>(o.grid_x) * static_cast<uint64_t>(o.grid_y);
    o.ctas = static_cast<uint64_t>(number(0, 64));
    for (int part = number(0, 30); part > 0; --part) {
      const int row = number(0, o.rows - 1), col = number(0, o.cols - 1);
      o.parts.push_back(
          {row, col, number(1, o.rows - row), number(1, o.cols - col), number(0, 100)});
    }
    o.cta = number(0, 100);
    if (number(0, 2) > 0) {
      o.box = {number(0, 9), number(0, 9), number(1, 60), number(1, 60), o.cta};
      for (int k = 0; number(0, 3) > 0 && k < o.box.rows * o.box.cols; ++k) {
        o.threads.resize(static_cast<size_t>(o.box.rows * o.box.cols), number(-1, 1023));
      }
    }
    ObservedState state;
    state.warp = number(0, 31), state.lane = number(0, 31);
    Pick hover;
    hover.kind = i % 3 ? Pick::Kind::element : Pick::Kind::cta;
    hover.matrix = 2, hover.row = number(-1, 99), hover.col = number(-1, 99);
    hover.cta_row = number(-1, 9), hover.cta_col = number(-1, 9);
    state.hover = hover;
    const Size size{static_cast<float>(number(1, 1400)), static_cast<float>(number(1, 900))};
    const Scene scene = drawn(o, size, state);
    for (const TextProblem& problem : find_text_problems(scene)) {
      if (size.w < 220 || size.h < 160) continue;  // too small for any word
      ADD_FAILURE() << to_string(problem) << " at " << size.w << " × " << size.h;
    }
  }
}

TEST(ObservedTiling, NothingSeenSaysWhy) {
  ObservedState state;
  state.empty_reason = "It has not been run yet.";
  const Scene scene = build_observed(state, light_palette(), FixedMeasure(), {500, 300});
  EXPECT_NE(to_text(scene).find("It has not been run yet."), std::string::npos);
}

}  // namespace
}  // namespace tilescope::viz
