// What tests ask of any scene.
#pragma once
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// Widths of text without a font.
inline const FixedMeasure kMeasure;

/// Panels as docked in windows of 1280×800 and 1600×1000, and filling whole windows.
inline constexpr Size kTilingSizes[] = {{600, 328}, {842, 412}, {1280, 800}, {2560, 1440}};
inline constexpr Size kFragmentSizes[] = {{408, 460}, {495, 652}, {1280, 800}, {2560, 1440}};
inline constexpr Size kTimelineSizes[] = {{600, 90}, {842, 116}, {1280, 800}, {2560, 1440}};

inline void expect_clean_texts(const Scene& scene, const std::string& what) {
  const std::vector<TextProblem> problems = find_text_problems(scene);
  for (size_t i = 0; i < problems.size() && i < 3; ++i) {
    ADD_FAILURE() << what << " at " << scene.size.w << "×" << scene.size.h << ": "
                  << to_string(problems[i]);
  }
}

/// Milliseconds of processor time: what a busy machine does meanwhile does not count.
inline double cpu_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// All coordinates are numbers that a renderer can take.
inline void expect_finite(const Scene& scene) {
  const auto good = [](float v) { return v > -1e7f && v < 1e7f; };  // also false for NaN
  for (const Primitive& p : scene.primitives) {
    if (const auto* r = std::get_if<Rect>(&p.shape)) {
      EXPECT_TRUE(good(r->box.x) && good(r->box.y) && good(r->box.w) && good(r->box.h))
          << r->box.x << ", " << r->box.y << ", " << r->box.w << ", " << r->box.h << " at "
          << scene.size.w << "×" << scene.size.h;
    } else if (const auto* t = std::get_if<Text>(&p.shape)) {
      EXPECT_TRUE(good(t->x) && good(t->y) && good(t->width));
    } else if (const auto* g = std::get_if<CellGrid>(&p.shape)) {
      EXPECT_TRUE(good(g->box.x) && good(g->box.y) && good(g->box.w) && good(g->box.h));
      EXPECT_TRUE(g->cells.empty() || g->cells.size() == static_cast<size_t>(g->columns) *
                                                             static_cast<size_t>(g->rows));
    }
  }
}

}  // namespace tilescope::viz
