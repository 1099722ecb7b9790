// Writes primitives into a Scene: the few drawing words that all scenes share.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/language/language.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

struct TextStyle {
  Color color;
  float size = 12;
  Weight weight = Weight::regular;
  Align align = Align::left;
  float max_width = 0;  // 0: no limit
};
struct TextRun {
  std::string string;
  Color color;
  Weight weight = Weight::regular;
};

/// Which way a small triangle points.
enum class Way { up, down, left, right };

class SceneBuilder {
 public:
  SceneBuilder(Size size, const Palette& palette, const TextMeasure& measure);

  const Palette& palette() const { return scene_.palette; }
  const TextMeasure& measure() const { return measure_; }
  Box clip() const { return scene_.clips[static_cast<size_t>(clip_)]; }

  void rect(Box box, Color fill, Color stroke = {}, float radius = 0, float stroke_width = 1);
  void add(Shape shape);
  void line(Point from, Point to, Color color, float width = 1, Dash dash = {});
  void polygon(std::vector<Point> points, Color fill, Color stroke = {}, float stroke_width = 1);
  void circle(Point center, float radius, Color fill, Color stroke = {}, float stroke_width = 1.5f);
  void dashed(Box box, Color color);
  void hatch(Box box, Color ground, Color lines, float step = 4);
  void triangle(Point center, float size, Way way, Color color);
  void tick(Point center, float size, Color color, float width = 1.8f);
  /// A selection: an achromatic ring with a halo just outside the box.
  void ring(Box box, float width = 2, bool halo = true);
  /// The same for one cell of many.
  void cell_ring(Box box, bool bold);
  /// A hover: thin, the same at every level.
  void hover_ring(Box box);
  /// The cells and their labels.
  void cells(CellGrid grid);

  float width(std::string_view text, float size, Weight weight = Weight::regular) const {
    return measure_.width(translated(text), size, weight);
  }
  /// Returns the width drawn. Shortens with "…" if there is a limit.
  float text(float x, float y, std::string_view string, const TextStyle& style);
  /// Several colours on one line; the whole is shortened at max_width. Returns the end.
  float runs(float x, float y, const std::vector<TextRun>& parts, float size, float max_width = 0);
  float runs_width(const std::vector<TextRun>& parts, float size) const;
  /// Breaks at spaces; returns the number of lines. At most max_lines, the last one shortened.
  int wrap(float x, float y, float width, std::string_view string, const TextStyle& style,
           float line_height, int max_lines = 8);
  /// The longest of these that fits; the last one is shortened if none does.
  float text_that_fits(float x, float y, std::initializer_list<std::string_view> choices,
                       const TextStyle& style);

  /// The pointer on the last primitive means this.
  void pickable(const Pick& pick);

  void push_clip(Box box);
  void pop_clip();
  /// Multiplies the opacity of what follows; returns what it was.
  float set_opacity(float opacity);
  float opacity() const { return opacity_; }
  /// Switches text off, for pictures in motion; returns what it was.
  bool set_texts(bool on);

  /// As far as it is drawn.
  const Scene& scene() const { return scene_; }
  Scene finish() { return std::move(scene_); }

 private:
  Color faded(Color c) const { return opacity_ == 1 ? c : fade(c, opacity_); }
  void push(Shape shape);

  Scene scene_;
  const TextMeasure& measure_;
  std::vector<int> clip_stack_;
  int clip_ = 0;
  float opacity_ = 1;
  bool texts_ = true;
};

/// A picture of one sentence: why there is nothing to draw.
Scene build_sentence(const std::string& sentence, const Palette& palette,
                     const TextMeasure& measure, Size size);

/// 232448 → "232,448".
std::string grouped(long long value);
/// At most four digits: "309.2", "1,896", "0.03125".
std::string figure(double value);
/// "464–479", or "464" if there is but one.
std::string range_text(long long first, long long last);

}  // namespace tilescope::viz
