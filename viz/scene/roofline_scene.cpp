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
  double left = 1e9, right = 1, low = s.peak_flops, high = s.peak_flops;
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity > 0)
      left = std::min(left, level.intensity), right = std::max(right, level.intensity);
    if (level.per_second > 0) {
      left = std::min(left, s.peak_flops / level.per_second);
      right = std::max(right, s.peak_flops / level.per_second);
    }
  }
  if (left > right) left = right = 10;
  for (const RooflineStep& step : s.way) {
    left = std::min(left, step.intensity), right = std::max(right, step.intensity);
    low = std::min(low, step.flops);
  }
  for (const std::optional<double>& flops : {s.achieved, s.modelled}) {
    if (flops && *flops > 0) low = std::min(low, *flops), high = std::max(high, *flops);
  }
  Axes a;
  a.plot = plot;
  a.x0 = std::log10(left) - 0.45, a.x1 = std::log10(right) + 0.45;
  a.y1 = std::log10(high) + 0.22;
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

/// Places that texts have taken; each new one goes where none is.
class Labels {
 public:
  explicit Labels(Box room) : room_(room) {}
  bool is_free(const Box& box) const {
    if (box.x < room_.x || box.right() > room_.right() || box.y < room_.y ||
        box.bottom() > room_.bottom()) {
      return false;
    }
    return std::none_of(taken_.begin(), taken_.end(), [&](const Box& t) {
      return box.x < t.right() && t.x < box.right() && box.y < t.bottom() && t.y < box.bottom();
    });
  }
  void take(const Box& box) { taken_.push_back(box); }

 private:
  Box room_;
  std::vector<Box> taken_;
};

/// A text with ground behind it, at the first place that is free; nothing if none is.
bool put(SceneBuilder& b, Labels& labels, const std::string& text, const TextStyle& style,
         const std::vector<Point>& middles) {
  const float w = b.width(text, style.size, style.weight) + 6, h = style.size + 3;
  for (const Point& m : middles) {
    const Box box{m.x - w / 2, m.y - h / 2, w, h};
    if (!labels.is_free(box)) continue;
    b.rect(box, fade(b.palette().panel, 0.85f), {}, 2);
    TextStyle centred = style;
    centred.align = Align::center;
    b.text(m.x, m.y, text, centred);
    labels.take(box);
    return true;
  }
  return false;
}

/// A slope a level, up to what the arithmetic can do.
void draw_roofs(SceneBuilder& b, const RooflineState& s, const Axes& a) {
  const Palette& p = b.palette();
  b.push_clip({a.plot.x, a.plot.y, a.plot.w + 1, a.plot.h});
  const double lowest = std::pow(10.0, a.y0);
  double first_ridge = std::pow(10.0, a.x1);
  // Of levels that share a rate the first is seen: its colour is the name's.
  for (auto at = s.levels.rbegin(); at != s.levels.rend(); ++at) {
    const RooflineLevel& level = *at;
    if (level.per_second <= 0) continue;
    const double ridge = s.peak_flops / level.per_second, start = lowest / level.per_second;
    first_ridge = std::min(first_ridge, ridge);
    b.add(Polyline{{{a.x(start), a.y(lowest)}, {a.x(ridge), a.y(s.peak_flops)}},
                   level_color(p, level.kind),
                   1.5f,
                   {}});
  }
  const float roof = std::round(a.y(s.peak_flops));
  b.line({a.x(first_ridge), roof}, {a.plot.right(), roof}, p.text, 2);
  // What was measured lies below: dashed.
  for (const RooflineLevel& level : s.levels) {
    if (level.measured <= 0) continue;
    b.line({a.x(lowest / level.measured), a.y(lowest)},
           {a.x(s.peak_flops / level.measured), a.y(s.peak_flops)}, level_color(p, level.kind), 1,
           {5, 3});
  }
  if (s.measured_peak > 0) {
    const float reached = std::round(a.y(s.measured_peak));
    b.line({a.x(first_ridge), reached}, {a.plot.right(), reached}, p.text, 1, {5, 3});
  }
  b.pop_clip();
}

/// From where the sliders stood before to where they stand: what was timed is joined.
void draw_way(SceneBuilder& b, const RooflineState& s, const Axes& a) {
  const Palette& p = b.palette();
  const Color color = level_color(p, RooflineLevel::Kind::l2);
  std::vector<RooflineStep> steps = s.way;
  const auto l2 = std::find_if(s.levels.begin(), s.levels.end(), [](const RooflineLevel& level) {
    return level.kind == RooflineLevel::Kind::l2;
  });
  if (l2 == s.levels.end() || steps.empty()) return;
  if (s.achieved) steps.push_back({l2->intensity, *s.achieved, Standing::measured});
  const auto at = [&](const RooflineStep& step) {
    return Point{std::round(a.x(step.intensity)), std::round(a.y(step.flops))};
  };
  const auto timed = [](const RooflineStep& step) {
    return step.standing == Standing::measured || step.standing == Standing::recorded;
  };
  for (size_t i = 1; i < steps.size(); ++i) {
    if (timed(steps[i - 1]) && timed(steps[i])) {
      b.line(at(steps[i - 1]), at(steps[i]), fade(color, 0.7f), 1);
    }
  }
  for (const RooflineStep& step : s.way) {
    standing_point(b, at(step), 2.5f, step.standing, color);
  }
}

std::string rate_text(const RooflineState& s, double per_second) {
  return figure(per_second / kTera) + (s.unit == "B" ? " TB/s" : " T/s");
}

/// The names of the roofs: on their slopes, and below the flat one.
void name_roofs(SceneBuilder& b, const RooflineState& s, const Axes& a, Labels& labels) {
  const Palette& p = b.palette();
  const float roof = std::round(a.y(s.peak_flops));
  const std::string peak = figure(s.peak_flops / kTera);
  const TextStyle bold{p.text, 10, Weight::semibold};
  const std::string of(translated(s.peak_name));
  for (const std::string& name : {of.empty() ? peak : of + " " + peak, peak}) {
    const float half = b.width(name, 10, Weight::semibold) / 2 + 4;
    if (put(b, labels, name, bold, {{a.plot.right() - half, roof - 9}})) break;
  }
  if (s.measured_peak > 0) {
    const float reached = std::round(a.y(s.measured_peak));
    const std::string figures = figure(s.measured_peak / kTera);
    const std::string reached_by(translated(s.measured_peak_name));
    for (const std::string& name :
         {wording("{} measured {}", reached_by, figures), reached_by + " " + figures}) {
      const float half = b.width(name, 10) / 2 + 4;
      std::vector<Point> along;
      for (const float right : {1.0f, 0.85f, 0.7f}) {
        const float x = a.plot.x + a.plot.w * right - half;
        along.push_back({x, reached + 9}), along.push_back({x, reached - 9});
      }
      if (put(b, labels, name, {p.dim, 10}, along)) break;
    }
  }
  std::vector<double> named;  // levels of one rate share a slope, and its name
  for (const RooflineLevel& level : s.levels) {
    if (level.per_second <= 0) continue;
    if (std::find(named.begin(), named.end(), level.per_second) != named.end()) continue;
    named.push_back(level.per_second);
    std::string names;
    for (const RooflineLevel& other : s.levels) {
      if (other.per_second != level.per_second) continue;
      names += (names.empty() ? "" : ", ") + std::string(translated(other.name));
    }
    std::vector<Point> along;
    constexpr int kPlaces = 24;
    for (int i = 2; i < kPlaces; ++i) {
      const double y = a.y0 + (std::log10(s.peak_flops) - a.y0) * i / kPlaces;
      along.push_back({a.x(std::pow(10.0, y) / level.per_second), a.y(std::pow(10.0, y))});
    }
    const TextStyle style{level_color(p, level.kind), 10};
    if (!put(b, labels, names + " " + rate_text(s, level.per_second), style, along)) {
      put(b, labels, names, style, along);
    }
  }
}

/// Where the kernel stands: one point per level, all at one height. Solid: measured; hollow:
/// modelled.
void draw_points(SceneBuilder& b, const RooflineState& s, const Axes& a, double flops, bool solid,
                 Labels& labels) {
  const Palette& p = b.palette();
  const float y = std::round(a.y(flops));
  float left = a.plot.right(), right = a.plot.x;
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity <= 0) continue;
    left = std::min(left, a.x(level.intensity)), right = std::max(right, a.x(level.intensity));
  }
  if (right > left + 1) {
    b.line({left, y}, {right, y}, fade(p.select, solid ? 0.7f : 0.4f), 1, {3, 2});
  }
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity <= 0) continue;
    const float x = std::round(a.x(level.intensity));
    const Color color = level_color(p, level.kind);
    if (level.per_second > 0 && solid == s.achieved.has_value()) {
      const double bound = std::min(s.peak_flops, level.intensity * level.per_second);
      b.line({x, y}, {x, std::round(a.y(bound))}, fade(color, 0.9f), 1, {2, 2});
    }
    b.circle({x, y}, 4.5f, solid ? color : p.panel, color, 1.5f);
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = static_cast<int>(&level - s.levels.data());
    b.pickable(pick);
    labels.take({x - 6, y - 6, 12, 12});
  }
}

/// The levels at their points, and the speed between them.
void name_points(SceneBuilder& b, const RooflineState& s, const Axes& a, Labels& labels) {
  const Palette& p = b.palette();
  const double flops = s.achieved ? *s.achieved : *s.modelled;
  const float y = std::round(a.y(flops));
  float last = a.plot.x;
  for (const RooflineLevel& level : s.levels) {
    if (level.intensity <= 0) continue;
    const float x = std::round(a.x(level.intensity));
    last = std::max(last, x);
    put(b, labels, level.name, {p.text, 11}, {{x, y + 15}, {x, y - 15}, {x, y + 29}, {x, y - 29}});
  }
  for (const bool solid : {true, false}) {
    const std::optional<double>& speed = solid ? s.achieved : s.modelled;
    if (!speed) continue;
    const std::string text = (solid ? "" : "~") + figure(*speed / kTera);
    const float at = std::round(a.y(*speed)), half = b.width(text, 10, Weight::semibold) / 2;
    put(b, labels, text, {p.text, 10, Weight::semibold},
        {{last + half + 12, at},
         {last, at + 15},
         {last, at - 15},
         {last, at + 29},
         {last - half - 12, at},
         {a.plot.x + half + 6, at}});
  }
}

/// What the two kinds of points are, right of the title.
void draw_key(SceneBuilder& b, const RooflineState& s, Size size, float title) {
  const Palette& p = b.palette();
  struct Key {
    bool solid;
    std::string name, brief;
  };
  std::vector<Key> keys;
  const std::string first_word = s.achieved_name.substr(0, s.achieved_name.find(' '));
  if (s.achieved) keys.push_back({true, s.achieved_name, first_word});
  if (s.modelled) keys.push_back({false, "modelled", "model"});
  for (const bool brief : {false, true}) {
    float width = 0;
    for (const Key& key : keys) width += b.width(brief ? key.brief : key.name, 10) + 22;
    float x = size.w - 4 - width + 8;
    if (x < title + 10) continue;
    for (const Key& key : keys) {
      const std::string& name = brief ? key.brief : key.name;
      b.circle({x + 4, 9}, 3.5f, key.solid ? p.text : p.panel, p.text, 1.5f);
      x += 12 + b.text(x + 12, 9, name, {p.dim, 10}) + 10;
    }
    return;
  }
}

}  // namespace

Scene build_roofline(const RooflineState& s, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  const Palette& p = b.palette();
  const float title =
      4 + b.text_that_fits(4, 9, {"Roofline, TFLOPS", "Roofline"},
                           {p.text, 11, Weight::semibold, Align::left, size.w * 0.45f});
  if (s.peak_flops <= 0 || size.h < 90 || size.w < 90) {
    b.text(size.w / 2, size.h / 2, "no figures for this device",
           {p.dim, 11, Weight::regular, Align::center, size.w - 8});
    return b.finish();
  }
  const Axes a = axes_for(s, {36, 20, size.w - 44, size.h - 20 - 32});
  draw_grid(b, a, size);
  b.text(a.plot.x + a.plot.w / 2, a.plot.bottom() + 23, "FLOP / " + std::string(translated(s.unit)),
         {p.dim, 10, Weight::regular, Align::center});
  draw_roofs(b, s, a);
  Labels labels({a.plot.x, a.plot.y - 4, a.plot.w, a.plot.h + 4});
  draw_way(b, s, a);
  if (s.modelled) draw_points(b, s, a, *s.modelled, false, labels);
  if (s.achieved) draw_points(b, s, a, *s.achieved, true, labels);
  if (s.modelled || s.achieved) name_points(b, s, a, labels);
  name_roofs(b, s, a, labels);
  draw_key(b, s, size, title);
  return b.finish();
}

}  // namespace tilescope::viz
