#include "viz/vector/svg_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // What XML has no characters for.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') out += c;
    }
  }
  return out;
}

/// Two digits are a hundredth of a pixel.
std::string number(float v) {
  std::string text = fmt::format("{:.2f}", v);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

class SvgWriter {
 public:
  explicit SvgWriter(const Scene& scene) : scene_(scene) {}

  std::string document(const ExportOptions& options) {
    const float w = std::ceil(scene_.size.w * options.scale);
    const float h = std::ceil(scene_.size.h * options.scale);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
        "viewBox=\"0 0 {} {}\">\n",
        number(w), number(h), number(w / options.scale), number(h / options.scale));
    add("<defs>\n");
    for (size_t i = 1; i < scene_.clips.size(); ++i) {
      const Box& b = scene_.clips[i];
      add("<clipPath id=\"clip{}\"><rect{}/></clipPath>\n", i, place(b));
    }
    add("</defs>\n");
    if (options.ground) {
      draw(Rect{.box = {0, 0, scene_.size.w, scene_.size.h}, .fill = scene_.palette.panel});
    }
    int clip = 0;
    for (const Primitive& p : scene_.primitives) {
      if (p.clip != clip) {
        if (clip > 0) add("</g>\n");
        clip = p.clip;
        if (clip > 0) add("<g clip-path=\"url(#clip{})\">\n", clip);
      }
      std::visit([this](const auto& shape) { draw(shape); }, p.shape);
    }
    if (clip > 0) add("</g>\n");
    add("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  static std::string place(const Box& b) {
    return fmt::format(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(b.x), number(b.y),
                       number(std::max(0.f, b.w)), number(std::max(0.f, b.h)));
  }
  static std::string paint(const char* what, Color c, float opacity = 1) {
    const float alpha = static_cast<float>(c.a) / 255 * opacity;
    std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", what, c.r, c.g, c.b);
    if (alpha < 1) text += fmt::format(" {}-opacity=\"{}\"", what, number(alpha));
    return text;
  }
  static std::string stroked(Color c, float width, Dash dash) {
    std::string text = paint("stroke", c) + fmt::format(" stroke-width=\"{}\"", number(width));
    if (dash.on > 0) {
      text += fmt::format(" stroke-dasharray=\"{} {}\"", number(dash.on), number(dash.off));
    }
    return text;
  }
  static std::string listed(const std::vector<Point>& points) {
    std::string text;
    for (const Point& p : points) text += number(p.x) + "," + number(p.y) + " ";
    return text;
  }

  void draw(const Rect& r) {
    if (r.box.w <= 0 || r.box.h <= 0) return;
    const auto rect = [&](const Box& box, float radius, const std::string& how) {
      const float most = std::min({radius, box.w / 2, box.h / 2});
      add("<rect{}{}{}/>\n", place(box),
          most > 0 ? fmt::format(" rx=\"{}\"", number(most)) : std::string(), how);
    };
    if (r.fill.a != 0) rect(r.box, r.radius, paint("fill", r.fill));
    if (r.hatch.a != 0) hatch(r);
    if (r.stroke.a == 0) return;
    if (r.box.w <= r.stroke_width || r.box.h <= r.stroke_width) {
      return rect(r.box, 0, paint("fill", r.stroke));
    }
    const float inset = r.stroke_width / 2;
    rect(r.box.grown(-inset), std::max(0.f, r.radius - inset),
         " fill=\"none\"" + stroked(r.stroke, r.stroke_width, r.dash));
  }
  /// Diagonals, cut at the box.
  void hatch(const Rect& r) {
    if (r.hatch_step <= 0) return;
    std::string lines;
    for (float i = -r.box.h; i < r.box.w; i += r.hatch_step) {
      // From the lower edge or the left one to the upper edge or the right one.
      const float from = std::max(i, 0.f), to = std::min(i + r.box.h, r.box.w);
      lines +=
          fmt::format("M{} {}L{} {}", number(r.box.x + from), number(r.box.bottom() - (from - i)),
                      number(r.box.x + to), number(r.box.bottom() - (to - i)));
    }
    add("<path d=\"{}\" fill=\"none\"{}/>\n", lines, stroked(r.hatch, 1, {}));
  }
  void draw(const Line& l) {
    Point from = l.from, to = l.to;
    // A one-pixel line on whole coordinates would smear over two rows of pixels.
    const float shift = std::lround(l.width) % 2 == 1 ? 0.5f : 0.f;
    if (from.x == to.x) from.x = to.x = std::round(from.x) + shift;
    if (from.y == to.y) from.y = to.y = std::round(from.y) + shift;
    add("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", number(from.x), number(from.y),
        number(to.x), number(to.y), stroked(l.color, l.width, l.dash));
  }
  void draw(const Polyline& l) {
    add("<polyline points=\"{}\" fill=\"none\"{}/>\n", listed(l.points),
        stroked(l.color, l.width, l.dash));
  }
  void draw(const Polygon& p) {
    add("<polygon points=\"{}\"{}{}/>\n", listed(p.points),
        p.fill.a != 0 ? paint("fill", p.fill) : std::string(" fill=\"none\""),
        p.stroke.a != 0 ? stroked(p.stroke, p.stroke_width, {}) : std::string());
  }
  void draw(const Text& t) {
    static constexpr const char* kFonts[] = {
        "font-family=\"Inter, sans-serif\"",
        "font-family=\"Inter, sans-serif\" font-weight=\"600\"",
        "font-family=\"JetBrains Mono, monospace\"",
        "font-family=\"JetBrains Mono, monospace\" font-weight=\"600\"",
    };
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    add("<text x=\"{}\" y=\"{}\" {} font-size=\"{}\" text-anchor=\"{}\" "
        "xml:space=\"preserve\"{}>{}</text>\n",
        number(std::round(t.x)), number(std::round(t.baseline())),
        kFonts[static_cast<size_t>(t.weight)], number(t.size),
        kAnchors[static_cast<size_t>(t.align)], paint("fill", t.color), escaped(t.string));
  }

  void draw(const CellGrid& g) {
    if (g.cells.empty()) return;
    for (int row = 0; row < g.rows; ++row) {
      for (int col = 0; col < g.columns; ++col) draw_cell(g, row, col);
    }
  }
  void draw_cell(const CellGrid& g, int row, int col) {
    const uint32_t cell = g.cells[static_cast<size_t>(row) * static_cast<size_t>(g.columns) +
                                  static_cast<size_t>(col)];
    if (cell & kCellEmpty) return;
    const Box whole = cell_box(g, row, col);
    Box box = whole;
    const bool run_right = (col + 1) % g.run_columns == 0 || col + 1 == g.columns;
    const bool run_low = (row + 1) % g.run_rows == 0 || row + 1 == g.rows;
    const float line = std::min(box.w, box.h) >= 3 ? g.line_width : 0;
    if (run_right) box.w -= line;
    if (run_low) box.h -= line;
    const Color color = cell_color(g, cell, scene_.palette);
    add("<rect{}{}/>\n", place(box), paint("fill", color, g.opacity));
    const Color white = fade(rgb(0xffffff), 0.75f * g.opacity);
    if (cell & kCellEdgeRight) {
      draw(Rect{.box = {whole.right() - 1, whole.y, 1, whole.h}, .fill = white});
    }
    if (cell & kCellEdgeBottom) {
      draw(Rect{.box = {whole.x, whole.bottom() - 1, whole.w, 1}, .fill = white});
    }
    if (!g.ticks || row % g.run_rows != 0 || col % g.run_columns != 0) return;
    const std::vector<Point> tick = cell_tick(g, row, col);
    if (!tick.empty()) draw(Polygon{tick, fade(ink_on(color), 0.55f * g.opacity), {}, 1});
  }

  const Scene& scene_;
  std::string text_;
};

}  // namespace

std::string svg_text(const Scene& scene, const ExportOptions& options) {
  return SvgWriter(scene).document(options);
}

}  // namespace tilescope::viz
