#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "viz/scene/cells.h"
#include "viz/vector/font_runs.h"
#include "viz/vector/fonts_of_folder.h"
#include "viz/vector/vector.h"

namespace tilescope::viz {
namespace {

constexpr double kPi = 3.14159265358979323846;

void use_options(cairo_t* cr) {
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON);
  cairo_set_font_options(cr, options);
  cairo_font_options_destroy(options);
}

/// Draws one scene. Coordinates are floats; cairo takes doubles.
class CairoCanvas {
 public:
  CairoCanvas(cairo_t* cr, const Scene& scene) : cr_(cr), scene_(scene) { use_options(cr); }

  void draw(bool ground) {
    if (ground) {
      source(scene_.palette.panel);
      cairo_paint(cr_);
    }
    for (const Primitive& p : scene_.primitives) {
      cairo_save(cr_);
      if (p.clip > 0) {
        path(scene_.clips[static_cast<size_t>(p.clip)], 0);
        cairo_clip(cr_);
      }
      std::visit([this](const auto& shape) { draw_shape(shape); }, p.shape);
      cairo_restore(cr_);
    }
  }

 private:
  static double d(float v) { return static_cast<double>(v); }

  void source(Color c, float opacity = 1) {
    cairo_set_source_rgba(cr_, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0 * d(opacity));
  }
  void path(const Box& b, float radius) {
    const double r = std::min({d(radius), d(b.w) / 2, d(b.h) / 2});
    cairo_new_path(cr_);
    if (r <= 0) {
      cairo_rectangle(cr_, d(b.x), d(b.y), d(b.w), d(b.h));
      return;
    }
    const double x0 = d(b.x) + r, x1 = d(b.right()) - r, y0 = d(b.y) + r, y1 = d(b.bottom()) - r;
    cairo_new_sub_path(cr_);
    cairo_arc(cr_, x1, y0, r, -kPi / 2, 0);
    cairo_arc(cr_, x1, y1, r, 0, kPi / 2);
    cairo_arc(cr_, x0, y1, r, kPi / 2, kPi);
    cairo_arc(cr_, x0, y0, r, kPi, 1.5 * kPi);
    cairo_close_path(cr_);
  }
  void stroke(Color color, float width, Dash dash) {
    source(color);
    cairo_set_line_width(cr_, d(width));
    if (dash.on > 0) {
      const double lengths[2] = {d(dash.on), d(dash.off)};
      cairo_set_dash(cr_, lengths, 2, 0);
    }
    cairo_stroke(cr_);
  }

  void draw_shape(const Rect& r) {
    if (r.box.w <= 0 || r.box.h <= 0) return;
    if (r.fill.a != 0) {
      path(r.box, r.radius);
      source(r.fill);
      cairo_fill(cr_);
    }
    if (r.hatch.a != 0) {
      cairo_save(cr_);
      path(r.box, r.radius);
      cairo_clip(cr_);
      for (float i = -r.box.h; i < r.box.w; i += r.hatch_step) {
        cairo_move_to(cr_, d(r.box.x + i), d(r.box.bottom()));
        cairo_line_to(cr_, d(r.box.x + i + r.box.h), d(r.box.y));
      }
      stroke(r.hatch, 1, {});
      cairo_restore(cr_);
    }
    if (r.stroke.a != 0) {
      const float inset = r.stroke_width / 2;
      if (r.box.w <= r.stroke_width || r.box.h <= r.stroke_width) {
        path(r.box, 0);
        source(r.stroke);
        cairo_fill(cr_);
        return;
      }
      path(r.box.grown(-inset), std::max(0.0f, r.radius - inset));
      stroke(r.stroke, r.stroke_width, r.dash);
    }
  }

  void draw_shape(const Line& l) {
    Point from = l.from, to = l.to;
    // A one-pixel line on whole coordinates would smear over two rows of pixels.
    const float shift = std::lround(l.width) % 2 == 1 ? 0.5f : 0.0f;
    if (from.x == to.x) from.x = to.x = std::round(from.x) + shift;
    if (from.y == to.y) from.y = to.y = std::round(from.y) + shift;
    cairo_move_to(cr_, d(from.x), d(from.y));
    cairo_line_to(cr_, d(to.x), d(to.y));
    stroke(l.color, l.width, l.dash);
  }
  void polyline(const std::vector<Point>& points) {
    cairo_new_path(cr_);  // text leaves a current point behind
    for (const Point& p : points) cairo_line_to(cr_, d(p.x), d(p.y));
  }
  void draw_shape(const Polyline& l) {
    polyline(l.points);
    stroke(l.color, l.width, l.dash);
  }
  void draw_shape(const Polygon& p) {
    if (p.fill.a != 0) {
      polyline(p.points);
      cairo_close_path(cr_);
      source(p.fill);
      cairo_fill(cr_);
    }
    if (p.stroke.a != 0) {
      polyline(p.points);
      cairo_close_path(cr_);
      stroke(p.stroke, p.stroke_width, {});
    }
  }
  void draw_shape(const Text& t) {
    source(t.color);
    cairo_move_to(cr_, std::round(d(t.left())), std::round(d(t.baseline())));
    // Each leaves the point where the next begins.
    in_font_runs(cr_, t.string, t.weight, t.size,
                 [this](const char* run) { cairo_show_text(cr_, run); });
  }

  void draw_shape(const CellGrid& g) {
    if (g.cells.empty()) return;
    // Tiny cells: one image, as thousands of rectangles make no better picture and a huge file.
    const bool small =
        g.box.w / static_cast<float>(g.columns) < 3 || g.box.h / static_cast<float>(g.rows) < 3;
    if (small && g.columns * g.rows > 4096) return draw_image(g);
    for (int row = 0; row < g.rows; ++row) draw_row(g, row);
    draw_ticks(g);
  }
  uint32_t cell_at(const CellGrid& g, int row, int col) const {
    return g.cells[static_cast<size_t>(row) * static_cast<size_t>(g.columns) +
                   static_cast<size_t>(col)];
  }
  void draw_row(const CellGrid& g, int row) {
    for (int col = 0; col < g.columns; ++col) {
      const uint32_t cell = cell_at(g, row, col);
      if (cell & kCellEmpty) continue;
      Box box = cell_box(g, row, col);
      const bool run_right = (col + 1) % g.run_columns == 0 || col + 1 == g.columns;
      const bool run_low = (row + 1) % g.run_rows == 0 || row + 1 == g.rows;
      const float line = std::min(box.w, box.h) >= 3 ? g.line_width : 0;
      if (run_right) box.w -= line;
      if (run_low) box.h -= line;
      const Color color = cell_color(g, cell, scene_.palette);
      path(box, 0);
      source(color, g.opacity);
      cairo_fill(cr_);
      draw_edges(g, cell, cell_box(g, row, col));
      if (g.inner_lines) {
        const Color ink = fade(ink_on(color), 0.16f);
        if (!run_right) {
          inner_line({box.right() - 0.5f, box.y + box.h * 0.45f},
                     {box.right() - 0.5f, box.bottom() - 2}, ink);
        }
        if (!run_low) {
          inner_line({box.x + 3, box.bottom() - 0.5f}, {box.right() - 3, box.bottom() - 0.5f}, ink);
        }
      }
    }
  }
  /// Over all cells, as a run's tick may lie in its last cell.
  void draw_ticks(const CellGrid& g) {
    for (int row = 0; g.ticks && row < g.rows; row += g.run_rows) {
      for (int col = 0; col < g.columns; col += g.run_columns) {
        const uint32_t cell = cell_at(g, row, col);
        const std::vector<Point> tick = cell_tick(g, row, col);
        if (tick.empty() || (cell & kCellEmpty)) continue;
        const Color ink = ink_on(cell_color(g, cell, scene_.palette));
        draw_shape(Polygon{tick, fade(ink, 0.55f * g.opacity), {}, 1});
      }
    }
  }
  void inner_line(Point from, Point to, Color color) {
    cairo_move_to(cr_, d(from.x), d(from.y));
    cairo_line_to(cr_, d(to.x), d(to.y));
    stroke(color, 1, {});
  }
  void draw_edges(const CellGrid& g, uint32_t cell, const Box& box) {
    const Color white = fade(rgb(0xffffff), 0.75f * g.opacity);
    if (cell & kCellEdgeRight)
      draw_shape(Rect{.box = {box.right() - 1, box.y, 1, box.h}, .fill = white});
    if (cell & kCellEdgeBottom)
      draw_shape(Rect{.box = {box.x, box.bottom() - 1, box.w, 1}, .fill = white});
  }
  void draw_image(const CellGrid& g) {
    cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, g.columns, g.rows);
    unsigned char* data = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (int row = 0; row < g.rows; ++row) {
      auto* line = reinterpret_cast<uint32_t*>(data + row * stride);
      for (int col = 0; col < g.columns; ++col) {
        const uint32_t cell = cell_at(g, row, col);
        Color c = cell_color(g, cell, scene_.palette);
        if (cell & (kCellEdgeRight | kCellEdgeBottom)) c = mix(c, rgb(0xffffff), 0.75f);
        line[col] = c.a == 0 ? 0
                             : 0xff000000u | static_cast<uint32_t>(c.r) << 16 |
                                   static_cast<uint32_t>(c.g) << 8 | c.b;
      }
    }
    cairo_surface_mark_dirty(image);
    cairo_translate(cr_, d(g.box.x), d(g.box.y));
    cairo_scale(cr_, d(g.box.w) / g.columns, d(g.box.h) / g.rows);
    cairo_set_source_surface(cr_, image, 0, 0);
    const bool shrunk = g.box.w < static_cast<float>(g.columns);
    cairo_pattern_set_filter(cairo_get_source(cr_),
                             shrunk ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    cairo_paint_with_alpha(cr_, d(g.opacity));
    cairo_surface_destroy(image);
  }

  cairo_t* cr_;
  const Scene& scene_;
};

cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

struct CairoMeasure::State {
  cairo_surface_t* surface = nullptr;
  cairo_t* cr = nullptr;
  mutable std::unordered_map<std::string, float> known;
};

CairoMeasure::CairoMeasure() : state_(new State) {
  add_fonts();
  state_->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  state_->cr = cairo_create(state_->surface);
  use_options(state_->cr);
}

CairoMeasure::~CairoMeasure() {
  cairo_destroy(state_->cr);
  cairo_surface_destroy(state_->surface);
  delete state_;
}

float CairoMeasure::width(std::string_view text, float size, Weight weight) const {
  std::string key(text);
  key += '\0';
  key += std::to_string(static_cast<int>(std::lround(size * 8)) * 4 + static_cast<int>(weight));
  if (const auto it = state_->known.find(key); it != state_->known.end()) return it->second;
  double advance = 0;
  in_font_runs(state_->cr, std::string(text), weight, size, [&](const char* run) {
    cairo_text_extents_t extents;
    cairo_text_extents(state_->cr, run, &extents);
    advance += extents.x_advance;
  });
  const auto width = static_cast<float>(advance);
  if (state_->known.size() > 20000) state_->known.clear();
  state_->known.emplace(std::move(key), width);
  return width;
}

std::string render(const Scene& scene, FileKind kind, const ExportOptions& options) {
  const double scale = static_cast<double>(options.scale);
  const double w = std::ceil(static_cast<double>(scene.size.w) * scale);
  const double h = std::ceil(static_cast<double>(scene.size.h) * scale);
  add_fonts();
  std::string bytes;
  cairo_surface_t* surface =
      kind == FileKind::svg   ? cairo_svg_surface_create_for_stream(append, &bytes, w, h)
      : kind == FileKind::pdf ? cairo_pdf_surface_create_for_stream(append, &bytes, w, h)
                              : cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(w),
                                                           static_cast<int>(h));
  cairo_t* cr = cairo_create(surface);
  cairo_scale(cr, scale, scale);
  CairoCanvas(cr, scene).draw(options.ground);
  bool good = cairo_status(cr) == CAIRO_STATUS_SUCCESS;
  cairo_destroy(cr);
  if (kind == FileKind::png) {
    good =
        good && cairo_surface_write_to_png_stream(surface, append, &bytes) == CAIRO_STATUS_SUCCESS;
  }
  cairo_surface_finish(surface);
  good = good && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy(surface);
  return good ? bytes : std::string();
}

}  // namespace tilescope::viz
