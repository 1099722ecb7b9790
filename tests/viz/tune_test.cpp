// The ladder and the landscape at every size: no text is cut or touches another, and each row and
// cell can be picked_in_order where it is drawn.
#include <gtest/gtest.h>

#include <set>

#include <algorithm>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"

namespace tilescope::viz {
namespace {

constexpr Size kTuneSizes[] = {{300, 360}, {420, 190},  {560, 200},  {737, 170},
                               {830, 200}, {1280, 800}, {1700, 420}, {2560, 1440}};

/// The rows that can be picked_in_order anywhere.
std::vector<int> picked_in_order(const Scene& scene) {
  std::vector<int> found;
  for (float y = 0.5f; y < scene.size.h; y += 2) {
    for (float x = 0.5f; x < scene.size.w; x += 3) {
      const auto at = pick(scene, x, y);
      if (at && std::ranges::find(found, at->value) == found.end()) found.push_back(at->value);
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(Ladder, IsCleanAtEverySize) {
  LadderState without = example_ladder();
  for (LadderBars& part : without.parts) part.library.clear(), part.library_tflops = 0;
  for (const LadderState& state : {example_ladder(), without}) {
    for (Size size : kTuneSizes) {
      size.h = std::max(size.h, ladder_height(state, size.w));
      for (const Palette* palette : {&dark_palette(), &light_palette()}) {
        const Scene scene = build_ladder(state, *palette, kMeasure, size);
        expect_clean_texts(scene, "ladder");
        expect_finite(scene);
        EXPECT_EQ(picked_in_order(scene), (std::vector{0, 1, 2, 3, 4, 5, 6}));
      }
    }
  }
}

TEST(Ladder, WhatIsKnownHowIsDrawnAndSaid) {
  const Scene scene = build_ladder(example_ladder(), dark_palette(), kMeasure, {830, 190});
  const std::string text = to_text(scene);
  for (const char* part : {"~167 %", "modelled", "72 %", "518.4 TFLOPS", "cannot run",
                           "with an older kernel", "100 % = 720 TFLOPS"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(Landscape, IsCleanAtEverySize) {
  for (const Size size : kTuneSizes) {
    const Scene scene = build_landscape(example_landscape(), light_palette(), kMeasure, size);
    expect_clean_texts(scene, "landscape");
    expect_finite(scene);
    const std::vector<int> found = picked_in_order(scene);
    for (int cell = 0; cell < 9; ++cell)
      EXPECT_NE(std::find(found.begin(), found.end(), cell), found.end()) << cell;
  }
}

TEST(Landscape, ManyNarrowCellsStayClean) {
  LandscapeState state = example_landscape();
  const LandscapeCell cell = state.cells[2];
  state.columns.assign(12, "256"), state.rows.assign(12, "1,024");
  state.cells.assign(144, cell);
  for (const Size size : kTuneSizes) {
    expect_clean_texts(build_landscape(state, dark_palette(), kMeasure, size), "12 × 12");
  }
}

TEST(Landscape, NothingIsSaidByColourAlone) {
  const std::string text =
      to_text(build_landscape(example_landscape(), dark_palette(), kMeasure, {830, 330}));
  for (const char* part : {"472.1", "518.4", "~610.2", "391.1", "1 of 4", "queued: the sweep",
                           "recorded with an older kernel"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(L2, IsCleanAtEverySizeAndGrid) {
  for (const Size size : kTuneSizes) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 4}, {32, 32}, {1, 928}, {300, 200}}) {
      const Scene scene = build_l2(example_l2(rows, cols), light_palette(), kMeasure, size);
      expect_clean_texts(scene, "l2");
      expect_finite(scene);
    }
  }
}

TEST(L2, EveryTileCanBePointedAt) {
  const Scene scene = build_l2(example_l2(3, 4), dark_palette(), kMeasure, {560, 240});
  std::set<std::pair<int, int>> tiles;
  for (const Pick& pick : scene.picks) {
    if (pick.kind == Pick::Kind::cta) tiles.emplace(pick.cta_row, pick.cta_col);
  }
  EXPECT_EQ(tiles.size(), 12u);
}

TEST(L2, AsFarAsTheLaunchHasCome) {
  L2State state = example_l2(3, 4);
  const auto shown = [&](float moment) {
    state.moment = moment;
    const std::string text = to_text(build_l2(state, dark_palette(), kMeasure, {560, 240}));
    size_t count = 0;
    for (size_t at = text.find("93 %"); at != text.npos; at = text.find("93 %", at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(shown(0), 0u);  // the first tile has 50 %
  EXPECT_EQ(shown(1), 8u);  // of twelve three have 50 %, and nobody comes to the last
  EXPECT_GT(shown(0.5f), 0u);
  EXPECT_LT(shown(0.5f), 8u);
}

TEST(L2, TooManyTilesLeaveTheCurve) {
  L2State state = example_l2(3, 4);
  state.tiles = nullptr;
  const std::string text = to_text(build_l2(state, dark_palette(), kMeasure, {560, 240}));
  EXPECT_NE(text.find("50 % of the launch"), std::string::npos);
  EXPECT_NE(text.find("189.8 MB from DRAM"), std::string::npos);
}

TEST(Curve, IsCleanAtEverySizeAndStandsOnItsTicks) {
  for (const Size size : {Size{150, 104}, Size{212, 104}, Size{300, 104}, Size{900, 400}}) {
    CurveState state = example_curve();
    state.right_room = 20;
    for (const bool on_ticks : {false, true}) {
      if (on_ticks) state.first = 71, state.last = size.w - 44;
      const Scene scene = build_curve(state, dark_palette(), kMeasure, size);
      expect_clean_texts(scene, "curve");
      expect_finite(scene);
      if (!on_ticks) continue;
      EXPECT_EQ(pick(scene, 71, 60)->value, 0);
      EXPECT_EQ(pick(scene, size.w - 44, 60)->value, 4);
    }
  }
}

}  // namespace
}  // namespace tilescope::viz
