#include "viz/vector/svg_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "viz/vector/scene_writer.h"

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

std::string paint(const char* what, Color c, float opacity = 1) {
  const float alpha = static_cast<float>(c.a) / 255 * opacity;
  std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", what, c.r, c.g, c.b);
  if (alpha < 1) text += fmt::format(" {}-opacity=\"{}\"", what, short_number(alpha));
  return text;
}

std::string painted(const Paint& p) {
  std::string text = p.fill.a != 0 ? paint("fill", p.fill, p.opacity) : " fill=\"none\"";
  if (p.stroke.a == 0) return text;
  text += paint("stroke", p.stroke) + fmt::format(" stroke-width=\"{}\"", short_number(p.width));
  if (p.dash.on > 0) {
    text += fmt::format(" stroke-dasharray=\"{} {}\"", short_number(p.dash.on),
                        short_number(p.dash.off));
  }
  return text;
}

std::string place(const Box& b) {
  return fmt::format(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", short_number(b.x),
                     short_number(b.y), short_number(std::max(0.f, b.w)),
                     short_number(std::max(0.f, b.h)));
}

std::string pair(Point p) { return short_number(p.x) + " " + short_number(p.y); }

class SvgWriter final : public SceneWriter {
 public:
  explicit SvgWriter(const GlyphOutlines* glyphs) : glyphs_(glyphs) {}

  std::string document(const Scene& scene, const ExportOptions& options) {
    const float w = std::ceil(scene.size.w * options.scale);
    const float h = std::ceil(scene.size.h * options.scale);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
        "viewBox=\"0 0 {} {}\">\n",
        short_number(w), short_number(h), short_number(w / options.scale),
        short_number(h / options.scale));
    add("<defs>\n");
    for (size_t i = 1; i < scene.clips.size(); ++i) {
      add("<clipPath id=\"clip{}\"><rect{}/></clipPath>\n", i, place(scene.clips[i]));
    }
    add("</defs>\n");
    write(scene, options.ground);
    add("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  void begin_clip(int number, const Box&) override {
    add("<g clip-path=\"url(#clip{})\">\n", number);
  }
  void end_clip() override { add("</g>\n"); }
  void rect(const Box& box, float radius, const Paint& paint) override {
    const float r = corner_radius(box, radius);
    add("<rect{}{}{}/>\n", place(box),
        r > 0 ? fmt::format(" rx=\"{}\"", short_number(r)) : std::string(), painted(paint));
  }
  void polyline(const std::vector<Point>& points, bool closed, const Paint& paint) override {
    std::string list;
    for (const Point& p : points) list += short_number(p.x) + "," + short_number(p.y) + " ";
    add("<{} points=\"{}\"{}/>\n", closed ? "polygon" : "polyline", list, painted(paint));
  }
  void segments(const std::vector<Point>& ends, const Paint& paint) override {
    std::string path;
    for (size_t i = 0; i + 1 < ends.size(); i += 2) {
      path += "M" + pair(ends[i]) + "L" + pair(ends[i + 1]);
    }
    add("<path d=\"{}\"{}/>\n", path, painted(paint));
  }

  void text(const Text& t) override {
    if (glyphs_) return outlined(t);
    static constexpr const char* kFonts[] = {
        "font-family=\"Inter, sans-serif\"",
        "font-family=\"Inter, sans-serif\" font-weight=\"600\"",
        "font-family=\"JetBrains Mono, monospace\"",
        "font-family=\"JetBrains Mono, monospace\" font-weight=\"600\"",
    };
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    add("<text x=\"{}\" y=\"{}\" {} font-size=\"{}\" text-anchor=\"{}\" "
        "xml:space=\"preserve\"{}>{}</text>\n",
        short_number(std::round(t.x)), short_number(std::round(t.baseline())),
        kFonts[static_cast<size_t>(t.weight)], short_number(t.size),
        kAnchors[static_cast<size_t>(t.align)], paint("fill", t.color), escaped(t.string));
  }
  void outlined(const Text& t) {
    std::string path;
    for (const PathStep& s : outlines_of(t, *glyphs_)) {
      switch (s.kind) {
        case PathStep::Kind::move:
          path += "M" + pair(s.to);
          break;
        case PathStep::Kind::line:
          path += "L" + pair(s.to);
          break;
        case PathStep::Kind::curve:
          path += "C" + pair(s.first) + " " + pair(s.second) + " " + pair(s.to);
          break;
        case PathStep::Kind::close:
          path += "Z";
          break;
      }
    }
    if (!path.empty()) add("<path d=\"{}\"{}/>\n", path, paint("fill", t.color));
  }

  const GlyphOutlines* glyphs_;
  std::string text_;
};

}  // namespace

std::vector<PathStep> outlines_of(const Text& text, const GlyphOutlines& glyphs) {
  Text placed = text;
  placed.width = glyphs.width(text.string, text.size, text.weight);
  return glyphs.outlines(text.string, text.size, text.weight,
                         {std::round(placed.left()), std::round(text.baseline())});
}

std::string svg_text(const Scene& scene, const ExportOptions& options,
                     const GlyphOutlines* glyphs) {
  return SvgWriter(glyphs).document(scene, options);
}

}  // namespace tilescope::viz
