#include "viz/scene/ladder_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kLeastRow = 14, kMostRow = 22;
constexpr float kNoteTop = 18, kPartHeading = 18, kAxisHeight = 16, kPartGap = 18;
constexpr float kTwoColumns = 560;  // from this width on the parts stand beside each other

bool beside(const LadderState& s, float width) {
  return width >= kTwoColumns && s.parts.size() > 1;
}

size_t rows_of(const LadderState& s, bool side_by_side) {
  size_t most = 0, all = 0;
  for (const LadderBars& part : s.parts) {
    most = std::max(most, part.rungs.size());
    all += part.rungs.size();
  }
  return side_by_side ? most : all;
}

/// What a part's bars are counted in: shares of the library, or TFLOPS where there is none.
struct Scale {
  bool percent = true;
  double most = 1;
  double of(const LadderRung& rung) const {
    return percent ? rung.of_library.value_or(0) : rung.tflops;
  }
};

Scale scale_of(const LadderBars& part) {
  Scale scale;
  scale.percent = part.library_tflops > 0;
  constexpr double kFarthest = 1.5;  // what is modelled beyond is cut off, and says so
  if (scale.percent) scale.most = 1.05;
  for (const LadderRung& rung : part.rungs) {
    const double value = scale.of(rung);
    scale.most = std::max(scale.most, (scale.percent ? std::min(value, kFarthest) : value) * 1.04);
  }
  if (!scale.percent) {
    scale.most = 0;
    for (const LadderRung& rung : part.rungs)
      scale.most = std::max(scale.most, scale.of(rung) * 1.04);
    if (scale.most <= 0) scale.most = 1;
  }
  return scale;
}

/// Where the columns of a part lie.
struct Columns {
  float name = 0, bar = 0, bar_end = 0, share = 0, speed = 0, end = 0;
};

std::string share_text(const LadderRung& rung) {
  if (!rung.of_library) return "";
  const double percent = *rung.of_library * 100;
  return (rung.standing == Standing::modelled ? "~" : "") +
         (percent < 9.95 ? figure(std::round(percent * 10) / 10) : figure(std::round(percent))) +
         " %";
}

std::string speed_text(const LadderRung& rung) {
  if (rung.impossible) return "cannot run";
  if (rung.tflops <= 0) return "…";
  // Where its share is said already, so is the ~.
  if (rung.standing == Standing::modelled && rung.of_library) return "modelled";
  return standing_figure(rung.standing, rung.tflops) + " TFLOPS";
}

Columns columns_of(const SceneBuilder& b, const LadderBars& part, Box box) {
  Columns c;
  float name = 0, share = 0, speed = 0;
  for (const LadderRung& rung : part.rungs) {
    name = std::max(name, b.width(rung.name, 11));
    share = std::max(share, b.width(share_text(rung), 11, Weight::mono_semibold));
    speed = std::max(speed, b.width(speed_text(rung), 10));
  }
  c.name = box.x + 24;
  c.bar = c.name + std::min(name, box.w * 0.34f) + 8;
  c.end = box.right() - 4;
  c.speed = box.w > 300 ? c.end - speed : c.end;
  c.share = c.speed - (box.w > 300 ? 8 : 0);
  c.bar_end = c.share - share - 8;
  if (c.bar_end < c.bar + 30) c.bar_end = c.share = c.speed = c.end;  // the bars alone
  return c;
}

/// The longest step of 1, 2, 2.5, 5 that leaves at least three ticks.
double step_for(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {5.0, 2.5, 2.0, 1.0, 0.5, 0.25}) {
    if (most / (step * power) >= 3) return step * power;
  }
  return power / 5;
}

class Part {
 public:
  Part(SceneBuilder& b, const LadderBars& part, Box box, float row, int first, int hovered)
      : b_(b),
        p_(b.palette()),
        part_(part),
        box_(box),
        row_(row),
        first_(first),
        hovered_(hovered),
        scale_(scale_of(part)),
        c_(columns_of(b, part, box)) {}

  void draw() {
    heading();
    axis();
    for (size_t i = 0; i < part_.rungs.size(); ++i) rung(static_cast<int>(i));
    library_line();
  }

 private:
  float x(double value) const {
    return c_.bar +
           static_cast<float>(std::min(value, scale_.most) / scale_.most) * (c_.bar_end - c_.bar);
  }
  float top() const { return box_.y + kPartHeading; }
  float bottom() const { return top() + row_ * static_cast<float>(part_.rungs.size()); }

  void heading() {
    const std::string all = "100 % = " + figure(std::round(part_.library_tflops * 10) / 10);
    const float room = box_.w - 8;
    float right = 0;
    if (scale_.percent) {
      for (const std::string& text : {all + " TFLOPS", all}) {
        const float width = b_.width(text, 10);
        if (width > room * 0.45f) continue;
        b_.text(box_.right() - 4, box_.y + 8, text, {p_.dim, 10, Weight::regular, Align::right});
        right = width + 10;
        break;
      }
    }
    const std::string_view name = translated(part_.name);
    const std::string what = scale_.percent ? wording("{}, percent of {}", name, part_.library)
                                            : wording("{}, TFLOPS", name);
    b_.text_that_fits(box_.x + 4, box_.y + 8, {what, part_.name},
                      {p_.text, 11, Weight::semibold, Align::left, room - right});
  }

  void axis() {
    const double step = scale_.percent ? 0.25 : step_for(scale_.most);
    float free_from = 0;
    for (double at = 0; at <= scale_.most; at += step) {
      const float place = std::round(x(at));
      b_.line({place, top()}, {place, bottom() + 2}, p_.grid);
      const std::string label = figure(scale_.percent ? at * 100 : at);
      const float half = b_.width(label, 10) / 2;
      if (place - half < free_from || place + half > box_.right()) continue;
      b_.text(place, bottom() + 9, label, {p_.dim, 10, Weight::regular, Align::center});
      free_from = place + half + 6;
    }
    const std::string unit = scale_.percent ? "%" : "TFLOPS";
    const float half = b_.width("0", 10) / 2;
    if (c_.bar - half - 6 - b_.width(unit, 10) > box_.x) {
      b_.text(c_.bar - half - 6, bottom() + 9, unit, {p_.dim, 10, Weight::regular, Align::right});
    }
  }

  void rung(int index) {
    const LadderRung& r = part_.rungs[static_cast<size_t>(index)];
    const Box row{box_.x, top() + row_ * static_cast<float>(index), box_.w, row_};
    const float middle = row.y + row.h / 2;
    if (r.present) b_.rect(row, p_.accent_ground);
    const Color ink = r.present ? p_.text : p_.dim;
    b_.text(box_.x + 18, middle, std::to_string(r.number),
            {p_.dim, 10, Weight::regular, Align::right});
    b_.text(c_.name, middle, r.name,
            {p_.text, 11, r.present ? Weight::semibold : Weight::regular, Align::left,
             c_.bar - c_.name - 4});
    bar(r, {c_.bar, row.y + 3, 0, row.h - 6});
    if (c_.share > c_.bar_end) {
      b_.text(c_.share, middle, share_text(r), {p_.text, 11, Weight::mono_semibold, Align::right});
    }
    if (c_.end > c_.speed) {
      b_.text(c_.end, middle, speed_text(r),
              {r.older ? p_.warning : ink, 10, Weight::regular, Align::right});
    }
    if (first_ + index == hovered_) b_.hover_ring(row);
    b_.rect(row, {});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = first_ + index;
    b_.pickable(pick);
  }

  void bar(const LadderRung& r, Box box) {
    const double value = scale_.of(r);
    box.w = std::max(2.0f, x(value) - box.x);
    if (r.standing == Standing::none) {
      if (r.impossible) {
        box.w = c_.bar_end - c_.bar;
        b_.hatch(box, {}, fade(p_.dim, 0.3f));
      }
      return;
    }
    if (r.older) {  // an outline that is broken says what its words say
      Rect broken;
      broken.box = box, broken.stroke = p_.warning, broken.dash = {6, 2};
      b_.add(broken);
    } else {
      standing_bar(b_, box, r.standing, p_.accent);
    }
    if (value > scale_.most) {
      b_.triangle({box.right() - 6, box.y + box.h / 2}, 4, Way::right, p_.text);
    }
  }

  void library_line() {
    if (!scale_.percent) return;
    const float at = std::round(x(1));
    b_.line({at, top() - 2}, {at, bottom() + 3}, p_.select, 2);
  }

  SceneBuilder& b_;
  const Palette& p_;
  const LadderBars& part_;
  Box box_;
  float row_;
  int first_, hovered_;
  Scale scale_;
  Columns c_;
};

/// What the fills mean, at the right of the first line; returns where it begins.
void legend(SceneBuilder& b, const LadderState& s, Size size) {
  const Palette& p = b.palette();
  bool older = false;
  for (const LadderBars& part : s.parts) {
    for (const LadderRung& r : part.rungs) older = older || r.older;
  }
  struct Entry {
    Standing standing;
    const char* name;
    bool older = false;
  };
  std::vector<Entry> entries = {{Standing::measured, "measured"}, {Standing::recorded, "recorded"}};
  if (older) entries.push_back({Standing::recorded, "with an older kernel", true});
  entries.push_back({Standing::modelled, "not measured"});
  constexpr float kSample = 16, kSpace = 14;
  const auto width_of = [&](const Entry& e) { return kSample + 5 + b.width(e.name, 10) + kSpace; };
  float x = 4;
  for (const Entry& e : entries) {
    if (x + width_of(e) - kSpace > size.w) return;
    const Box sample{x, 4, kSample, 9};
    if (e.older) {
      Rect broken;
      broken.box = sample, broken.stroke = p.warning, broken.dash = {6, 2};
      b.add(broken);
    } else {
      standing_bar(b, sample, e.standing, p.accent);
    }
    b.text(x + kSample + 5, 9, e.name, {p.dim, 10});
    x += width_of(e);
  }
}

/// Of the present rung, where a part leaves room below its axis.
void note(SceneBuilder& b, const LadderState& s, Box free) {
  const Palette& p = b.palette();
  const float lines = std::floor((free.h - 26) / 14);
  if (lines < 1 || free.w < 160 || s.note_title.empty()) return;
  Box box{free.x + 4, free.y + 4, free.w - 8, 24 + 14 * std::min(lines, 3.0f)};
  b.rect(box, p.frame, {}, 3);
  b.text(box.x + 8, box.y + 11, s.note_title,
         {p.text, 11, Weight::semibold, Align::left, box.w - 16});
  b.wrap(box.x + 8, box.y + 27, box.w - 16, s.note, {p.dim, 10}, 14,
         static_cast<int>(std::min(lines, 3.0f)));
}

}  // namespace

float ladder_height(const LadderState& s, float width) {
  const bool two = beside(s, width);
  const float parts = two ? 1 : static_cast<float>(s.parts.size());
  return kNoteTop + parts * (kPartHeading + kAxisHeight) +
         kLeastRow * static_cast<float>(rows_of(s, two)) + 2;
}

Scene build_ladder(const LadderState& s, const Palette& palette, const TextMeasure& measure,
                   Size size) {
  SceneBuilder b(size, palette, measure);
  if (size.w < 120 || size.h < 80) return b.finish();
  legend(b, s, size);
  const bool two = beside(s, size.w);
  const float parts = two ? 1 : static_cast<float>(s.parts.size());
  const float rows = static_cast<float>(rows_of(s, two));
  const float row =
      std::clamp(std::floor((size.h - kNoteTop - parts * (kPartHeading + kAxisHeight) - 2) / rows),
                 kLeastRow, kMostRow);
  const float width = two ? (size.w - kPartGap * static_cast<float>(s.parts.size() - 1)) /
                                static_cast<float>(s.parts.size())
                          : size.w;
  float x = 0, y = kNoteTop;
  int first = 0;
  for (const LadderBars& part : s.parts) {
    const float height = kPartHeading + kAxisHeight + row * static_cast<float>(part.rungs.size());
    Part(b, part, {x, y, width, height}, row, first, s.hovered).draw();
    first += static_cast<int>(part.rungs.size());
    const bool last = &part == &s.parts.back();
    if (last) note(b, s, {x, y + height, width, size.h - y - height});
    if (two) {
      x += width + kPartGap;
    } else {
      y += height;
    }
  }
  return b.finish();
}

}  // namespace tilescope::viz
