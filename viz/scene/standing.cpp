#include "viz/scene/standing.h"

#include <cmath>
#include <vector>

namespace tilescope::viz {

namespace {

std::vector<Point> lower_half(Point center, float radius) {
  constexpr int kSteps = 12;
  constexpr float kHalfTurn = 3.14159265f;
  std::vector<Point> points;
  for (int i = 0; i <= kSteps; ++i) {
    const float at = kHalfTurn * static_cast<float>(i) / static_cast<float>(kSteps);
    points.push_back({center.x + radius * std::cos(at), center.y + radius * std::sin(at)});
  }
  return points;
}

}  // namespace

void standing_bar(SceneBuilder& b, Box box, Standing standing, Color color) {
  const Palette& p = b.palette();
  Rect r;
  r.box = box;
  switch (standing) {
    case Standing::measured:
      r.fill = color;
      break;
    case Standing::recorded:
      b.rect({box.x, box.y + box.h / 2, box.w, box.h - box.h / 2}, color);
      r.stroke = color;
      break;
    case Standing::modelled:
      r.stroke = p.dim, r.dash = {3, 2};
      break;
    case Standing::none:
      return;
  }
  b.add(r);
}

void standing_point(SceneBuilder& b, Point center, float radius, Standing standing, Color color) {
  const Palette& p = b.palette();
  if (standing == Standing::none) return;
  if (standing == Standing::measured) return b.circle(center, radius, color);
  if (standing == Standing::recorded) {
    b.circle(center, radius, p.panel, color);
    return b.polygon(lower_half(center, radius), color);
  }
  // A dashed circle: arcs of a sixth with gaps between them.
  constexpr int kArcs = 5, kSteps = 4;
  constexpr float kTurn = 6.2831853f;
  b.circle(center, radius, p.panel);
  for (int arc = 0; arc < kArcs; ++arc) {
    Polyline line;
    line.color = p.dim, line.width = 1.2f;
    for (int step = 0; step <= kSteps; ++step) {
      const float at = kTurn *
                       (static_cast<float>(arc) +
                        0.62f * static_cast<float>(step) / static_cast<float>(kSteps)) /
                       static_cast<float>(kArcs);
      line.points.push_back({center.x + radius * std::cos(at), center.y + radius * std::sin(at)});
    }
    b.add(std::move(line));
  }
}

std::string standing_figure(Standing standing, double value) {
  return (standing == Standing::modelled ? "~" : "") + figure(value);
}

}  // namespace tilescope::viz
