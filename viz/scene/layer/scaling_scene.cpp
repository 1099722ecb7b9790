#include "viz/scene/layer/scaling_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/language/retold.h"
#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kPlotMargin = 6, kPlotTop = 24, kTextLine = 16, kMark = 4;
constexpr double kLeastHalving = 1.0 / 16;  // of the axis; below it are tenths

/// Two digits at least, so that no two small values look alike.
std::string speedup_text(double value) {
  char text[16];
  std::snprintf(text, sizeof text, value < 0.1 ? "%.2g" : value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

/// Where the axis ends so that the value stands on it: at whole halvings, then at tenths.
double axis_end(double least) {
  double end = 1;
  while (end > least && end > kLeastHalving) end /= 2;
  return end <= least ? end : std::pow(10.0, std::floor(std::log10(least) + 1e-9));
}

using Us = double ScalingTimes::*;

/// One pass of all points.
struct Series {
  const char* name;
  Us us;
  Color color;
  bool round;  // a circle, else a square
};

/// Filled where it was measured, else hollow and dashed.
void scaling_mark(SceneBuilder& b, Point at, Color color, bool round, bool measured) {
  const Box box{at.x - kMark, at.y - kMark, 2 * kMark, 2 * kMark};
  Rect r;
  r.box = box;
  r.radius = round ? kMark : 0;
  r.fill = measured ? color : b.palette().panel;
  if (!measured && !round) r.stroke = color, r.stroke_width = 1.5f, r.dash = {2, 1.6f};
  b.add(r);
  if (measured || !round) return;
  // Arcs with gaps between them.
  constexpr int kArcs = 5, kSteps = 4;
  constexpr float kTurn = 6.2831853f;
  for (int arc = 0; arc < kArcs; ++arc) {
    Polyline line;
    line.color = color, line.width = 1.6f;
    for (int step = 0; step <= kSteps; ++step) {
      const float within = 0.65f * static_cast<float>(step) / kSteps;
      const float angle = kTurn * (static_cast<float>(arc) + within) / kArcs;
      line.points.push_back({at.x + kMark * std::cos(angle), at.y + kMark * std::sin(angle)});
    }
    b.add(std::move(line));
  }
}

bool touch(const Box& a, const Box& b) {
  return a.x < b.right() + 3 && b.x < a.right() + 3 && a.y < b.bottom() + 1 && b.y < a.bottom() + 1;
}

class Plot {
 public:
  Plot(SceneBuilder& b, const ScalingState& s, Box box, const std::vector<Series>& all)
      : b_(b), p_(b.palette()), s_(s), box_(box) {
    for (const ScalingPoint& point : s.points) most_ = std::max(most_, point.ranks);
    // More ranks may be slower, of a small layer a hundred times.
    for (const Series& series : all) {
      for (const ScalingPoint& point : s.points) {
        for (const bool measured : {false, true}) {
          const double value = speedup(point, series.us, measured);
          if (value > 0) least_ = std::min(least_, axis_end(value));
        }
      }
    }
    left_ = std::max(b.width(std::to_string(most_) + "×", 11, Weight::mono),
                     least_ < 1 ? b.width(figure(least_) + "×", 11, Weight::mono) : 0) +
            8;
    plot_ = {box.x + left_, box.y + kPlotTop, box.w - left_ - 30, box.h - kPlotTop - 18};
  }

  void draw(const std::vector<Series>& all) {
    b_.text(box_.x, box_.y + 8, "speed-up over one rank",
            {p_.dim, 11, Weight::regular, Align::left, box_.w});
    if (plot_.w < 40 || plot_.h < 40) return;
    axes();
    ideal();
    for (const Series& series : all) {
      for (const bool measured : {false, true}) line(series, measured);
    }
    for (const Series& series : all) {
      for (const bool measured : {false, true}) marks(series, measured, &series == &all.front());
    }
    name_ideal();
  }

 private:
  float x(double ranks) const {
    const double all = std::log2(std::max(2, most_));
    return plot_.x + 8 + static_cast<float>(std::log2(ranks) / all) * (plot_.w - 16);
  }
  float y(double speedup) const {
    const double all = std::log2(std::max(2, most_) * 1.12 / least_);
    return plot_.bottom() -
           static_cast<float>(std::log2(std::max(speedup / least_, 1.0)) / all) * plot_.h;
  }

  void axes() {
    float right = -100, above = 1e9f;
    const double by = least_ < kLeastHalving ? 10 : 2;
    for (double level = least_; level < 0.99; level *= by) {
      const float at = std::round(y(level));
      b_.line({plot_.x, at}, {plot_.right(), at}, p_.grid);
      if (above - at > 12) {
        b_.text(plot_.x - 6, at, figure(level) + "×", {p_.dim, 11, Weight::mono, Align::right});
        above = at;
      }
    }
    for (const ScalingPoint& point : s_.points) {
      const bool chosen = point.ranks == s_.ranks;
      const float at = std::round(x(point.ranks)), level = std::round(y(point.ranks));
      b_.line({at, plot_.y}, {at, plot_.bottom()}, chosen ? fade(p_.accent, 0.6f) : p_.grid);
      b_.line({plot_.x, level}, {plot_.right(), level}, point.ranks == 1 ? p_.border : p_.grid);
      const std::string name = std::to_string(point.ranks);
      if (above - level > 12) {
        b_.text(plot_.x - 6, level, name + "×", {p_.dim, 11, Weight::mono, Align::right});
        above = level;
      }
      const float half = b_.width(name, 11, Weight::semibold) / 2;
      if (at - half > right + 4) {
        b_.text(at, plot_.bottom() + 11, name,
                {chosen ? p_.text : p_.dim, 11, chosen ? Weight::semibold : Weight::regular,
                 Align::center});
        right = at + half;
      }
      b_.rect({at - 10, plot_.y, 20, plot_.h + 18}, Color{0, 0, 0, 0});
      Pick pick;
      pick.kind = Pick::Kind::point, pick.value = point.ranks;
      b_.pickable(pick);
    }
    const float words = b_.width("ranks", 11);
    if (right + 6 + words <= box_.right()) {
      b_.text(box_.right(), plot_.bottom() + 11, "ranks",
              {p_.dim, 11, Weight::regular, Align::right});
    }
  }

  void ideal() { b_.line({x(1), y(1)}, {x(most_), y(most_)}, fade(p_.text, 0.55f), 1, {6, 4}); }

  /// Beside its line where no figure stands, from the right.
  void name_ideal() {
    const float width = b_.width("ideal", 11);
    for (size_t i = s_.points.size() - 1; i > 0; --i) {
      const double at = std::sqrt(1.0 * s_.points[i].ranks * s_.points[i - 1].ranks);
      const Box below{x(at) + 6, y(at) + 3, width, 12},
          above{x(at) - 6 - width, y(at) - 15, width, 12};
      for (const Box& box : {below, above}) {
        const auto touches = [&](const Box& other) { return touch(box, other); };
        if (box.right() > plot_.right() || std::ranges::any_of(figures_, touches)) continue;
        b_.text(box.x, box.y + 6, "ideal", {p_.dim, 11});
        return;
      }
    }
  }

  /// Over one rank of the same account; 0: not known.
  double speedup(const ScalingPoint& point, Us us, bool measured) const {
    const ScalingTimes ScalingPoint::*account =
        measured ? &ScalingPoint::measured : &ScalingPoint::modelled;
    const double one = s_.points.front().ranks == 1 ? (s_.points.front().*account).*us : 0;
    const double many = (point.*account).*us;
    return one > 0 && many > 0 ? one / many : 0;
  }

  /// Measured points are joined; modelled ones never are.
  void line(const Series& series, bool measured) {
    if (!measured) return;
    Polyline line;
    line.color = series.color, line.width = 1.6f;
    for (const ScalingPoint& point : s_.points) {
      const double value = speedup(point, series.us, true);
      if (value > 0) line.points.push_back({x(point.ranks), y(value)});
    }
    if (line.points.size() > 1) b_.add(std::move(line));
  }

  void marks(const Series& series, bool measured, bool first) {
    for (const ScalingPoint& point : s_.points) {
      const double value = speedup(point, series.us, measured);
      if (value <= 0) continue;
      const Point at{x(point.ranks), y(value)};
      mark(at, series, measured);
      if (point.ranks == 1) continue;
      // One account has the figure: what was measured, where it was.
      if (!measured && speedup(point, series.us, true) > 0) continue;
      figure_at(at, series, point, (measured ? "" : "~") + speedup_text(value), measured, first);
    }
  }

  void mark(Point at, const Series& series, bool measured) {
    scaling_mark(b_, at, series.color, series.round, measured);
  }

  /// The faster pass has its figure above at the left, the other one below at the right, or where
  /// there is room.
  void figure_at(Point at, const Series& series, const ScalingPoint& point, const std::string& text,
                 bool measured, bool first) {
    double other = 0;
    for (const Us us : {&ScalingTimes::forward_us, &ScalingTimes::backward_us}) {
      if (us != series.us) other = std::max(other, speedup(point, us, measured));
    }
    const double own = speedup(point, series.us, measured);
    const bool upper = own > other || (own == other && first);
    // Neighbours along the axis share the room between them.
    const size_t i = static_cast<size_t>(&point - s_.points.data());
    const float width = b_.width(text, 11, Weight::mono);
    const float from = i > 0 ? x(s_.points[i - 1].ranks) : plot_.x;
    const float to = i + 1 < s_.points.size() ? x(s_.points[i + 1].ranks) : box_.right();
    // At the edge it stands beside its mark: below are the numbers of ranks.
    const float beside = std::min(at.y + (upper ? -9 : 9), plot_.bottom() - 5);
    for (const bool left : {upper, !upper}) {
      if (width > (left ? at.x - 8 - from : to - at.x - 8) + 4) continue;
      const Box box{left ? at.x - 8 - width : at.x + 8, beside - 6, width, 12};
      if (std::ranges::any_of(figures_, [&](const Box& o) { return touch(box, o); })) continue;
      b_.text(box.x, beside, text, {p_.text, 11, measured ? Weight::mono_semibold : Weight::mono});
      figures_.push_back(box);
      return;
    }
  }

  SceneBuilder& b_;
  const Palette& p_;
  const ScalingState& s_;
  Box box_, plot_;
  int most_ = 1;
  std::vector<Box> figures_;
  double least_ = 1;
  float left_ = 0;
};

/// What the marks mean; returns the height.
float legend(SceneBuilder& b, const ScalingState& s, const std::vector<Series>& all, Box box,
             bool draw) {
  const Palette& p = b.palette();
  float y = box.y + kTextLine / 2;
  struct Key {
    std::string words;
    int kind;  // 0, 1: a series; 2 measured, 3 modelled
  };
  std::vector<Key> keys{{all[0].name, 0}, {all[1].name, 1}};
  const bool measured = std::ranges::any_of(
      s.points, [](const ScalingPoint& point) { return point.measured.forward_us > 0; });
  if (measured) keys.push_back({wording("filled: measured, {}", s.device), 2});
  keys.push_back({measured ? "hollow: modelled" : "hollow, ~: modelled", 3});
  float x = box.x;
  for (const Key& key : keys) {
    const float width = 14 + b.width(key.words, 11) + 14;
    if (x > box.x && x + width - 14 > box.right()) x = box.x, y += kTextLine;
    if (draw) {
      const Color color = key.kind < 2 ? all[static_cast<size_t>(key.kind)].color : p.text;
      scaling_mark(b, {x + kMark, y}, color, key.kind != 1, key.kind != 3);
      b.text(
          x + 14, y, key.words,
          {key.kind < 2 ? p.text : p.dim, 11, Weight::regular, Align::left, box.right() - x - 14});
    }
    x += width;
  }
  return y + kTextLine / 2 - box.y;
}

}  // namespace

Scene build_scaling(const ScalingState& s, const Palette& palette, const TextMeasure& measure,
                    Size size) {
  SceneBuilder b(size, palette, measure);
  if (s.points.empty()) return b.finish();
  const std::vector<Series> all{{"forward", &ScalingTimes::forward_us, palette.accent, true},
                                {"backward", &ScalingTimes::backward_us, palette.mma, false}};
  const Box box{kPlotMargin, kPlotMargin, size.w - 2 * kPlotMargin, size.h - 2 * kPlotMargin};
  const float keys = legend(b, s, all, box, false);
  // Notes have what the plot does not need.
  const float room = box.h - keys - 10;
  std::vector<std::string> notes = s.notes;
  for (const ScalingPoint& point : s.points) {
    if (!point.why_not.empty()) {
      notes.push_back(fmt::format("P {}: {}", point.ranks, retold(point.why_not + ".")));
    }
  }
  const float wanted = 15.0f * 2 * static_cast<float>(notes.size());
  const float plot = std::max(std::min(room, 130.0f), room - std::min(wanted, room * 0.34f));
  if (!s.stale.empty()) b.set_opacity(0.4f);
  Plot(b, s, {box.x, box.y, box.w, plot}, all).draw(all);
  b.set_opacity(1);
  float y = box.y + plot + 6;
  legend(b, s, all, {box.x, y, box.w, keys}, true);
  y += keys + 9;
  if (!s.stale.empty()) notes.insert(notes.begin(), s.stale);
  for (const std::string& note : notes) {
    const int lines = static_cast<int>((box.bottom() - y + 8) / 15);
    if (lines < 1) break;
    y += 15.0f * static_cast<float>(
                     b.wrap(box.x, y, box.w, note, {palette.dim, 11}, 15, std::min(lines, 3)));
  }
  return b.finish();
}

}  // namespace tilescope::viz
