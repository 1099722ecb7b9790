// The pieces of the Tiling scene, one file each.
#pragma once
#include <array>

#include "viz/scene/parts.h"
#include "viz/scene/tiling/tiling_scene.h"

namespace tilescope::viz {

/// From the grid to the atom; what its lanes hold is drawn inside it.
constexpr int kTilingLevels = static_cast<int>(Level::atom) + 1;

constexpr bool letter_below(float a_width, float b_height) { return a_width < 20 && b_height < 21; }

/// One level as placed: A left of C, B above C, and the indices they show.
struct LevelPicture {
  Level level = Level::grid;
  LevelAxes axes;
  Box a, b, c;
  float left() const { return a.x; }
  /// Above a narrow A there may be no room for its letter beside that of B.
  bool letter_below() const { return viz::letter_below(a.w, b.h); }
  float right() const { return c.right(); }
};

struct TilingContext {
  const TilingState& state;
  const KernelPlan& plan;
  Hierarchy table;
  Selection selection;
  Moment moment;
  int levels = kTilingLevels;
  std::array<LevelAxes, kTilingLevels> axes;

  /// Who computes the chosen tile at this moment, and what of it.
  TileWorker worker() const { return worker_of(plan.work, selection.cta, moment.k_slice); }
  WorkItem item() const {
    const TileWorker who = worker();
    return work_item(plan.work, who.cta, who.item);
  }
};

/// The CTAs that compute a tile: "17", or "17–18" of those that share it.
std::string ctas_text(const WorkOrder& work, Coord tile);

// tiling_layout.cpp: where the levels go.

/// All levels in one row, C boxes of about one height on one line. `top` is where the headings are.
std::vector<LevelPicture> place_side_by_side(const TilingContext& t, Box area);
/// The lowest edge of some pictures.
float lowest(const std::vector<LevelPicture>& pictures);
constexpr float kAloneFacts = 180;  // left of a level that stands alone
LevelPicture place_alone(const TilingContext& t, int level, Box area);
/// The boxes in a picture's C that the next level shows, and the box around them.
std::vector<Box> child_boxes(const LevelPicture& picture, const LevelAxes& child);
Box child_bounds(const LevelPicture& picture, const LevelAxes& child);

// tiling_levels.cpp
void draw_level(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);
/// The elements that the present instruction touches.
void draw_level_lit(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);
/// Thin rings round the hovered elements, and those that a value came from.
void draw_level_hover(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);
/// Rings round what the next level shows.
void draw_level_selection(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);

/// CTAs of a wrong answer, in the grid. Lanes are marked with their cells.
void draw_level_answer(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);

// tiling_cells.cpp
void draw_mma_cells(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture);
void draw_thread_cells(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture,
                       int first_thread, int count);

// tiling_facts.cpp: headings, extents, the key of the launch order
/// Above the pictures, or in a column of their own beside a level that stands alone.
void draw_level_facts(SceneBuilder& b, const TilingContext& t, const LevelPicture& picture,
                      Point at, float width, bool alone);

// tiling_stages.cpp
/// `boxes`: with the stages of shared memory, else the ruler of the k slices alone.
float stage_area_height(const TilingContext& t, bool boxes);
void draw_stages(SceneBuilder& b, const TilingContext& t, Box box, bool boxes);

}  // namespace tilescope::viz
