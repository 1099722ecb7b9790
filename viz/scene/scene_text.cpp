// The golden dump of a scene and the check of its texts.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "viz/scene/scene.h"

namespace tilescope::viz {
namespace {

/// Appends like printf.
__attribute__((format(printf, 2, 3))) void put(std::string& out, const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  out += buffer;
}

/// One decimal, without the sign of a negative zero.
double tenth(float v) {
  const double rounded =
      static_cast<double>(static_cast<long long>(v * 10 + (v < 0 ? -0.5f : 0.5f)));
  return rounded / 10 + 0.0;
}

void put_box(std::string& out, const Box& b) {
  put(out, " %.1f,%.1f %.1fx%.1f", tenth(b.x), tenth(b.y), tenth(b.w), tenth(b.h));
}
void put_color(std::string& out, const char* name, Color c) {
  if (c.a == 0) return;
  put(out, " %s #%02x%02x%02x", name, c.r, c.g, c.b);
  if (c.a != 255) put(out, "/%d", c.a);
}
void put_points(std::string& out, const std::vector<Point>& points) {
  for (const Point& p : points) put(out, " %.1f,%.1f", tenth(p.x), tenth(p.y));
}
void put_pick(std::string& out, const Pick& p) {
  static constexpr const char* kKinds[] = {"nothing", "level", "element", "cta",   "warp",
                                           "mma",     "lane",  "reg",     "stage", "k_slice",
                                           "event",   "epoch", "chunk",   "point"};
  put(out, " pick %s/%d", kKinds[static_cast<int>(p.kind)], static_cast<int>(p.level));
  const auto field = [&](const char* name, int value) {
    if (value >= 0) put(out, " %s=%d", name, value);
  };
  field("matrix", p.matrix), field("row", p.row), field("col", p.col);
  field("cta_row", p.cta_row), field("cta_col", p.cta_col);
  if (p.cta_z > 0) field("cta_z", p.cta_z);
  field("warp", p.warp);
  field("mma_m", p.mma_m), field("mma_n", p.mma_n), field("lane", p.lane);
  field("value", p.value), field("reg", p.reg), field("stage", p.stage);
  field("k_slice", p.k_slice), field("event", p.event);
}

uint64_t hash_cells(const std::vector<uint32_t>& cells) {
  uint64_t hash = 1469598103934665603ull;  // FNV-1a over the texels
  for (uint32_t cell : cells) hash = (hash ^ cell) * 1099511628211ull;
  return hash;
}

struct Dump {
  std::string& out;
  void operator()(const Rect& r) const {
    out += "rect";
    put_box(out, r.box);
    put_color(out, "fill", r.fill);
    put_color(out, "stroke", r.stroke);
    if (r.stroke.a != 0 && r.stroke_width != 1) put(out, " width %.1f", tenth(r.stroke_width));
    if (r.radius != 0) put(out, " radius %.1f", tenth(r.radius));
    if (r.dash.on != 0) out += " dashed";
    put_color(out, "hatch", r.hatch);
  }
  void operator()(const Line& l) const {
    out += "line";
    put_points(out, {l.from, l.to});
    put_color(out, "color", l.color);
    if (l.dash.on != 0) out += " dashed";
  }
  void operator()(const Polyline& l) const {
    out += "polyline";
    put_points(out, l.points);
    put_color(out, "color", l.color);
  }
  void operator()(const Polygon& p) const {
    out += "polygon";
    put_points(out, p.points);
    put_color(out, "fill", p.fill);
    put_color(out, "stroke", p.stroke);
  }
  void operator()(const Text& t) const {
    static constexpr const char* kAlign[] = {"left", "center", "right"};
    static constexpr const char* kWeight[] = {"", " semibold", " mono", " mono semibold"};
    put(out, "text %.1f,%.1f %s %.1f%s", tenth(t.x), tenth(t.y), kAlign[static_cast<int>(t.align)],
        tenth(t.size), kWeight[static_cast<int>(t.weight)]);
    put_color(out, "color", t.color);
    out += " \"" + t.string + "\"";
  }
  void operator()(const CellGrid& g) const {
    put(out, "cells %dx%d", g.columns, g.rows);
    put_box(out, g.box);
    put(out, " color %d run %dx%d inner %d hash %016llx", static_cast<int>(g.color), g.run_columns,
        g.run_rows, g.inner_lines ? 1 : 0, static_cast<unsigned long long>(hash_cells(g.cells)));
    if (g.pick_mode != CellPick::none) put_pick(out, g.pick);
  }
};

struct InkBox {
  const Text* text;
  float x0, y0, x1, y1;
};

/// About what the ink of a line covers: capitals, and what hangs below the baseline.
InkBox ink_box(const Text& t) {
  const float half = t.size * Text::kCapHeight / 2;
  const bool hangs = t.string.find_first_of("gjpqy,;()[]{}") != std::string::npos;
  return {&t, t.left(), t.y - half, t.left() + t.width, t.y + half + (hangs ? t.size * 0.18f : 0)};
}

}  // namespace

std::string to_text(const Scene& scene) {
  std::string out;
  put(out, "scene %.0fx%.0f\n", static_cast<double>(scene.size.w),
      static_cast<double>(scene.size.h));
  for (const Primitive& p : scene.primitives) {
    std::visit(Dump{out}, p.shape);
    if (p.clip > 0) {
      out += " clip";
      put_box(out, scene.clips[static_cast<size_t>(p.clip)]);
    }
    if (p.pick >= 0) put_pick(out, scene.picks[static_cast<size_t>(p.pick)]);
    out += '\n';
  }
  return out;
}

std::string to_string(const TextProblem& problem) {
  std::string out;
  if (problem.kind == TextProblem::Kind::clipped) {
    out = "\"" + problem.first + "\" leaves its area";
  } else {
    out = "\"" + problem.first + "\" touches \"" + problem.second + "\"";
  }
  put(out, " at %.0f,%.0f", static_cast<double>(problem.x), static_cast<double>(problem.y));
  return out;
}

std::vector<TextProblem> find_text_problems(const Scene& scene) {
  constexpr float kSlack = 0.6f;  // a pixel's rounding
  std::vector<TextProblem> problems;
  std::vector<InkBox> boxes;
  for (const Primitive& p : scene.primitives) {
    const auto* text = std::get_if<Text>(&p.shape);
    if (text == nullptr || text->color.a == 0) continue;
    const InkBox ink = ink_box(*text);
    const Box& clip = scene.clips[static_cast<size_t>(p.clip)];
    if (ink.x0 < clip.x - kSlack || ink.y0 < clip.y - kSlack || ink.x1 > clip.right() + kSlack ||
        ink.y1 > clip.bottom() + kSlack) {
      problems.push_back({TextProblem::Kind::clipped, text->string, {}, text->x, text->y});
    }
    boxes.push_back(ink);
  }
  std::sort(boxes.begin(), boxes.end(),
            [](const InkBox& a, const InkBox& b) { return a.y0 < b.y0; });
  for (size_t i = 0; i < boxes.size(); ++i) {
    const InkBox& a = boxes[i];
    for (size_t j = i + 1; j < boxes.size() && boxes[j].y0 < a.y1 - kSlack; ++j) {
      const InkBox& b = boxes[j];
      if (a.x0 < b.x1 - kSlack && b.x0 < a.x1 - kSlack) {
        problems.push_back(
            {TextProblem::Kind::overlap, a.text->string, b.text->string, a.text->x, a.text->y});
      }
    }
  }
  return problems;
}

}  // namespace tilescope::viz
