#include "viz/scene/landscape_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kSide = 250;      // of the key beside the cells
constexpr float kSideFrom = 620;  // from this width on there is one
constexpr float kKeyRow = 17;
constexpr float kRecorded = 0.62f;  // of its colour, inside an outline of all of it

/// The colours' range: of what was timed, since the model's bounds lie above.
struct Range {
  double low = 0, high = 0;
  bool empty() const { return high <= 0; }
  Color color(double value) const {
    return viridis(static_cast<float>((value - low) / (high - low)));
  }
};

Range range_of(const LandscapeState& s) {
  Range r{1e30, 0};
  for (const LandscapeCell& cell : s.cells) {
    if (!is_timed(cell.standing)) continue;
    r.low = std::min(r.low, cell.value), r.high = std::max(r.high, cell.value);
  }
  // Figures that lie near one another must not look like the two ends of the world.
  constexpr double kLeastSpan = 0.2;  // of the best
  if (!r.empty()) r.low = std::min(r.low, (1 - kLeastSpan) * r.high);
  return r;
}

void star(SceneBuilder& b, Point c, float radius, Color fill, Color edge) {
  // A star is not convex: five kites.
  constexpr float kTurn = 6.2831853f;
  const auto at = [&](int i, float r) {
    const float angle = kTurn * static_cast<float>(i) / 10 - kTurn / 4;
    return Point{c.x + r * std::cos(angle), c.y + r * std::sin(angle)};
  };
  for (const bool outline : {true, false}) {
    for (int i = 0; i < 10; i += 2) {
      const float grow = outline ? 1.5f : 0.0f;
      b.polygon({c, at(i - 1, radius * 0.45f + grow), at(i, radius + grow),
                 at(i + 1, radius * 0.45f + grow)},
                outline ? edge : fill);
    }
  }
}

/// The most exact of a figure's spellings that has room.
void put_figure(SceneBuilder& b, const LandscapeCell& cell, Box box, Color ink) {
  const std::string mark = cell.standing == Standing::modelled ? "~" : "";
  const double rounded = cell.value >= 100 ? std::round(cell.value) : cell.value;
  char brief[32];
  std::snprintf(brief, sizeof brief, "%.3g", rounded);
  for (const float size : {11.0f, 10.0f, 9.0f}) {
    for (const std::string& text : {mark + figure(cell.value), mark + brief}) {
      if (b.width(text, size, Weight::mono_semibold) > box.w - 6 || size + 3 > box.h) continue;
      const Weight weight = is_timed(cell.standing) ? Weight::mono_semibold : Weight::mono;
      b.text(box.x + box.w / 2, box.y + box.h / 2, text, {ink, size, weight, Align::center});
      return;
    }
  }
}

/// With an older kernel, as in the ladder.
void broken_outline(SceneBuilder& b, Box box) {
  Rect broken;
  broken.box = box.grown(-1), broken.stroke = b.palette().warning, broken.stroke_width = 2;
  broken.dash = {6, 2};
  b.add(broken);
}

class Grid {
 public:
  Grid(SceneBuilder& b, const LandscapeState& s, Box box)
      : b_(b), p_(b.palette()), s_(s), range_(range_of(s)) {
    float labels = b.width(s.down, 10);
    for (const std::string& row : s.rows) {
      labels = std::max(labels, b.width(row, 10, Weight::mono_semibold));
    }
    labels = std::min(labels, box.w * 0.2f) + 12;
    label_width_ = labels - 12;
    const float columns = static_cast<float>(s.columns.size());
    const float rows = static_cast<float>(s.rows.size());
    constexpr float kMostCell = 96;  // higher ones would only be emptier
    field_ = {box.x + labels, box.y + kHead, box.w - labels - 2,
              std::min(box.h - kHead - 2, rows * kMostCell)};
    width_ = field_.w / columns, height_ = field_.h / rows;
  }

  void draw() {
    if (width_ < 6 || height_ < 6) return;
    heads();
    for (size_t i = 0; i < s_.cells.size(); ++i) cell(i);
    marks();
  }

 private:
  static constexpr float kHead = 20;

  Box box_of(size_t i) const {
    const size_t columns = s_.columns.size();
    const size_t row = i / columns;
    const auto c = static_cast<float>(i % columns), r = static_cast<float>(row);
    const float x = std::round(field_.x + c * width_), y = std::round(field_.y + r * height_);
    return {x + 1, y + 1, std::round(field_.x + (c + 1) * width_) - x - 2,
            std::round(field_.y + (r + 1) * height_) - y - 2};
  }

  void heads() {
    b_.text(field_.x - 8, field_.y - 11, s_.down,
            {p_.dim, 10, Weight::regular, Align::right, label_width_ + 4});
    float free_from = field_.x - 2;
    for (size_t c = 0; c < s_.columns.size(); ++c) {
      const bool now = static_cast<int>(c) == s_.present_column;
      const float x = field_.x + (static_cast<float>(c) + 0.5f) * width_;
      const float half = b_.width(s_.columns[c], 10, Weight::mono_semibold) / 2;
      if (x - half < free_from) continue;
      b_.text(
          x, field_.y - 11, s_.columns[c],
          {now ? p_.text : p_.dim, 10, now ? Weight::mono_semibold : Weight::mono, Align::center});
      free_from = x + half + 4;
    }
    for (size_t r = 0; r < s_.rows.size(); ++r) {
      if (height_ < 12) break;
      const bool now = static_cast<int>(r) == s_.present_row;
      b_.text(field_.x - 8, field_.y + (static_cast<float>(r) + 0.5f) * height_, s_.rows[r],
              {now ? p_.text : p_.dim, 10, now ? Weight::mono_semibold : Weight::mono, Align::right,
               label_width_ + 4});
    }
  }

  void cell(size_t i) {
    const LandscapeCell& cell = s_.cells[i];
    const Box box = box_of(i);
    if (!cell.letter.empty()) {
      b_.hatch(box, fade(p_.warning, 0.10f), fade(p_.warning, 0.40f));
      b_.rect(box, {}, fade(p_.warning, 0.45f));
      if (box.h >= 11) {
        b_.text(box.x + box.w / 2, box.y + box.h / 2, cell.letter,
                {p_.warning, 11, Weight::semibold, Align::center});
      }
    } else {
      fill(cell, box);
    }
    b_.rect(box, {});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = static_cast<int>(i);
    b_.pickable(pick);
  }

  void fill(const LandscapeCell& cell, Box box) {
    Color ink = p_.dim;
    if (is_timed(cell.standing)) {
      const Color color = range_.color(cell.value);
      const bool measured = cell.standing == Standing::measured;
      const Color ground = measured ? color : mix(p_.panel, color, kRecorded);
      b_.rect(box, ground, measured || cell.older ? Color{} : color, 0, 2);
      if (cell.older) broken_outline(b_, box);
      ink = ink_on(ground);
    } else {
      b_.rect(box, p_.frame);
      Rect dashed;
      dashed.box = box, dashed.dash = {3, 2};
      dashed.stroke = cell.queued || !cell.progress.empty() ? p_.accent : p_.dim;
      b_.add(dashed);
    }
    Box room = box;
    if (!cell.progress.empty() && box.h > 24 &&
        b_.width(cell.progress, 9) < box.w - 4) {  // above the figure of before
      b_.text(box.x + box.w / 2, box.y + 7, cell.progress,
              {ink, 9, Weight::regular, Align::center});
      room.y += 11, room.h -= 11;
    }
    if (cell.standing != Standing::none) {
      put_figure(b_, cell, room, ink);
    } else if (room.h >= 11) {
      b_.text(box.x + box.w / 2, room.y + room.h / 2, "…",
              {p_.dim, 10, Weight::regular, Align::center});
    }
    if (cell.failed && box.w > 20) {
      b_.polygon({{box.right(), box.y}, {box.right(), box.y + 9}, {box.right() - 9, box.y}},
                 p_.warning);
    }
  }

  /// Above all cells: rings reach over their edges.
  void marks() {
    for (size_t i = 0; i < s_.cells.size(); ++i) {
      if (!s_.cells[i].best) continue;
      const Box box = box_of(i);
      star(b_, {box.x + 7, box.y + 7}, 5, p_.select, p_.halo);
    }
    if (s_.present_column >= 0 && s_.present_row >= 0) {
      b_.cell_ring(box_of(static_cast<size_t>(s_.present_row) * s_.columns.size() +
                          static_cast<size_t>(s_.present_column)),
                   true);
    }
    if (s_.hovered >= 0 && s_.hovered < static_cast<int>(s_.cells.size()))
      b_.hover_ring(box_of(static_cast<size_t>(s_.hovered)));
  }

  SceneBuilder& b_;
  const Palette& p_;
  const LandscapeState& s_;
  Range range_;
  Box field_;
  float width_ = 0, height_ = 0, label_width_ = 0;
};

constexpr const char* kBarTitle = "TFLOPS";

/// The colours with their figures; returns its height.
float color_bar(SceneBuilder& b, const Range& range, Box box) {
  const Palette& p = b.palette();
  b.text(box.x, box.y + 6, kBarTitle, {p.dim, 10});
  constexpr int kStrips = 32;
  for (int i = 0; i < kStrips; ++i) {
    const float x0 = std::round(box.x + box.w * static_cast<float>(i) / kStrips);
    const float x1 = std::round(box.x + box.w * static_cast<float>(i + 1) / kStrips);
    b.rect({x0, box.y + 15, x1 - x0, 9}, viridis((static_cast<float>(i) + 0.5f) / kStrips));
  }
  b.text(box.x, box.y + 32, figure(range.low), {p.dim, 10});
  b.text(box.x + box.w, box.y + 32, figure(range.high), {p.dim, 10, Weight::regular, Align::right});
  return 44;
}

/// The kinds of cells, a sample each; returns its height.
float standings(SceneBuilder& b, const LandscapeState& s, Box box) {
  const Palette& p = b.palette();
  float x = box.x;
  const struct {
    Standing standing;
    const char* name;
  } kinds[] = {{Standing::measured, "measured"},
               {Standing::recorded, "recorded"},
               {Standing::modelled, "~ modelled"}};
  for (const auto& kind : kinds) {
    const bool any = std::ranges::any_of(
        s.cells, [&](const LandscapeCell& c) { return c.standing == kind.standing; });
    const float width = 18 + b.width(kind.name, 10);
    if (!any || x + width > box.right()) continue;
    const Box sample{x, box.y + 2, 13, 10};
    const Color color = viridis(0.6f);
    if (kind.standing == Standing::measured) {
      b.rect(sample, color);
    } else if (kind.standing == Standing::recorded) {
      b.rect(sample, mix(p.panel, color, kRecorded), color, 0, 2);
    } else {
      Rect dashed;
      dashed.box = sample, dashed.fill = p.frame, dashed.stroke = p.dim, dashed.dash = {3, 2};
      b.add(dashed);
    }
    b.text(x + 18, box.y + 7, kind.name, {p.dim, 10});
    x += width + 12;
  }
  return kKeyRow;
}

void key_sample(SceneBuilder& b, const LandscapeKey& key, Box box) {
  const Palette& p = b.palette();
  const Point middle{box.x + box.w / 2, box.y + box.h / 2};
  switch (key.kind) {
    case LandscapeKey::Kind::present:
      return b.cell_ring(box.grown(-2), true);
    case LandscapeKey::Kind::best:
      return star(b, middle, 5, p.select, p.halo);
    case LandscapeKey::Kind::older:
      return broken_outline(b, box);
    case LandscapeKey::Kind::queued:
      return b.dashed(box, p.accent);
    case LandscapeKey::Kind::failed:
      return b.polygon({{box.right(), box.y}, {box.right(), box.y + 9}, {box.right() - 9, box.y}},
                       p.warning);
    case LandscapeKey::Kind::letter:
      b.hatch(box, fade(p.warning, 0.10f), fade(p.warning, 0.40f));
      b.text(middle.x, middle.y, key.mark, {p.warning, 10, Weight::semibold, Align::center});
  }
}

/// What the cells say, beside them.
void side(SceneBuilder& b, const LandscapeState& s, Box box) {
  const Palette& p = b.palette();
  const Range range = range_of(s);
  float y = box.y;
  // Where it fits, behind the bar's title: its row is the cut's then.
  const bool has_row = range.empty() || b.width(kBarTitle, 10) + b.width(s.counts, 10) + 14 > box.w;
  if (!range.empty()) y += color_bar(b, range, {box.x, y, box.w, 40});
  if (!has_row)
    b.text(box.right(), box.y + 6, s.counts, {p.dim, 10, Weight::regular, Align::right});
  y += standings(b, s, {box.x, y, box.w, kKeyRow});
  for (const LandscapeKey& key : s.keys) {
    if (y + kKeyRow > box.bottom()) return;
    key_sample(b, key, {box.x, y + 1, 14, 13});
    b.text(box.x + 20, y + 8, key.text, {p.text, 10, Weight::regular, Align::left, box.w - 20});
    y += kKeyRow;
  }
  if (has_row) {
    if (y + 16 > box.bottom()) return;
    b.text(box.x, y + 8, s.counts, {p.dim, 10, Weight::regular, Align::left, box.w});
    y += 16;
  }
  y += 6;
  constexpr float kLeastCut = 76, kMostCut = 190;
  if (box.bottom() - y < kLeastCut || s.cut.points.size() < 2) return;
  CurveState cut = s.cut;
  cut.hovered = s.hovered;
  draw_curve(b, cut, {box.x - 4, y, box.w + 4, std::min(kMostCut, box.bottom() - y)},
             static_cast<int>(s.cells.size()));
}

}  // namespace

Scene build_landscape(const LandscapeState& s, const Palette& palette, const TextMeasure& measure,
                      Size size) {
  SceneBuilder b(size, palette, measure);
  if (s.cells.empty() || size.w < 100 || size.h < 60) return b.finish();
  const bool wide = size.w >= kSideFrom;
  const float beside = wide ? std::min(kSide, size.w * 0.36f) + 16 : 0;
  Grid(b, s, {4, 0, size.w - 8 - beside, size.h}).draw();
  if (wide) side(b, s, {size.w - beside + 12, 2, beside - 16, size.h - 4});
  return b.finish();
}

}  // namespace tilescope::viz
