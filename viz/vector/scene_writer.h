// Walks a scene for those who write it as text: what is drawn is decided here, how it is said by
// the writer of a format.
#pragma once
#include <vector>

#include "viz/vector/vector.h"

namespace tilescope::viz {

/// What is not seen has an alpha of 0.
struct Paint {
  Color fill{};
  float opacity = 1;  // of the fill, beside its colour's
  Color stroke{};
  float width = 1;
  Dash dash{};
};

class SceneWriter {
 public:
  virtual ~SceneWriter() = default;

 protected:
  void write(const Scene& scene, bool ground);

  /// What follows is cut at the clip of this number, which is not 0, until end_clip().
  virtual void begin_clip(int number, const Box& box) = 0;
  virtual void end_clip() = 0;
  virtual void rect(const Box& box, float radius, const Paint& paint) = 0;
  virtual void polyline(const std::vector<Point>& points, bool closed, const Paint& paint) = 0;
  /// Each two points are one line.
  virtual void segments(const std::vector<Point>& ends, const Paint& paint) = 0;
  virtual void text(const Text& text) = 0;

 private:
  void draw(const Rect& rect);
  void draw(const Line& line);
  void draw(const Polyline& line);
  void draw(const Polygon& polygon);
  void draw(const Text& text);
  void draw(const CellGrid& grid);
  void hatch(const Rect& rect);
  void draw_cell(const CellGrid& grid, int row, int col);

  const Scene* scene_ = nullptr;
};

/// Of a rounded box, at most half its sides.
float corner_radius(const Box& box, float radius);
/// Two digits are a hundredth of a pixel; no zeros at the end.
std::string short_number(float value);

}  // namespace tilescope::viz
