// A picture as data: a flat list of primitives in panel pixels, drawn by viz/gl and the window, or
// by viz/vector into SVG, PDF and PNG. Painted in order, the last on top.
//
// Coordinates are pixels at scale 1 from the panel's upper left corner; a window at 200 %
// multiplies everything, text sizes included.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/layout/hierarchy.h"

#include "viz/scene/palette.h"

namespace tilescope::viz {

struct Size {
  float w = 0, h = 0;
  constexpr bool operator==(const Size&) const = default;
};
struct Point {
  float x = 0, y = 0;
  constexpr bool operator==(const Point&) const = default;
};
struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  constexpr float right() const { return x + w; }
  constexpr float bottom() const { return y + h; }
  constexpr bool contains(float px, float py) const {
    return px >= x && px < right() && py >= y && py < bottom();
  }
  constexpr Box grown(float by) const { return {x - by, y - by, w + 2 * by, h + 2 * by}; }
};

/// Lengths of stroke and gap; solid if `on` is 0.
struct Dash {
  float on = 0, off = 0;
};

/// The stroke lies inside the box. A circle is a Rect whose radius is half its side.
struct Rect {
  Box box;
  Color fill, stroke;
  float stroke_width = 1;
  float radius = 0;
  Dash dash;
  Color hatch;  // diagonal lines over the fill
  float hatch_step = 4;
};
struct Line {
  Point from, to;
  Color color;
  float width = 1;
  Dash dash;
};
struct Polyline {
  std::vector<Point> points;
  Color color;
  float width = 1;
  Dash dash;
};
/// Convex, clockwise as seen.
struct Polygon {
  std::vector<Point> points;
  Color fill, stroke;
  float stroke_width = 1;
};

enum class Weight : uint8_t { regular, semibold, mono, mono_semibold };
enum class Align : uint8_t { left, center, right };

/// One line of text. `size` is the em in pixels (where a font's size means the height of a line,
/// that is 1.21 em for Inter and 1.32 em for JetBrains Mono); y is the middle of the capitals,
/// which are kCapHeight of the size tall, so the baseline is at y + kCapHeight * size / 2.
struct Text {
  static constexpr float kCapHeight = 0.727f;
  std::string string;  // as drawn: shortened with "…" if it had to be
  std::string full;    // what it was before, for a tooltip; empty if not shortened
  float x = 0, y = 0;  // x: the left end, middle or right end as `align` says
  float size = 13;
  Weight weight = Weight::regular;
  Align align = Align::left;
  Color color;
  float width = 0;  // as measured

  float left() const {
    return align == Align::left ? x : align == Align::center ? x - width / 2 : x - width;
  }
  float baseline() const { return y + kCapHeight * size / 2; }
};

/// What the pointer is on. Fields that do not apply are −1.
struct Pick {
  enum class Kind : uint8_t {
    nothing,
    level,
    element,
    cta,
    warp,
    mma,
    lane,
    reg,
    stage,
    k_slice,
    event,
    epoch,
    chunk,
    point
  };
  Kind kind = Kind::nothing;
  Level level = Level::grid;
  int8_t matrix = -1;      // 0 A, 1 B, 2 C
  int row = -1, col = -1;  // of the matrix itself, not of a tile
  int cta_row = -1, cta_col = -1;
  int cta_z = 0;  // of a launch without a plan
  int warp = -1;
  int mma_m = -1, mma_n = -1;
  int lane = -1;   // of the warp
  int value = -1;  // of the lane's fragment of `matrix`
  int reg = -1;    // register that holds the value
  int stage = -1;
  int k_slice = -1;
  int event = -1;  // index into the caller's list of events
  int line = -1;   // of the kernel's text, that the event or the instruction stands on
  bool operator==(const Pick&) const = default;
};

enum class CellColor : uint8_t { lanes, viridis, solid };
enum class CellLabels : uint8_t {
  none,
  thread,        // T# once per run; the number alone where that is too wide
  thread_value,  // T# once per run, V# in each cell
  value,         // V# in each cell
};
/// What a cell's column and row mean to Pick.
enum class CellPick : uint8_t { none, element, cta, mma, k_slice };

/// A field of equal cells: one texel each, so that a million of them draw in a few milliseconds.
/// Without cells nothing is drawn: the grid then only tells the pointer where it is.
struct CellGrid {
  Box box;  // of all cells together
  int columns = 0, rows = 0;
  std::vector<uint32_t> cells;  // row by row; see viz/scene/cells.h for the bits
  /// Two grids with the same number, not 0, have the same cells, so that a renderer need not
  /// compare millions of them. Set by SceneBuilder; code that changes cells afterwards sets it to
  /// 0.
  uint64_t version = 0;
  CellColor color = CellColor::lanes;
  Color base;                         // CellColor::solid
  float strength = 1;                 // of ordinary cells, towards the panel's ground
  float strong = 1;                   // of cells with kCellStrong
  float opacity = 1;                  // of the whole grid
  int run_columns = 1, run_rows = 1;  // cells of one thread that lie together
  Color line;                         // between runs, at their right and lower edges
  float line_width = 1;               // 0: none
  bool ticks = false;                 // a corner tick in each run says lane % 4
  // Asked of SceneBuilder::cells(), which puts the labels into the scene as texts of their own and
  // leaves `none` here.
  CellLabels labels = CellLabels::none;
  float label_size = 9;
  bool inner_lines = false;  // faint lines between the cells of a run
  CellPick pick_mode = CellPick::none;
  Pick pick;  // of the first cell
  int pick_columns = 0,
      pick_rows = 0;  // places across the box if a cell stands for several; 0: cells
  std::vector<int> pick_row_list, pick_col_list;  // matrix rows and columns if not consecutive
};

using Shape = std::variant<Rect, Line, Polyline, Polygon, Text, CellGrid>;
struct Primitive {
  Shape shape;
  int clip = 0;   // index into Scene::clips
  int pick = -1;  // index into Scene::picks; −1: the pointer sees through it
};

struct Scene {
  Size size;
  Palette palette;
  std::vector<Box> clips;  // the first is the whole panel
  std::vector<Pick> picks;
  std::vector<Primitive> primitives;
};

/// Measures text as the target will draw it.
class TextMeasure {
 public:
  virtual ~TextMeasure() = default;
  virtual float width(std::string_view text, float size, Weight weight) const = 0;
};
/// The same width for every character: for tests and golden dumps.
class FixedMeasure : public TextMeasure {
 public:
  explicit FixedMeasure(float ems = 0.58f) : ems_(ems) {}
  float width(std::string_view text, float size, Weight weight) const override;

 private:
  float ems_;
};

/// The topmost thing at a place.
std::optional<Pick> pick(const Scene& scene, float x, float y);
/// Where a cell of a grid lies, edges on whole pixels.
Box cell_box(const CellGrid& grid, int row, int col);

/// The scene as text, one line per primitive, the same on every machine: for golden files and
/// diffs.
std::string to_text(const Scene& scene);

struct TextProblem {
  enum class Kind { clipped, overlap } kind;
  std::string first, second;  // second: the other text of an overlap
  float x = 0, y = 0;
};
std::string to_string(const TextProblem& problem);
/// Texts that leave their clip or touch another text.
std::vector<TextProblem> find_text_problems(const Scene& scene);

}  // namespace tilescope::viz
