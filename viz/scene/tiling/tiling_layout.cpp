#include <algorithm>
#include <cmath>

#include "viz/scene/tiling/tiling_parts.h"

namespace tilescope::viz {
namespace {

constexpr float kBetween = 4;        // between A and C, B and C
constexpr float kLevelHeading = 18;  // name of the level
constexpr float kLevelFacts = 52;    // three lines below it
constexpr float kLetter = 14;        // of an A that is too narrow to carry it above
constexpr float kUnder = 8;          // facts to picture

/// Extents in elements, and how large one may get.
struct Extent3 {
  float rows = 1, cols = 1, depth = 1;
  float unit = 1;  // elements that should take whole pixels
  float max_scale = 1e9f;
};

Extent3 shape_of(const TilingContext& t, int level) {
  const LevelAxes& axes = t.axes[static_cast<size_t>(level)];
  Extent3 s{static_cast<float>(axes.m.count), static_cast<float>(axes.n.count),
            static_cast<float>(axes.k.count)};
  const auto least = [&](Level of) {
    const Mnk& box = t.table[of].box;
    return static_cast<float>(std::min(box.m, box.n));
  };
  // Where lanes have tiles of their own, what lies in the warp is drawn an element a cell.
  const bool atoms = t.table.lanes_share_atoms();
  switch (static_cast<Level>(level)) {
    case Level::grid:
      s.unit = least(Level::cta);
      break;
    case Level::cta:
      s.unit = atoms ? least(Level::warp) : 4;
      break;
    case Level::warp:
      s.unit = atoms ? least(Level::atom) : 1;
      s.max_scale = atoms ? 1e9f : 24;
      break;
    case Level::atom:
    case Level::lane:
      s.unit = 1;
      s.max_scale = 40;
      break;
  }
  return s;
}

struct Extents {
  float depth_w = 0, depth_h = 0, w = 0, h = 0;
  float total_w() const { return depth_w + kBetween + w; }
};

/// The size of a level whose C is at most `height` tall and 1.6 times as wide. A long k would push
/// all else aside: its panels are at most as long as a part of that height.
Extents extents_of(const Extent3& s, float height, float depth_part = 1) {
  float scale = std::min({height / s.rows, 1.6f * height / s.cols, s.max_scale});
  const float whole = std::floor(scale * s.unit) / s.unit;
  if (scale * s.unit >= 2 && whole > 0.88f * scale) scale = whole;
  Extents e;
  e.w = std::max(14.0f, std::round(s.cols * scale));
  e.h = std::max(14.0f, std::round(s.rows * scale));
  e.depth_w = e.depth_h = std::clamp(std::round(s.depth * scale), 6.0f, depth_part * height);
  return e;
}

LevelPicture picture_at(const TilingContext& t, int level, const Extents& e, float x, float c_top) {
  LevelPicture p;
  p.level = static_cast<Level>(level);
  p.axes = t.axes[static_cast<size_t>(level)];
  p.c = {x + e.depth_w + kBetween, c_top, e.w, e.h};
  p.a = {x, c_top, e.depth_w, e.h};
  p.b = {p.c.x, c_top - kBetween - e.depth_h, e.w, e.depth_h};
  return p;
}

}  // namespace

std::vector<LevelPicture> place_side_by_side(const TilingContext& t, Box area) {
  std::vector<Extents> best;
  float top_height = kLevelFacts;
  const float min_gap = area.w > 760 ? 8.0f : 3.0f;
  const auto attempt = [&](float height, float last_shrink) {
    std::vector<Extents> extents;
    float total = min_gap * static_cast<float>(t.levels - 1), depth = kLevelFacts, letter = 0;
    for (int i = 0; i < t.levels; ++i) {
      extents.push_back(extents_of(shape_of(t, i), i == 3 ? height * last_shrink : height));
      total += extents.back().total_w();
      if (letter_below(extents.back().depth_w, extents.back().depth_h)) letter = kLetter;
      depth = std::max(depth, extents.back().depth_h);
    }
    const bool fits =
        total <= area.w && kLevelHeading + kUnder + depth + kBetween + height + letter <= area.h;
    if (fits || height <= 32) best = extents, top_height = depth;
    return fits;
  };
  for (float height = 640; height >= 32; height -= height > 160 ? 16 : 8) {
    if (attempt(height, 1.0f) || attempt(height, 0.84f)) break;
  }
  // The grid's tiles take whole pixels and make its C a little lower: the others follow it.
  if (best[0].h > 32 && best[0].h >= 0.85f * best[1].h && best[0].h < best[1].h) {
    const std::vector<Extents> before = best;
    const float lower = best[0].h;
    if (!attempt(lower, 1.0f) && !attempt(lower, 0.84f)) best = before;
  }
  float total = 0;
  for (const Extents& e : best) total += e.total_w();
  const float gap =
      t.levels > 1 ? std::max(2.0f, (area.w - total) / static_cast<float>(t.levels - 1)) : 0;
  const float c_top = area.y + kLevelHeading + kUnder + top_height + kBetween;
  std::vector<LevelPicture> pictures;
  float x = area.x;
  for (int i = 0; i < t.levels; ++i) {
    pictures.push_back(
        picture_at(t, i, best[static_cast<size_t>(i)], std::round(x), std::round(c_top)));
    x += best[static_cast<size_t>(i)].total_w() + gap;
  }
  return pictures;
}

float lowest(const std::vector<LevelPicture>& pictures) {
  float bottom = 0;
  for (const LevelPicture& p : pictures) {
    bottom = std::max(bottom, p.c.bottom() + (p.letter_below() ? kLetter : 0.0f));
  }
  return bottom;
}

LevelPicture place_alone(const TilingContext& t, int level, Box area) {
  const Extent3 shape = shape_of(t, level);
  const float facts = std::min(kAloneFacts, area.w * 0.3f);
  // Cells of an instruction keep their shape; elsewhere C matters more than a long k.
  const float depth_part = static_cast<Level>(level) == Level::atom ? 1.0f : 0.3f;
  Extents best;
  for (float height = 1200; height >= 32; height -= 8) {
    best = extents_of(shape, height, depth_part);
    if (best.total_w() + facts <= area.w && kUnder + best.depth_h + kBetween + best.h <= area.h)
      break;
  }
  const float x =
      area.x + facts + std::max(0.0f, std::floor((area.w - facts - best.total_w()) / 2));
  const float used = best.depth_h + kBetween + best.h;
  const float c_top = area.y + kUnder + best.depth_h + kBetween +
                      std::max(0.0f, std::floor((area.h - kUnder - used) / 2));
  return picture_at(t, level, best, std::round(x), std::round(c_top));
}

std::vector<Box> child_boxes(const LevelPicture& picture, const LevelAxes& child) {
  std::vector<Box> boxes;
  const Box& c = picture.c;
  const float sx = c.w / static_cast<float>(std::max(1, picture.axes.n.count));
  const float sy = c.h / static_cast<float>(std::max(1, picture.axes.m.count));
  for (const Span& m : spans(picture.axes.m, child.m)) {
    for (const Span& n : spans(picture.axes.n, child.n)) {
      boxes.push_back({c.x + static_cast<float>(n.from) * sx, c.y + static_cast<float>(m.from) * sy,
                       static_cast<float>(n.to - n.from) * sx,
                       static_cast<float>(m.to - m.from) * sy});
    }
  }
  return boxes;
}

Box child_bounds(const LevelPicture& picture, const LevelAxes& child) {
  const std::vector<Box> boxes = child_boxes(picture, child);
  if (boxes.empty()) return picture.c;
  float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
  for (const Box& box : boxes) {
    x0 = std::min(x0, box.x), y0 = std::min(y0, box.y);
    x1 = std::max(x1, box.right()), y1 = std::max(y1, box.bottom());
  }
  return {x0, y0, x1 - x0, y1 - y0};
}

}  // namespace tilescope::viz
