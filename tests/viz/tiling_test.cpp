// The Tiling scene: places from core/layout, words that fit, and tiles of every kind.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/layout/thread_elements.h"
#include "tests/viz/example_states.h"
#include "tests/viz/random_tiles.h"
#include "tests/viz/scene_checks.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

const CellGrid* grid_of(const Scene& scene, Pick::Kind kind) {
  for (const Primitive& p : scene.primitives) {
    const auto* grid = std::get_if<CellGrid>(&p.shape);
    if (grid != nullptr && grid->pick.kind == kind && !grid->cells.empty()) return grid;
  }
  return nullptr;
}

// A 1×7 result in tiles of 128: of the chosen thread's tile nothing lies in C.
TEST(Tiling, WhatIsOutsideOfTheMatrixIsHatchedAtEachLevel) {
  const KernelEntry& kernel = *find_kernel("thread_tile_2d");
  TilingState state;
  state.problem = default_problem(kernel.info);
  state.problem.m = 1, state.problem.n = 7, state.problem.k = 33;
  state.plan = kernel.plan(kernel.sliders.defaults(), state.problem);
  state.selection.lane = 17;
  state.side_by_side = false;
  for (int level = 0; level < 4; ++level) {
    state.level = static_cast<float>(level);
    int hatched = 0;
    for (const Primitive& p :
         build_tiling(state, dark_palette(), kMeasure, {842, 412}).primitives) {
      const auto* r = std::get_if<Rect>(&p.shape);
      hatched += r != nullptr && r->hatch.a > 0 ? 1 : 0;
    }
    EXPECT_GE(hatched, 1) << level;
  }
}

// What is fed by an element is what has that element among its own inputs, and the other way round.
TEST(Tiling, WhatAnElementFeedsIsMadeOfIt) {
  const Problem p{.m = 7, .n = 5, .k = 6};
  const auto pick_of = [](Operand o, int row, int col) {
    Pick pick;
    pick.kind = Pick::Kind::element;
    pick.matrix = static_cast<int8_t>(o), pick.row = row, pick.col = col;
    return pick;
  };
  const auto holds = [](const std::vector<ElementBox>& boxes, Operand o, int row, int col) {
    return std::ranges::any_of(boxes, [&](const ElementBox& e) {
      return e.matrix == o && row >= e.row && row < e.row + e.rows && col >= e.col &&
             col < e.col + e.cols;
    });
  };
  for (const Operand o : {Operand::a, Operand::b}) {
    for (int row = 0; row < operand_rows(p, o) + 2; ++row) {
      for (int col = 0; col < operand_cols(p, o) + 2; ++col) {
        const auto fed = fed_by(p, pick_of(o, row, col));
        for (int m = 0; m < p.m; ++m) {
          for (int n = 0; n < p.n; ++n) {
            ASSERT_EQ(holds(fed, Operand::c, m, n),
                      holds(fed_by(p, pick_of(Operand::c, m, n)), o, row, col))
                << m << "," << n;
          }
        }
        EXPECT_EQ(fed.empty(), row >= operand_rows(p, o) || col >= operand_cols(p, o));
      }
    }
  }
}

// In each level the picture shows what the element under the pointer feeds.
TEST(Tiling, TheOutputsOfAHoveredElementAreLitAtEachLevel) {
  for (const KernelEntry& kernel : kernel_table()) {
    const char* name = kernel.info.id;
    TilingState state = example_tiling(name);
    Pick pick;
    pick.kind = Pick::Kind::element;
    pick.matrix = 0, pick.col = 0;
    pick.row = cta_axes(state.plan, state.selection, state.moment).m.first;
    const auto rects = [&] {
      size_t count = 0;
      for (const Primitive& one :
           build_tiling(state, dark_palette(), kMeasure, {1400, 700}).primitives) {
        count += std::holds_alternative<Rect>(one.shape) ? 1u : 0u;
      }
      return count;
    };
    const size_t without = rects();
    state.hover = pick;
    EXPECT_GE(rects(), without + 2) << name;  // of the grid and of the CTA at least
    pick.row = state.problem.m;
    state.hover = pick;
    EXPECT_LE(rects(), without) << name;
  }
}

std::string all_texts(const Scene& scene) {
  std::string all;
  for (const Primitive& p : scene.primitives) {
    if (const auto* text = std::get_if<Text>(&p.shape)) all += text->string + "\n";
  }
  return all;
}

// 4096³ in 1024 tiles on 132 SMs: seven waves, and 100 tiles that are not worth cutting; tile 3, 5
// is number 43.
TEST(Tiling, TilesOfStreamKAreShadedByTheCtaThatBeginsThem) {
  const TilingState state = example_tiling("mma_stream_k");
  const WorkOrder& work = state.plan.work;
  ASSERT_EQ(work.kind, WorkKind::stream_k);
  const Scene scene = build_tiling(state, dark_palette(), kMeasure, {1400, 700});
  const CellGrid* grid = grid_of(scene, Pick::Kind::cta);
  ASSERT_NE(grid, nullptr);
  ASSERT_EQ(grid->columns, work.raster.tiles_n);
  for (int row = 0; row < grid->rows; ++row) {
    for (int col = 0; col < grid->columns; ++col) {
      const uint32_t cell = grid->cells[static_cast<size_t>(row * grid->columns + col)];
      const double cta = static_cast<double>(cell & kCellMax) / kCellMax * (work.ctas - 1);
      EXPECT_NEAR(cta, first_worker(work, {row, col}).cta, 0.01);
    }
  }
  const std::string texts = all_texts(scene);
  EXPECT_NE(texts.find("132 CTAs"), texts.npos);
  EXPECT_NE(texts.find("tile 3,5: CTA 43"), texts.npos) << texts;
  EXPECT_NE(texts.find("k slices 0–63"), texts.npos);
  EXPECT_NE(texts.find("by CTA"), texts.npos);
}

TEST(Tiling, EachCtaIsPickedAtItsPlaceAndShadedByLaunchOrder) {
  const TilingState state = example_tiling("mma_multistage");
  const Scene scene = build_tiling(state, dark_palette(), kMeasure, {842, 412});
  const CellGrid* grid = grid_of(scene, Pick::Kind::cta);
  ASSERT_NE(grid, nullptr);
  const Raster& raster = state.plan.work.raster;
  ASSERT_EQ(grid->columns, raster.tiles_n);
  ASSERT_EQ(grid->rows, raster.tiles_m);
  for (int row = 0; row < grid->rows; ++row) {
    for (int col = 0; col < grid->columns; ++col) {
      const Box box = cell_box(*grid, row, col);
      const auto found = pick(scene, box.x + box.w / 2, box.y + box.h / 2);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->cta_row, row);
      EXPECT_EQ(found->cta_col, col);
      const uint32_t cell = grid->cells[static_cast<size_t>(row * grid->columns + col)];
      const double order = static_cast<double>(cell & kCellMax) / kCellMax * (raster.tiles() - 1);
      EXPECT_NEAR(order, raster_index(raster, {row, col}), 0.01);
    }
  }
}

// What an instruction touches is lit where it lies, in the colour of its kind, and only there.
TEST(Tiling, ElementsThatAreTouchedAreLitAtTheirPlaces) {
  TilingState state = example_tiling("mma_multistage");
  const auto lit_boxes = [](const TilingState& s) {
    const Scene scene = build_tiling(s, dark_palette(), kMeasure, {1280, 800});
    const Color stroke = event_color(dark_palette(), s.lit_by);
    std::vector<Box> boxes;
    for (const Primitive& p : scene.primitives) {
      const auto* rect = std::get_if<Rect>(&p.shape);
      if (rect && rect->stroke == stroke && rect->stroke_width == 1.5f) boxes.push_back(rect->box);
    }
    return boxes;
  };
  state.lit_by = EventKind::store;
  EXPECT_TRUE(lit_boxes(state).empty());
  const Coord cta = block_origin(state.plan, state.selection.cta);
  const Coord warp = warp_origin(state.plan, state.selection.warp);
  // An mma tile of the chosen warp: in C of the grid, the CTA and the warp, and where it is shown.
  const Coord at{cta.row + warp.row, cta.col + warp.col};
  state.lit = {{Operand::c, at.row, at.col, 16, 8}};
  EXPECT_EQ(lit_boxes(state).size(), state.selection.mma_m + state.selection.mma_n == 0 ? 4u : 3u);
  // Another CTA's elements are seen in the grid alone.
  state.lit = {
      {Operand::c, (state.selection.cta.row == 0 ? 1 : 0) * state.plan.block_m, at.col, 16, 8}};
  EXPECT_EQ(lit_boxes(state).size(), 1u);
  state.lit.clear();
  state.origins = {{Operand::a, at.row, 0, 1, state.problem.k}};
  EXPECT_TRUE(lit_boxes(state).empty());
}

TEST(Tiling, MillionsOfCtasAreStillPickedExactly) {
  TilingState state = example_tiling("thread_tile_2d");
  state.problem.m = state.problem.n = 128000;
  state.plan = find_kernel("thread_tile_2d")
                   ->plan(find_kernel("thread_tile_2d")->sliders.defaults(), state.problem);
  ASSERT_EQ(state.plan.work.raster.tiles(), 1000 * 1000);
  state.side_by_side = false;
  const Scene scene = build_tiling(state, dark_palette(), kMeasure, {1280, 800});
  EXPECT_LT(scene.primitives.size(), 2000u);  // not one per CTA
  const CellGrid* grid = grid_of(scene, Pick::Kind::cta);
  ASSERT_NE(grid, nullptr);
  EXPECT_LE(grid->cells.size(), 512u * 512u);
  const auto found =
      pick(scene, grid->box.x + grid->box.w * 0.5005f, grid->box.y + grid->box.h * 0.2505f);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->cta_col, 500, 1);
  EXPECT_NEAR(found->cta_row, 250, 1);
}

// Warps that split k between them share a tile; each part of k has its own warp.
TEST(Tiling, EveryElementOfTheBlockTileBelongsToOneWarpOfAPart) {
  std::mt19937 random(3);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < 20; ++i) {
      const Problem problem = random_problem(kernel, random);
      const KernelPlan plan = random_legal_plan(kernel, problem, random);
      std::vector<int> owner(static_cast<size_t>(plan.block_m * plan.block_n), -1);
      for (const WarpRegion& r : warp_regions(plan)) {
        if (r.warp > 0 && r.warp % warps_per_part(plan) == 0) {
          for (int o : owner) ASSERT_GE(o, 0);  // the part before is complete
          std::fill(owner.begin(), owner.end(), -1);
        }
        for (int row = r.row; row < r.row + r.rows; ++row) {
          for (int col = r.col; col < r.col + r.cols; ++col) {
            int& cell = owner[static_cast<size_t>(row * plan.block_n + col)];
            EXPECT_EQ(cell, -1);
            cell = r.warp;
          }
        }
      }
      for (int o : owner) ASSERT_GE(o, 0);
      if (plan.math() == Math::mma) continue;
      for (int t = 0; t < plan.threads; ++t) {
        const Coord at = thread_element(plan, t, thread_elements(plan) - 1);
        EXPECT_EQ(owner[static_cast<size_t>(at.row * plan.block_n + at.col)], t / 32);
      }
    }
  }
}

TEST(Tiling, NoTextIsClippedOrTouchesAnother) {
  std::mt19937 random(11);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < 60; ++i) {
      TilingState state = example_tiling(kernel.info.id);
      state.problem = random_problem(kernel, random);
      state.plan = random_legal_plan(kernel, state.problem, random);
      state.selection = random_selection(random);
      state.moment = {static_cast<int>(random() % 64), static_cast<int>(random() % 4)};
      state.ctas_per_wave = static_cast<int>(random() % 3) * 132;
      state.stages.clear();
      for (int s = 0; s < state.plan.stages() && i % 2 == 0; ++s) {
        const int k = state.moment.k_slice + s;
        state.stages.push_back(
            {k % state.plan.stages(), static_cast<StageState::State>(random() % 4), k, 0.3f, 512});
      }
      for (const Size size : kTilingSizes) {
        for (int level = -1; level < 4; ++level) {
          state.side_by_side = level < 0;
          state.level = static_cast<float>(level);
          const Scene scene = build_tiling(state, dark_palette(), kMeasure, size);
          expect_clean_texts(scene,
                             std::string(kernel.info.id) + " level " + std::to_string(level));
          expect_finite(scene);
        }
      }
    }
  }
}

TEST(Tiling, AnySliderPositionCanBeDrawn) {
  std::mt19937 random(5);
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < 100; ++i) {
      TilingState state = example_tiling(kernel.info.id);
      state.problem = random_problem(kernel, random);
      state.plan = kernel.plan(random_tile(kernel, random), state.problem);
      state.stages.clear();
      state.side_by_side = i % 2 == 0;
      state.level = static_cast<float>(i % 31) / 10.0f;
      for (const Size size : {Size{20, 20}, Size{200, 120}, Size{842, 412}}) {
        expect_finite(build_tiling(state, dark_palette(), kMeasure, size));
      }
      FragmentState fragment = example_fragment(kernel.info.id);
      fragment.plan = state.plan;
      fragment.problem = state.problem;
      for (int tab = 0; tab < 4; ++tab) {
        fragment.tab = static_cast<FragmentTab>(tab);
        expect_finite(build_fragment(fragment, dark_palette(), kMeasure, {842, 412}));
      }
    }
  }
}

TEST(Tiling, StagesThatDoNotFitAreMarked) {
  const TilingState state = example_illegal();
  for (const Size size : kTilingSizes) {
    const Scene scene = build_tiling(state, dark_palette(), kMeasure, size);
    expect_clean_texts(scene, "illegal");
    const std::string text = to_text(scene);
    EXPECT_NE(text.find("a block ends here: 232,448 B"), std::string::npos);
    EXPECT_NE(text.find("hatch"), std::string::npos);
  }
}

TEST(Tiling, TheCameraMovesWithoutJumps) {
  TilingState state = example_tiling("mma_multistage");
  state.side_by_side = false;
  Box last{};
  for (int i = 1; i < 100; ++i) {
    state.level = 1 + static_cast<float>(i) / 100;
    const Scene scene = build_tiling(state, dark_palette(), kMeasure, {842, 412});
    expect_finite(scene);
    const CellGrid* grid = grid_of(scene, Pick::Kind::mma);  // the warp level, coming nearer
    ASSERT_NE(grid, nullptr);
    if (last.w > 0) {
      EXPECT_GE(grid->box.w, last.w - 0.01f);
      EXPECT_LT(grid->box.w / last.w, 1.08f);
    }
    last = grid->box;
  }
}

TEST(Tiling, AHoverRingsTheSameElementsAtEveryLevel) {
  TilingState state = example_tiling("mma_multistage");
  const auto rings = [&] {
    size_t count = 0;
    for (const Primitive& one :
         build_tiling(state, dark_palette(), kMeasure, {842, 412}).primitives) {
      const auto* rect = std::get_if<Rect>(&one.shape);
      count += rect && rect->stroke.a > 0 && rect->fill.a == 0 ? 1u : 0u;
    }
    return count;
  };
  const size_t without = rings();
  Pick hover;
  hover.kind = Pick::Kind::element, hover.matrix = 2, hover.row = 468, hover.col = 666;
  state.hover = hover;
  EXPECT_EQ(rings() - without, 4u * 2u);  // a ring and its halo at each of four levels
}

}  // namespace
}  // namespace tilescope::viz
