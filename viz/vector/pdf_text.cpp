#include "viz/vector/pdf_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <iterator>
#include <set>

#include "viz/vector/scene_writer.h"

namespace tilescope::viz {
namespace {

/// Of a circle's quarter as a cubic curve: how far its control points lie along the tangents.
constexpr float kArc = 0.5523f;

std::string deflated(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
           static_cast<uLong>(text.size()));
  out.resize(size);
  return out;
}

/// What a page shows, as PDF's operators (ISO 32000-1, 8 and 11).
class PageContent final : public SceneWriter {
 public:
  explicit PageContent(const GlyphOutlines& glyphs) : glyphs_(glyphs) {}

  void draw_all(const Scene& scene, bool ground) { write(scene, ground); }
  const std::string& operators() const { return text_; }
  /// The opacities that it names, 0 to 255.
  const std::set<int>& opacities() const { return opacities_; }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }
  static std::string n(float v) { return short_number(v); }
  static std::string at(Point p) { return n(p.x) + " " + n(p.y); }
  static std::string color(Color c) {
    const auto part = [](uint8_t v) { return fmt::format("{:.3f}", static_cast<float>(v) / 255); };
    return part(c.r) + " " + part(c.g) + " " + part(c.b);
  }

  void opacity(float alpha) {
    const int now = static_cast<int>(std::lround(alpha * 255));
    opacities_.insert(now);
    add("/a{} gs ", now);
  }
  /// `path` is said once for the fill and once for the stroke, as they differ in opacity.
  template <class Path>
  void painted(const Paint& paint, const Path& path) {
    if (paint.fill.a != 0) {
      opacity(static_cast<float>(paint.fill.a) / 255 * paint.opacity);
      add("{} rg ", color(paint.fill));
      path();
      add("f\n");
    }
    if (paint.stroke.a == 0) return;
    opacity(static_cast<float>(paint.stroke.a) / 255);
    add("{} RG {} w ", color(paint.stroke), n(paint.width));
    const bool dashed = paint.dash.on > 0;
    if (dashed) add("[{} {}] 0 d ", n(paint.dash.on), n(paint.dash.off));
    path();
    text_ += dashed ? "S [] 0 d\n" : "S\n";
  }

  void begin_clip(int, const Box& b) override {
    add("q {} {} {} {} re W n\n", n(b.x), n(b.y), n(b.w), n(b.h));
  }
  void end_clip() override { add("Q\n"); }
  void rect(const Box& b, float radius, const Paint& paint) override {
    const float r = corner_radius(b, radius);
    if (r <= 0) {
      return painted(paint, [&] { add("{} {} {} {} re ", n(b.x), n(b.y), n(b.w), n(b.h)); });
    }
    const float k = r * (1 - kArc), x0 = b.x, y0 = b.y, x1 = b.right(), y1 = b.bottom();
    const auto corner = [&](Point to, Point first, Point second, Point end) {
      add("{} l {} {} {} c ", at(to), at(first), at(second), at(end));
    };
    painted(paint, [&] {
      add("{} m ", at({x0 + r, y0}));
      corner({x1 - r, y0}, {x1 - k, y0}, {x1, y0 + k}, {x1, y0 + r});
      corner({x1, y1 - r}, {x1, y1 - k}, {x1 - k, y1}, {x1 - r, y1});
      corner({x0 + r, y1}, {x0 + k, y1}, {x0, y1 - k}, {x0, y1 - r});
      corner({x0, y0 + r}, {x0, y0 + k}, {x0 + k, y0}, {x0 + r, y0});
      add("h ");
    });
  }
  void polyline(const std::vector<Point>& points, bool closed, const Paint& paint) override {
    if (points.empty()) return;
    painted(paint, [&] {
      for (size_t i = 0; i < points.size(); ++i) add("{} {} ", at(points[i]), i == 0 ? "m" : "l");
      if (closed) add("h ");
    });
  }
  void segments(const std::vector<Point>& ends, const Paint& paint) override {
    painted(paint, [&] {
      for (size_t i = 0; i + 1 < ends.size(); i += 2) {
        add("{} m {} l ", at(ends[i]), at(ends[i + 1]));
      }
    });
  }
  void text(const Text& t) override {
    const std::vector<PathStep> steps = outlines_of(t, glyphs_);
    if (steps.empty()) return;
    painted({.fill = t.color}, [&] {
      for (const PathStep& s : steps) {
        switch (s.kind) {
          case PathStep::Kind::move:
            add("{} m ", at(s.to));
            break;
          case PathStep::Kind::line:
            add("{} l ", at(s.to));
            break;
          case PathStep::Kind::curve:
            add("{} {} {} c ", at(s.first), at(s.second), at(s.to));
            break;
          case PathStep::Kind::close:
            add("h ");
            break;
        }
      }
    });
  }

  const GlyphOutlines& glyphs_;
  std::string text_;
  std::set<int> opacities_;
};

/// Numbered objects and the table of where they are.
class Objects {
 public:
  Objects() : text_("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n") {}
  void add(const std::string& object) {
    places_.push_back(text_.size());
    text_ += fmt::format("{} 0 obj\n{}\nendobj\n", places_.size(), object);
  }
  std::string document(int catalog) {
    const size_t table = text_.size();
    text_ += fmt::format("xref\n0 {}\n0000000000 65535 f \n", places_.size() + 1);
    for (const size_t place : places_) text_ += fmt::format("{:010} 00000 n \n", place);
    text_ += fmt::format("trailer\n<< /Size {} /Root {} 0 R >>\nstartxref\n{}\n%%EOF\n",
                         places_.size() + 1, catalog, table);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::vector<size_t> places_;
};

}  // namespace

std::string pdf_text(const Scene& scene, const ExportOptions& options,
                     const GlyphOutlines& glyphs) {
  PageContent content(glyphs);
  content.draw_all(scene, options.ground);
  std::string states;
  for (const int alpha : content.opacities()) {
    const std::string part = fmt::format("{:.3f}", alpha / 255.0);
    states += fmt::format("/a{} << /ca {} /CA {} >> ", alpha, part, part);
  }
  const float w = std::ceil(scene.size.w * options.scale);
  const float h = std::ceil(scene.size.h * options.scale);
  // PDF's y goes up.
  const std::string stream =
      deflated(fmt::format("{} 0 0 -{} 0 {} cm\n", short_number(options.scale),
                           short_number(options.scale), short_number(h)) +
               content.operators());
  Objects objects;
  objects.add("<< /Type /Catalog /Pages 2 0 R >>");
  objects.add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
  objects.add(
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R "
                  "/Resources << /ExtGState << {}>> >> >>",
                  short_number(w), short_number(h), states));
  objects.add(fmt::format("<< /Length {} /Filter /FlateDecode >>\nstream\n", stream.size()) +
              stream + "\nendstream");
  return objects.document(1);
}

}  // namespace tilescope::viz
