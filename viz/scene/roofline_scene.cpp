#include "viz/scene/roofline_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr double kTera = 1e12;

/// Both axes are logarithmic.
struct Axes {
  Box plot;
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  // log10
  float x(double v) const {
    return plot.x + static_cast<float>((std::log10(v) - x0) / (x1 - x0)) * plot.w;
  }
  float y(double v) const {
    return plot.bottom() - static_cast<float>((std::log10(v) - y0) / (y1 - y0)) * plot.h;
  }
};

Color level_color(const Palette& p, RooflineLevel::Kind kind) {
  switch (kind) {
    case RooflineLevel::Kind::shared:
      return p.load;
    case RooflineLevel::Kind::l2:
      return p.copy;
    case RooflineLevel::Kind::l1:
      return p.ok;
    default:
      return p.dim;
  }
}

std::string power_text(double v) {
  if (v >= 1e6) return figure(v / 1e6) + "M";
  return v >= 1e4 ? figure(v / 1e3) + "k" : figure(v);
}

Axes axes_for(const RooflineState& s, Box plot) {
  double left = 1e9, right = 1, low = s.peak_flops;
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity > 0)
      left = std::min(left, level.intensity), right = std::max(right, level.intensity);
    if (level.bytes_per_second > 0) {
      left = std::min(left, s.peak_flops / level.bytes_per_second);
      right = std::max(right, s.peak_flops / level.bytes_per_second);
    }
  }
  if (left > right) left = right = 10;
  if (s.flops) low = std::min(low, *s.flops);
  Axes a;
  a.plot = plot;
  a.x0 = std::log10(left) - 0.45, a.x1 = std::log10(right) + 0.45;
  a.y1 = std::log10(std::max(s.peak_flops, s.flops.value_or(0))) + 0.22;
  a.y0 = std::min(std::log10(low) - 0.6, a.y1 - 1.25);
  return a;
}

void draw_grid(SceneBuilder& b, const Axes& a, Size size) {
  const Palette& p = b.palette();
  for (int e = static_cast<int>(std::ceil(a.x0)); e <= static_cast<int>(std::floor(a.x1)); ++e) {
    const float x = std::round(a.x(std::pow(10.0, e)));
    b.line({x, a.plot.y}, {x, a.plot.bottom()}, p.grid);
    const std::string label = power_text(std::pow(10.0, e));
    const float half = b.width(label, 10) / 2;
    b.text(std::clamp(x, a.plot.x + half, size.w - 4 - half), a.plot.bottom() + 10, label,
           {p.dim, 10, Weight::regular, Align::center});
  }
  float free_above = a.plot.bottom() + 8;
  for (int e = static_cast<int>(std::floor(a.y0)); e <= static_cast<int>(std::ceil(a.y1)); ++e) {
    for (int step : {1, 2, 5}) {
      const double v = step * std::pow(10.0, e);
      const float y = std::round(a.y(v));
      if (y < a.plot.y || y > a.plot.bottom()) continue;
      b.line({a.plot.x, y}, {a.plot.right(), y}, p.grid);
      if (y > free_above - 13) continue;
      b.text(a.plot.x - 5, y, power_text(v / kTera), {p.dim, 10, Weight::regular, Align::right});
      free_above = y;
    }
  }
}

}  // namespace

Scene build_roofline(const RooflineState& s, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  const Palette& p = b.palette();
  b.text(4, 9, "Roofline", {p.text, 11, Weight::semibold});
  const bool wide = size.w > 130;
  if (wide) b.text(size.w - 4, 9, "TFLOPS", {p.dim, 10, Weight::regular, Align::right});
  if (s.peak_flops <= 0 || size.h < 90 || size.w < 90) {
    b.text(size.w / 2, size.h / 2, "no figures for this device",
           {p.dim, 11, Weight::regular, Align::center, size.w - 8});
    return b.finish();
  }
  const Axes a = axes_for(s, {36, 20, size.w - 44, size.h - 20 - 32});
  draw_grid(b, a, size);
  b.text(a.plot.x + a.plot.w / 2, a.plot.bottom() + 23, "FLOP / B",
         {p.dim, 10, Weight::regular, Align::center});

  // Roofs: a slope a level, up to what the arithmetic can do.
  b.push_clip({a.plot.x, a.plot.y, a.plot.w + 1, a.plot.h});
  const double lowest = std::pow(10.0, a.y0);
  double first_ridge = std::pow(10.0, a.x1);
  for (const RooflineLevel& level : s.levels) {
    if (level.bytes_per_second <= 0) continue;
    const double ridge = s.peak_flops / level.bytes_per_second,
                 start = lowest / level.bytes_per_second;
    first_ridge = std::min(first_ridge, ridge);
    b.add(Polyline{{{a.x(start), a.y(lowest)}, {a.x(ridge), a.y(s.peak_flops)}},
                   level_color(p, level.kind),
                   1.5f,
                   {}});
  }
  const float roof = std::round(a.y(s.peak_flops));
  b.line({a.x(first_ridge), roof}, {a.plot.right(), roof}, p.text, 2);
  b.pop_clip();
  b.text(a.plot.right() - 1, roof - 8, figure(s.peak_flops / kTera),
         {p.text, 10, Weight::semibold, Align::right});

  // Where the kernel stands: one point a level, all at the achieved height.
  if (!s.flops) return b.finish();
  const float y = std::round(a.y(*s.flops));
  std::vector<const RooflineLevel*> shown;
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity > 0) shown.push_back(&level);
  }
  std::sort(shown.begin(), shown.end(), [](const RooflineLevel* l, const RooflineLevel* r) {
    return l->intensity < r->intensity;
  });
  if (shown.empty()) return b.finish();
  const float left = a.x(shown.front()->intensity), right = a.x(shown.back()->intensity);
  if (right > left + 1) b.line({left, y}, {right, y}, fade(p.select, 0.6f), 1, {3, 2});
  const bool measured = s.standing == RooflineState::Standing::measured;
  float free_from = a.plot.x;
  const bool below = y + 24 < a.plot.bottom();
  const float name_y = below ? y + 15 : y - 15;
  for (const RooflineLevel* level : shown) {
    const float x = std::round(a.x(level->intensity));
    const Color color = level_color(p, level->kind);
    if (level->bytes_per_second > 0) {
      const double bound = std::min(s.peak_flops, level->intensity * level->bytes_per_second);
      b.line({x, y}, {x, std::round(a.y(bound))}, fade(color, 0.9f), 1, {2, 2});
    }
    // Filled: measured. Hollow: recorded or modelled.
    b.circle({x, y}, 4.5f, measured ? color : p.panel, measured ? p.select : color, 1.5f);
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = static_cast<int>(level - s.levels.data());
    b.pickable(pick);
    const float w = b.width(level->name, 11);
    float at = std::clamp(x - w / 2, free_from, std::max(free_from, size.w - 4 - w));
    if (at + w > size.w - 2) continue;
    b.rect({at - 2, name_y - 7, w + 4, 14}, fade(p.panel, 0.85f), {}, 2);
    b.text(at, name_y, level->name, {p.text, 11});
    free_from = at + w + 8;
  }
  const std::string sign = s.standing == RooflineState::Standing::modelled ? "~" : "";
  const std::string name = sign + figure(*s.flops / kTera);
  const float w = b.width(name, 10, Weight::semibold);
  const float x = std::clamp((left + right) / 2, a.plot.x + w / 2, a.plot.right() - w / 2);
  if (y - 14 > roof + 4 || x + w / 2 < a.plot.right() - 30) {
    b.text(x, std::max(below ? y - 11 : y - 29, a.plot.y + 6), name,
           {p.text, 10, Weight::semibold, Align::center});
  }
  return b.finish();
}

}  // namespace tilescope::viz
