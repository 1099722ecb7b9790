#include "viz/scene/waterfall_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kLeastStep = 15, kMostStep = 24, kStepText = 11.5f, kStepGap = 8;
constexpr float kLeastStepBars = 60, kLeastStepWords = 90;

struct StepColumns {
  float names = 0, bars = 0, bars_width = 0, figures = 0, words = 0, words_width = 0;
};

StepColumns step_columns(SceneBuilder& b, const WaterfallState& s, float width) {
  float names = std::max(b.width(s.from, kStepText, Weight::semibold),
                         b.width(s.to, kStepText, Weight::semibold));
  float figures = std::max(b.width(s.begin_text, kStepText, Weight::mono_semibold),
                           b.width(s.end_text, kStepText, Weight::mono_semibold));
  float words = 0;
  for (const WaterfallStep& step : s.steps) {
    names = std::max(names, b.width(step.name, kStepText));
    figures = std::max(figures, b.width(step.figure, kStepText, Weight::mono));
    words = std::max(words, b.width(step.words, kStepText));
  }
  StepColumns c;
  c.names = std::min(names, width * 0.3f);
  c.bars = c.names + kStepGap;
  const float rest = width - c.bars - kStepGap - figures;
  const float for_words = std::min(words, rest * 0.55f) + 2 * kStepGap;
  const bool has_words =
      words > 0 && rest - for_words >= kLeastStepBars && for_words >= kLeastStepWords;
  c.bars_width = std::max(1.f, has_words ? rest - for_words : rest);
  c.figures = c.bars + c.bars_width + kStepGap + figures;
  if (has_words) c.words = c.figures + 2 * kStepGap, c.words_width = width - c.words;
  return c;
}

/// The axis: steps are seen where they are a small part of the totals, too.
struct StepScale {
  double low = 0, high = 1;
  float x(const StepColumns& c, double value) const {
    const double part = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return c.bars + static_cast<float>(part) * c.bars_width;
  }
};
StepScale step_scale(const WaterfallState& s) {
  double low = std::min(s.begin, s.end), high = std::max(s.begin, s.end), at = s.begin;
  for (const WaterfallStep& step : s.steps) {
    at += step.by;
    low = std::min(low, at), high = std::max(high, at);
  }
  StepScale scale;
  scale.low = std::max(0.0, low - std::max(0.7 * (high - low), 0.02 * high));
  scale.high = high > scale.low ? high : scale.low + 1;
  return scale;
}

class WaterfallRows {
 public:
  WaterfallRows(SceneBuilder& b, const WaterfallState& s, Size size)
      : b_(b), columns_(step_columns(b, s, size.w)), scale_(step_scale(s)), width_(size.w) {
    const auto rows = static_cast<float>(s.steps.size() + 2);
    height_ = std::clamp(size.h / rows, 1.f, kMostStep);
  }

  void total(const std::string& name, double value, const std::string& figure) {
    const Palette& p = b_.palette();
    const float middle = y_ + height_ / 2;
    b_.text(0, middle, name, {p.text, kStepText, Weight::semibold, Align::left, columns_.names});
    const float end = scale_.x(columns_, value);
    b_.rect({columns_.bars, y_ + inset(), std::max(1.f, end - columns_.bars), bar()},
            p.frame_strong, p.dim, 1);
    b_.text(columns_.figures, middle, figure,
            {p.text, kStepText, Weight::mono_semibold, Align::right});
    next(end);
  }

  void step(const WaterfallStep& step, double from, int index, bool hovered) {
    const Palette& p = b_.palette();
    const float middle = y_ + height_ / 2;
    const float x0 = scale_.x(columns_, from), x1 = scale_.x(columns_, from + step.by);
    const Box row{0, y_, width_, height_};
    b_.rect(row, hovered ? fade(p.accent, 0.14f) : Color{});
    b_.pickable({.kind = Pick::Kind::point, .value = index});
    b_.text(0, middle, step.name,
            {p.text, kStepText, Weight::regular, Align::left, columns_.names});
    b_.line({last_, y_ - inset()}, {last_, y_ + inset()}, p.dim);
    const Box bar_box{std::min(x0, x1), y_ + inset(), std::max(1.5f, std::abs(x1 - x0)), bar()};
    if (step.open) {
      b_.rect(bar_box, {}, p.text, 1);
    } else if (step.by > 0) {
      b_.hatch(bar_box, fade(p.warning, 0.45f), p.warning);
    } else {
      b_.rect(bar_box, p.ok, {}, 1);
    }
    b_.text(columns_.figures, middle, step.figure, {p.text, kStepText, Weight::mono, Align::right});
    if (columns_.words_width > 0) {
      b_.text(columns_.words, middle, step.words,
              {p.dim, kStepText, Weight::regular, Align::left, columns_.words_width});
    }
    next(x1);
  }

 private:
  float inset() const { return std::min(3.f, height_ * 0.18f); }
  float bar() const { return height_ - 2 * inset(); }
  void next(float end) { y_ += height_, last_ = end; }

  SceneBuilder& b_;
  StepColumns columns_;
  StepScale scale_;
  float width_, height_ = 0, y_ = 0, last_ = 0;
};

}  // namespace

float waterfall_height(const WaterfallState& state) {
  return kLeastStep * static_cast<float>(state.steps.size() + 2);
}

Scene build_waterfall(const WaterfallState& state, const Palette& palette,
                      const TextMeasure& measure, Size size) {
  SceneBuilder b(size, palette, measure);
  if (size.w < 2 || size.h < 2) return b.finish();
  WaterfallRows rows(b, state, size);
  rows.total(state.from, state.begin, state.begin_text);
  double at = state.begin;
  for (size_t i = 0; i < state.steps.size(); ++i) {
    const int index = static_cast<int>(i);
    rows.step(state.steps[i], at, index, index == state.hovered);
    at += state.steps[i].by;
  }
  rows.total(state.to, state.end, state.end_text);
  return b.finish();
}

}  // namespace tilescope::viz
