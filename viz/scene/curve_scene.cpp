#include "viz/scene/curve_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kTitle = 16, kValueLabels = 15;

class Curve {
 public:
  Curve(SceneBuilder& b, const CurveState& s, Box box, int first_pick)
      : b_(b), p_(b.palette()), s_(s), box_(box), first_pick_(first_pick) {
    plot_ = {box.x + 30, box.y + kTitle + 4, box.w - 34, box.h - kTitle - kValueLabels - 6};
    const float half = s.points.size() > 1 ? plot_.w / static_cast<float>(s.points.size()) / 2 : 0;
    first_ = s.first != 0 || s.last != 0 ? box.x + s.first : plot_.x + half;
    last_ = s.first != 0 || s.last != 0 ? box.x + s.last : plot_.right() - half;
    if (first_ < plot_.x) plot_.w += plot_.x - first_ + 4, plot_.x = first_ - 4;
    low_ = 1e30, high_ = 0;
    for (const CurvePoint& point : s.points) {
      if (point.standing == Standing::none) continue;
      low_ = std::min(low_, point.value), high_ = std::max(high_, point.value);
    }
    if (high_ <= 0) low_ = 0, high_ = 1;
    const double margin = std::max((high_ - low_) * 0.12, high_ * 0.01);
    low_ = s_.from_zero ? 0 : std::max(0.0, low_ - margin), high_ += margin;
  }

  void draw() {
    const float unit = b_.width(s_.unit, 10), right = box_.right() - 4 - s_.right_room;
    b_.text(box_.x + 4, box_.y + 8, s_.title,
            {p_.dim, 10, Weight::regular, Align::left, right - unit - 8 - box_.x});
    b_.text(right, box_.y + 8, s_.unit, {p_.dim, 10, Weight::regular, Align::right});
    if (plot_.h < 24 || plot_.w < 40) return;
    axis();
    lines();
    for (size_t i = 0; i < s_.points.size(); ++i) point(i);
    labels();
    present_figure();
  }

 private:
  float x(size_t i) const {
    const size_t gaps = std::max<size_t>(1, s_.points.size() - 1);
    return std::round(first_ + (last_ - first_) * static_cast<float>(i) / static_cast<float>(gaps));
  }
  float y(double value) const {
    return plot_.bottom() - static_cast<float>((value - low_) / (high_ - low_)) * plot_.h;
  }
  /// Half of what a value has of the width.
  float half() const {
    const float gap = s_.points.size() > 1 ? x(1) - x(0) : plot_.w;
    return std::clamp(gap / 2 - 1, 3.0f, 14.0f);
  }

  void axis() {
    float free_above = plot_.bottom() + 12;
    const double step = std::pow(10.0, std::floor(std::log10(high_ - low_)));
    for (double at = std::ceil(low_ / step) * step; at <= high_; at += step) {
      const float place = std::round(y(at));
      if (place > free_above - 20) continue;
      b_.line({plot_.x, place}, {plot_.right(), place}, p_.grid);
      const std::string label = figure(std::round(at * 1e4) / 1e4);
      // Left of the first value there may be no room for an axis.
      if (plot_.x - 5 - b_.width(label, 9) >= box_.x)
        b_.text(plot_.x - 5, place, label, {p_.dim, 9, Weight::regular, Align::right});
      free_above = place;
    }
  }

  void lines() {
    Polyline line;
    line.color = p_.accent, line.width = 1.2f;
    const auto flush = [&] {
      if (line.points.size() > 1) b_.add(line);
      line.points.clear();
    };
    for (size_t i = 0; i < s_.points.size(); ++i) {
      if (is_timed(s_.points[i].standing)) {
        line.points.push_back({x(i), y(s_.points[i].value)});
      } else {
        flush();  // what nobody timed is never joined
      }
    }
    flush();
  }

  void point(size_t i) {
    const CurvePoint& v = s_.points[i];
    const Box column{x(i) - half(), plot_.y - 2, 2 * half(), plot_.h + 4 + kValueLabels};
    if (!v.letter.empty()) {
      const Box barred{column.x, plot_.y, column.w, plot_.h};
      b_.hatch(barred, fade(p_.warning, 0.10f), fade(p_.warning, 0.45f));
      b_.text(x(i), barred.y + barred.h / 2, v.letter,
              {p_.warning, 10, Weight::semibold, Align::center});
    } else if (v.standing != Standing::none) {
      const Point at{x(i), std::round(y(v.value))};
      if (v.present) b_.circle(at, 6.5f, {}, p_.select, 1.5f);
      standing_point(b_, at, v.present ? 4.0f : 3.5f, v.standing, p_.accent);
    }
    if (v.queued) b_.dashed({column.x, plot_.y, column.w, plot_.h}, p_.accent);
    if (s_.hovered == first_pick_ + static_cast<int>(i)) b_.hover_ring(column);
    b_.rect(column, {});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = first_pick_ + static_cast<int>(i);
    b_.pickable(pick);
  }

  void labels() {
    float free_from = box_.x;
    for (size_t i = 0; i < s_.points.size(); ++i) {
      const CurvePoint& v = s_.points[i];
      const Weight weight = v.present ? Weight::semibold : Weight::regular;
      const float w = b_.width(v.label, 9, weight) / 2;
      if (x(i) - w < free_from || x(i) + w > box_.right()) continue;
      b_.text(x(i), plot_.bottom() + 10, v.label,
              {v.present ? p_.text : p_.dim, 9, weight, Align::center});
      free_from = x(i) + w + 3;
    }
  }

  /// The present value's speed, beside its point where no other point is.
  void present_figure() {
    for (size_t i = 0; i < s_.points.size(); ++i) {
      const CurvePoint& v = s_.points[i];
      if (!v.present || v.standing == Standing::none) continue;
      const std::string text = standing_figure(v.standing, v.value);
      const float w = b_.width(text, 10, Weight::semibold);
      const float px = x(i), py = y(v.value);
      const float above = py - 14 > plot_.y ? py - 14 : py + 15;
      const float at = std::clamp(px, plot_.x + w / 2 + 2, box_.right() - w / 2 - 4);
      b_.rect({at - w / 2 - 2, above - 6, w + 4, 12}, fade(p_.panel, 0.8f));
      b_.text(at, above, text, {p_.text, 10, Weight::semibold, Align::center});
    }
  }

  SceneBuilder& b_;
  const Palette& p_;
  const CurveState& s_;
  Box box_, plot_;
  int first_pick_;
  float first_ = 0, last_ = 0;
  double low_ = 0, high_ = 1;
};

}  // namespace

void draw_curve(SceneBuilder& b, const CurveState& state, Box box, int first_pick) {
  if (state.points.empty()) return;
  Curve(b, state, box, first_pick).draw();
}

Scene build_curve(const CurveState& state, const Palette& palette, const TextMeasure& measure,
                  Size size) {
  SceneBuilder b(size, palette, measure);
  draw_curve(b, state, {0, 0, size.w, size.h});
  return b.finish();
}

}  // namespace tilescope::viz
