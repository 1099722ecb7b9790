#include "viz/vector/scene_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/scene/cells.h"

namespace tilescope::viz {

float corner_radius(const Box& box, float radius) {
  return std::max(0.f, std::min({radius, box.w / 2, box.h / 2}));
}

std::string short_number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void SceneWriter::write(const Scene& scene, bool ground) {
  scene_ = &scene;
  if (ground) draw(Rect{.box = {0, 0, scene.size.w, scene.size.h}, .fill = scene.palette.panel});
  int clip = 0;
  for (const Primitive& p : scene.primitives) {
    if (p.clip != clip) {
      if (clip > 0) end_clip();
      clip = p.clip;
      if (clip > 0) begin_clip(clip, scene.clips[static_cast<size_t>(clip)]);
    }
    std::visit([this](const auto& shape) { draw(shape); }, p.shape);
  }
  if (clip > 0) end_clip();
}

void SceneWriter::draw(const Rect& r) {
  if (r.box.w <= 0 || r.box.h <= 0) return;
  if (r.fill.a != 0) rect(r.box, r.radius, {.fill = r.fill});
  if (r.hatch.a != 0) hatch(r);
  if (r.stroke.a == 0) return;
  if (r.box.w <= r.stroke_width || r.box.h <= r.stroke_width) {
    return rect(r.box, 0, {.fill = r.stroke});
  }
  const float inset = r.stroke_width / 2;
  rect(r.box.grown(-inset), std::max(0.f, r.radius - inset),
       {.stroke = r.stroke, .width = r.stroke_width, .dash = r.dash});
}

/// Diagonals, cut at the box.
void SceneWriter::hatch(const Rect& r) {
  if (r.hatch_step <= 0) return;
  std::vector<Point> ends;
  for (float i = -r.box.h; i < r.box.w; i += r.hatch_step) {
    // From the lower edge or the left one to the upper edge or the right one.
    const float from = std::max(i, 0.f), to = std::min(i + r.box.h, r.box.w);
    ends.push_back({r.box.x + from, r.box.bottom() - (from - i)});
    ends.push_back({r.box.x + to, r.box.bottom() - (to - i)});
  }
  segments(ends, {.stroke = r.hatch});
}

void SceneWriter::draw(const Line& l) {
  Point from = l.from, to = l.to;
  // A one-pixel line on whole coordinates would smear over two rows of pixels.
  const float shift = std::lround(l.width) % 2 == 1 ? 0.5f : 0.f;
  if (from.x == to.x) from.x = to.x = std::round(from.x) + shift;
  if (from.y == to.y) from.y = to.y = std::round(from.y) + shift;
  segments({from, to}, {.stroke = l.color, .width = l.width, .dash = l.dash});
}

void SceneWriter::draw(const Polyline& l) {
  polyline(l.points, false, {.stroke = l.color, .width = l.width, .dash = l.dash});
}

void SceneWriter::draw(const Polygon& p) {
  polyline(p.points, true, {.fill = p.fill, .stroke = p.stroke, .width = p.stroke_width});
}

void SceneWriter::draw(const Text& t) { text(t); }

void SceneWriter::draw(const CellGrid& g) {
  if (g.cells.empty()) return;
  for (int row = 0; row < g.rows; ++row) {
    for (int col = 0; col < g.columns; ++col) draw_cell(g, row, col);
  }
}

void SceneWriter::draw_cell(const CellGrid& g, int row, int col) {
  const uint32_t cell =
      g.cells[static_cast<size_t>(row) * static_cast<size_t>(g.columns) + static_cast<size_t>(col)];
  if (cell & kCellEmpty) return;
  const Box whole = cell_box(g, row, col);
  Box box = whole;
  const bool run_right = (col + 1) % g.run_columns == 0 || col + 1 == g.columns;
  const bool run_low = (row + 1) % g.run_rows == 0 || row + 1 == g.rows;
  const float line = std::min(box.w, box.h) >= 3 ? g.line_width : 0;
  if (run_right) box.w -= line;
  if (run_low) box.h -= line;
  const Color color = cell_color(g, cell, scene_->palette);
  rect(box, 0, {.fill = color, .opacity = g.opacity});
  const Color white = fade(rgb(0xffffff), 0.75f * g.opacity);
  if (cell & kCellEdgeRight) rect({whole.right() - 1, whole.y, 1, whole.h}, 0, {.fill = white});
  if (cell & kCellEdgeBottom) rect({whole.x, whole.bottom() - 1, whole.w, 1}, 0, {.fill = white});
  if (!g.ticks || row % g.run_rows != 0 || col % g.run_columns != 0) return;
  const std::vector<Point> tick = cell_tick(g, row, col);
  if (!tick.empty()) {
    polyline(tick, true, {.fill = fade(ink_on(color), 0.55f * g.opacity)});
  }
}

}  // namespace tilescope::viz
