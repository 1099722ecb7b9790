#include "viz/scene/builder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/language/retold.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

/// Where the first word ends: at a space, or round a character of a script that has none between
/// words (from U+2E80 on: Chinese, Japanese), whose full stops and commas stay with it.
size_t word_end(std::string_view text) {
  const auto is_wide = [](std::string_view s) {
    const auto lead = s.empty() ? 0 : static_cast<unsigned char>(s[0]);
    return (lead >= 0xE3 && lead <= 0xED) || lead == 0xEF;
  };
  const auto closes = [](std::string_view s) {
    for (const char* mark : {"。", "，", "、", "；", "：", "）", "？", "！", "”", "》"}) {
      if (s.starts_with(mark)) return true;
    }
    return false;
  };
  if (is_wide(text)) {
    size_t end = 3;
    while (end < text.size() && closes(text.substr(end))) end += 3;
    return std::min(end, text.size());
  }
  size_t end = 0;
  while (end < text.size() && text[end] != ' ' && !is_wide(text.substr(end))) ++end;
  return end;
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<uint8_t>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

Box intersection(Box a, Box b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0f, std::min(a.right(), b.right()) - x),
          std::max(0.0f, std::min(a.bottom(), b.bottom()) - y)};
}

constexpr size_t kTickCells = 2048;

/// The ticks of all runs: over the cells, as a run's tick may lie in its last cell.
std::vector<Polygon> ticks_of(const CellGrid& grid, const Palette& palette) {
  std::vector<Polygon> ticks;
  if (!grid.ticks) return ticks;
  for (int row = 0; row < grid.rows; row += grid.run_rows) {
    for (int col = 0; col < grid.columns; col += grid.run_columns) {
      const uint32_t cell =
          grid.cells[static_cast<size_t>(row) * static_cast<size_t>(grid.columns) +
                     static_cast<size_t>(col)];
      std::vector<Point> points = cell_tick(grid, row, col);
      if (points.empty() || (cell & kCellEmpty)) continue;
      const Color ink = ink_on(cell_color(grid, cell, palette));
      ticks.push_back({std::move(points), fade(ink, 0.55f * grid.opacity), {}, 1});
    }
  }
  return ticks;
}

}  // namespace

SceneBuilder::SceneBuilder(Size size, const Palette& palette, const TextMeasure& measure)
    : measure_(measure) {
  scene_.size = size;
  scene_.palette = palette;
  scene_.clips.push_back({0, 0, size.w, size.h});
  scene_.primitives.reserve(1024);
}

void SceneBuilder::push(Shape shape) { scene_.primitives.push_back({std::move(shape), clip_, -1}); }

void SceneBuilder::add(Shape shape) {
  if (auto* rect = std::get_if<Rect>(&shape)) {
    rect->fill = faded(rect->fill), rect->stroke = faded(rect->stroke);
    rect->hatch = faded(rect->hatch);
    // An edge between two rows of pixels would be a grey smear. Circles stay where they are.
    if (rect->stroke.a != 0 && rect->radius < rect->box.w / 2 - 0.01f) {
      const float right = std::round(rect->box.right()), bottom = std::round(rect->box.bottom());
      rect->box.x = std::round(rect->box.x), rect->box.y = std::round(rect->box.y);
      rect->box.w = right - rect->box.x, rect->box.h = bottom - rect->box.y;
    }
  } else if (auto* line = std::get_if<Line>(&shape)) {
    line->color = faded(line->color);
  } else if (auto* polyline = std::get_if<Polyline>(&shape)) {
    polyline->color = faded(polyline->color);
  } else if (auto* polygon = std::get_if<Polygon>(&shape)) {
    polygon->fill = faded(polygon->fill), polygon->stroke = faded(polygon->stroke);
  }
  push(std::move(shape));
}

void SceneBuilder::rect(Box box, Color fill, Color stroke, float radius, float stroke_width) {
  Rect r;
  r.box = box, r.fill = fill, r.stroke = stroke, r.radius = radius, r.stroke_width = stroke_width;
  add(r);
}

void SceneBuilder::line(Point from, Point to, Color color, float width, Dash dash) {
  add(Line{from, to, color, width, dash});
}

void SceneBuilder::polygon(std::vector<Point> points, Color fill, Color stroke,
                           float stroke_width) {
  float area = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point &from = points[i], &to = points[(i + 1) % points.size()];
    area += from.x * to.y - to.x * from.y;
  }
  // Renderers that smooth edges need to know which side is inside.
  if (area < 0) std::reverse(points.begin(), points.end());
  add(Polygon{std::move(points), fill, stroke, stroke_width});
}

void SceneBuilder::circle(Point center, float radius, Color fill, Color stroke,
                          float stroke_width) {
  rect({center.x - radius, center.y - radius, 2 * radius, 2 * radius}, fill, stroke, radius,
       stroke_width);
}

void SceneBuilder::dashed(Box box, Color color) {
  Rect r;
  r.box = box, r.stroke = color, r.dash = {4, 2};
  add(r);
}

void SceneBuilder::hatch(Box box, Color ground, Color lines, float step) {
  Rect r;
  r.box = box, r.fill = ground, r.hatch = lines, r.hatch_step = step;
  add(r);
}

void SceneBuilder::triangle(Point c, float s, Way way, Color color) {
  switch (way) {
    case Way::down:
      return polygon({{c.x - s, c.y - s / 2}, {c.x + s, c.y - s / 2}, {c.x, c.y + s * 0.7f}},
                     color);
    case Way::up:
      return polygon({{c.x - s, c.y + s / 2}, {c.x + s, c.y + s / 2}, {c.x, c.y - s * 0.7f}},
                     color);
    case Way::left:
      return polygon({{c.x + s / 2, c.y - s}, {c.x - s * 0.7f, c.y}, {c.x + s / 2, c.y + s}},
                     color);
    case Way::right:
      return polygon({{c.x - s / 2, c.y - s}, {c.x + s * 0.7f, c.y}, {c.x - s / 2, c.y + s}},
                     color);
  }
}

void SceneBuilder::tick(Point c, float s, Color color, float width) {
  add(Polyline{{{c.x - s, c.y}, {c.x - s * 0.25f, c.y + s * 0.75f}, {c.x + s, c.y - s * 0.75f}},
               color,
               width,
               {}});
}

void SceneBuilder::ring(Box box, float width, bool halo) {
  if (halo) {
    rect(box.grown(width + 1), {}, palette().halo, 0, 1);
    rect(box, {}, fade(palette().halo, 0.55f), 0, 1);
  }
  rect(box.grown(width), {}, palette().select, 0, width);
}

void SceneBuilder::cell_ring(Box box, bool bold) {
  // Inside a cell there is its text, so the ring keeps to the cell's edge.
  rect(box.grown(2), {}, palette().halo, 0, 1);
  rect(box.grown(1), {}, palette().select, 0, bold ? 2.0f : 1.0f);
}

void SceneBuilder::hover_ring(Box box) {
  rect(box.grown(1), {}, fade(palette().halo, 0.6f), 0, 1);
  rect(box, {}, palette().select, 0, 1);
}

void SceneBuilder::cells(CellGrid grid) {
  static std::atomic<uint64_t> versions{0};
  grid.version = ++versions;
  grid.opacity *= opacity_;
  if (grid.line.a == 0) grid.line = palette().panel;
  std::vector<Text> labels;
  if (texts_ && opacity_ == 1) labels = cell_labels(grid, palette(), measure_, clip());
  // In a tall run T# and the values share its height, so a line between its cells would cross them.
  const bool stacked = grid.labels == CellLabels::thread_value && grid.run_rows > 1;
  grid.inner_lines = grid.inner_lines || (grid.labels == CellLabels::thread_value && !stacked) ||
                     grid.labels == CellLabels::value;
  grid.labels = CellLabels::none;
  std::vector<Polygon> ticks;
  if (grid.cells.size() <= kTickCells) {  // beyond, the renderer draws them
    ticks = ticks_of(grid, palette());
    grid.ticks = false;
  }
  push(std::move(grid));
  for (Polygon& tick : ticks) push(std::move(tick));
  for (Text& label : labels) push(std::move(label));
}

float SceneBuilder::text(float x, float y, std::string_view string, const TextStyle& style) {
  Text t;
  t.string = translated(string);
  t.width = width(string, style.size, style.weight);
  if (style.max_width > 0 && t.width > style.max_width) {
    t.full = t.string;
    std::string kept = t.string;
    do {
      drop_last_character(kept);
      while (!kept.empty() && kept.back() == ' ') kept.pop_back();
      t.string = kept + "…";
      t.width = width(t.string, style.size, style.weight);
    } while (!kept.empty() && t.width > style.max_width);
    if (t.width > style.max_width) return 0;
  }
  t.x = x, t.y = y, t.size = style.size, t.weight = style.weight, t.align = style.align;
  t.color = faded(style.color);
  const float drawn = t.width;
  if (texts_ && !t.string.empty()) push(std::move(t));
  return drawn;
}

float SceneBuilder::runs_width(const std::vector<TextRun>& parts, float size) const {
  float total = 0;
  for (const TextRun& part : parts) total += width(part.string, size, part.weight);
  return total;
}

float SceneBuilder::runs(float x, float y, const std::vector<TextRun>& parts, float size,
                         float max_width) {
  const float end = x + max_width;
  for (const TextRun& part : parts) {
    TextStyle style{part.color, size, part.weight};
    if (max_width > 0) {
      if (end - x < 1) break;
      style.max_width = end - x;
    }
    const float full = width(part.string, size, part.weight);
    x += text(x, y, part.string, style);
    if (max_width > 0 && full > style.max_width) break;
  }
  return x;
}

int SceneBuilder::wrap(float x, float y, float limit, std::string_view string,
                       const TextStyle& style, float line_height, int max_lines) {
  std::vector<std::string> lines(1);
  std::string other;
  std::string_view rest = retold(string, other);
  bool apart = false;  // by a space from the word before
  while (!rest.empty()) {
    const size_t end = word_end(rest);
    const std::string word(rest.substr(0, end));
    const std::string longer = lines.back() + (apart && !lines.back().empty() ? " " : "") + word;
    apart = end < rest.size() && rest[end] == ' ';
    rest.remove_prefix(end + (apart ? 1 : 0));
    const bool fits = lines.back().empty() || width(longer, style.size, style.weight) <= limit;
    if (!fits && static_cast<int>(lines.size()) < max_lines) {
      lines.push_back(word);
    } else {
      lines.back() = longer;  // one that is too long is shortened below
    }
  }
  TextStyle limited = style;
  limited.max_width = limit;
  for (size_t i = 0; i < lines.size(); ++i) {
    text(x, y + static_cast<float>(i) * line_height, lines[i], limited);
  }
  return static_cast<int>(lines.size());
}

float SceneBuilder::text_that_fits(float x, float y,
                                   std::initializer_list<std::string_view> choices,
                                   const TextStyle& style) {
  if (choices.size() == 0) return 0;
  std::string_view chosen = *(choices.end() - 1);
  for (std::string_view choice : choices) {
    if (style.max_width > 0 && width(choice, style.size, style.weight) > style.max_width) continue;
    chosen = choice;
    break;
  }
  const size_t before = scene_.primitives.size();
  const float drawn = text(x, y, chosen, style);
  // Who wants to know more than fits finds the first choice in the tooltip.
  if (scene_.primitives.size() > before && chosen != *choices.begin()) {
    std::get<Text>(scene_.primitives.back().shape).full = *choices.begin();
  }
  return drawn;
}

void SceneBuilder::pickable(const Pick& pick) {
  scene_.picks.push_back(pick);
  scene_.primitives.back().pick = static_cast<int>(scene_.picks.size()) - 1;
}

void SceneBuilder::push_clip(Box box) {
  clip_stack_.push_back(clip_);
  scene_.clips.push_back(intersection(box, clip()));
  clip_ = static_cast<int>(scene_.clips.size()) - 1;
}

void SceneBuilder::pop_clip() {
  clip_ = clip_stack_.back();
  clip_stack_.pop_back();
}

float SceneBuilder::set_opacity(float opacity) { return std::exchange(opacity_, opacity); }
bool SceneBuilder::set_texts(bool on) { return std::exchange(texts_, on); }

Scene build_sentence(const std::string& sentence, const Palette& palette,
                     const TextMeasure& measure, Size size) {
  SceneBuilder b(size, palette, measure);
  b.wrap(8, 14, size.w - 16, sentence, {palette.dim, 12}, 16);
  return b.finish();
}

std::string grouped(long long value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<size_t>(i), ",");
  }
  return (value < 0 ? "-" : "") + digits;
}

std::string figure(double value) {
  if (std::fabs(value) >= 1000) return grouped(std::llround(value));
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::string range_text(long long first, long long last) {
  if (last <= first) return std::to_string(first);
  return std::to_string(first) + "–" + std::to_string(last);
}

}  // namespace tilescope::viz
