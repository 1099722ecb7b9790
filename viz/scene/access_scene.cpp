#include "viz/scene/access_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"
#include "viz/scene/cells.h"
#include "viz/scene/parts.h"

namespace tilescope::viz {
namespace {

constexpr float kLeastColumn = 150, kLeastAccessRow = 170, kColumnGap = 16;
constexpr float kHeadLines = 34, kIndexLine = 16, kCostLine = 22, kLegendLine = 18;
constexpr float kIndexColumn = 46;  // row numbers, and the whole matrix
constexpr float kWholeSide = 30;
constexpr float kMostCellSide = 26;  // pixels

/// The part of the picture that one matrix has.
Box column_of(int nth, int matrices, Size size) {
  const AccessPlaces places = access_places(matrices, size);
  const auto columns = static_cast<float>(places.columns), rows = static_cast<float>(places.rows);
  const float w = (size.w - kColumnGap * (columns - 1)) / columns;
  const float h = (size.h - kLegendLine) / rows;
  const int row = nth / places.columns;
  return {static_cast<float>(nth % places.columns) * (w + kColumnGap), static_cast<float>(row) * h,
          std::max(0.0f, w), std::max(0.0f, h)};
}

Color access_color(const Palette& p, int operand) {
  return operand < 0 ? p.load : operand_color(p, static_cast<Operand>(operand));
}
Color access_text(const Palette& p, int operand) {
  return operand < 0 ? p.text : operand_text(p, static_cast<Operand>(operand));
}

/// "1,048,575", or shorter where that has no room.
std::string index_text(const SceneBuilder& b, long long index, float room, float size) {
  std::string whole = grouped(index);
  if (b.width(whole, size) <= room || index < 10000) return whole;
  char text[32];
  if (index >= 1'000'000) {
    std::snprintf(text, sizeof text, "%.1fM", static_cast<double>(index) * 1e-6);
  } else {
    std::snprintf(text, sizeof text, "%.0fk", static_cast<double>(index) * 1e-3);
  }
  return text;
}

class MatrixPicture {
 public:
  MatrixPicture(SceneBuilder& b, const AccessState& s, const AccessMatrix& m, Box column, Box box)
      : b_(b),
        p_(b.palette()),
        s_(s),
        m_(m),
        column_(column),
        box_(access_window_box(box, m.shown_rows, m.shown_cols)) {}

  void draw() {
    head();
    if (box_.w < 8 || box_.h < 8) return;
    if (!m_.cells) {
      b_.hatch(box_, fade(access_color(p_, m_.operand), 0.08f), p_.grid, 6);
      b_.wrap(box_.x + 6, box_.y + 14, std::max(20.0f, box_.w - 12), m_.none, {p_.dim, 11}, 14, 4);
      return;
    }
    const Color color = access_color(p_, m_.operand);
    b_.rect(box_, fade(color, 0.14f));
    grid(box_, m_.cell_rows, m_.cell_cols, m_.cells);
    pointed();
    b_.rect(box_, {}, fade(color, 0.7f));
    where();
    marks();
    indices();
    whole();
    cost();
  }

 private:
  void head() {
    const float name =
        b_.text(column_.x, column_.y + 8, m_.name,
                {access_text(p_, m_.operand), 13, Weight::semibold, Align::left, column_.w * 0.6f});
    b_.text(column_.x + name + 8, column_.y + 8, m_.type,
            {p_.dim, 11, Weight::mono, Align::left, std::max(1.0f, column_.w - name - 8)});
    if (m_.cells) {
      b_.text(column_.x, column_.y + 24,
              wording("rows {}, columns {}", range_text(m_.row, m_.row + m_.shown_rows - 1),
                      range_text(m_.col, m_.col + m_.shown_cols - 1)),
              {p_.dim, 11, Weight::regular, Align::left, column_.w});
    }
  }

  void grid(Box box, int rows, int cols, const CellsPointer& cells) {
    if (rows <= 0 || cols <= 0 || !cells) return;
    CellGrid g;
    g.box = box;
    g.rows = rows, g.columns = cols;
    g.cells = *cells;
    g.color = s_.color;
    g.strength = 0.9f;
    const float side = std::min(box.w / static_cast<float>(cols), box.h / static_cast<float>(rows));
    g.line_width = side >= 5 ? 1 : 0;
    b_.cells(std::move(g));
  }

  /// What is hovered elsewhere, over the cells as they are.
  void pointed() {
    if (!m_.pointed || m_.pointed_part.rows <= 0) return;
    CellGrid g;
    g.box = box_;
    g.rows = m_.cell_rows, g.columns = m_.cell_cols;
    g.cells = *m_.pointed;
    g.color = CellColor::solid;
    g.base = p_.select;
    g.opacity = 0.6f;
    g.line_width = 0;
    b_.cells(std::move(g));
  }

  /// Tells the pointer the element, also where nobody touches it.
  void where() {
    CellGrid g;
    g.box = box_;
    g.rows = static_cast<int>(m_.shown_rows), g.columns = static_cast<int>(m_.shown_cols);
    g.pick_mode = CellPick::element;
    g.color = CellColor::solid;
    g.pick.kind = Pick::Kind::element;
    g.pick.value = m_.number;
    g.pick.row = static_cast<int>(m_.row), g.pick.col = static_cast<int>(m_.col);
    b_.add(std::move(g));
  }

  /// Elements of the window; empty if they lie outside of it.
  Box part(long long row, long long col, long long rows, long long cols) const {
    const auto place = [](long long first, long long from, long long all, float begin,
                          float extent) {
      const double share = std::clamp(
          static_cast<double>(from - first) / static_cast<double>(std::max(1LL, all)), 0.0, 1.0);
      return begin + static_cast<float>(share) * extent;
    };
    const float x = place(m_.col, col, m_.shown_cols, box_.x, box_.w);
    const float y = place(m_.row, row, m_.shown_rows, box_.y, box_.h);
    return {x, y, place(m_.col, col + cols, m_.shown_cols, box_.x, box_.w) - x,
            place(m_.row, row + rows, m_.shown_rows, box_.y, box_.h) - y};
  }
  bool is_inside(long long row, long long col) const {
    return row >= m_.row && col >= m_.col && row < m_.row + m_.shown_rows &&
           col < m_.col + m_.shown_cols;
  }
  static Box at_least(Box box, float side) {
    const float more_w = std::max(0.0f, side - box.w), more_h = std::max(0.0f, side - box.h);
    return {box.x - more_w / 2, box.y - more_h / 2, box.w + more_w, box.h + more_h};
  }

  void marks() {
    b_.push_clip(box_.grown(4));
    const auto ring = [&](const AccessPart& of, auto draw) {
      if (of.rows <= 0) return;
      const Box box = part(of.row, of.col, of.rows, of.cols);
      if (box.w > 0 && box.h > 0) draw(at_least(box, 4));
    };
    ring(m_.lit, [&](const Box& box) { b_.cell_ring(box, true); });
    ring(m_.pointed_part, [&](const Box& box) { b_.hover_ring(box); });
    if (is_inside(m_.chosen_row, m_.chosen_col)) {
      b_.cell_ring(at_least(part(m_.chosen_row, m_.chosen_col, 1, 1), 6), true);
    }
    if (is_inside(m_.hover_row, m_.hover_col)) {
      b_.hover_ring(at_least(part(m_.hover_row, m_.hover_col, 1, 1), 6));
    }
    b_.pop_clip();
  }

  void indices() {
    const float room = kIndexColumn - 8;
    const auto number = [&](float x, float y, long long index, Align align, float most) {
      b_.text(x, y, index_text(b_, index, most, 10), {p_.dim, 10, Weight::regular, align, most});
    };
    number(box_.x - 5, box_.y + 5, m_.row, Align::right, room);
    if (m_.shown_rows > 1 && box_.h >= 30) {
      number(box_.x - 5, box_.bottom() - 5, m_.row + m_.shown_rows - 1, Align::right, room);
    }
    const float y = box_.bottom() + 9, half = box_.w / 2 - 4;
    if (half < 12) return;
    number(box_.x, y, m_.col, Align::left, half);
    if (m_.shown_cols > 1) {
      number(box_.right(), y, m_.col + m_.shown_cols - 1, Align::right, half);
    }
  }

  /// Where the window lies; nothing where it is all.
  void whole() {
    const bool all = m_.shown_rows == m_.rows && m_.shown_cols == m_.cols;
    if (all || box_.h < 90 || m_.rows <= 0 || m_.cols <= 0) return;
    const double ratio = static_cast<double>(m_.cols) / static_cast<double>(m_.rows);
    const float w =
        ratio >= 1 ? kWholeSide : std::max(4.0f, kWholeSide * static_cast<float>(ratio));
    const float h =
        ratio >= 1 ? std::max(4.0f, kWholeSide / static_cast<float>(ratio)) : kWholeSide;
    const Box box{column_.x + 2, box_.y + box_.h / 2 - h / 2 - 6, w, h};
    const Color color = access_color(p_, m_.operand);
    b_.rect(box, fade(color, 0.14f));
    Pick pick;
    pick.kind = Pick::Kind::level, pick.value = m_.number;
    b_.pickable(pick);
    grid(box, m_.whole_rows, m_.whole_cols, m_.whole);
    b_.rect(box, {}, fade(color, 0.7f));
    const auto share = [](long long part, long long of) {
      return static_cast<float>(static_cast<double>(part) / static_cast<double>(of));
    };
    const Box window{box.x + share(m_.col, m_.cols) * w, box.y + share(m_.row, m_.rows) * h,
                     share(m_.shown_cols, m_.cols) * w, share(m_.shown_rows, m_.rows) * h};
    b_.rect(at_least(window, 4), {}, p_.select, 0, 1);
    b_.text(column_.x + 2, box.bottom() + 9, "whole", {p_.dim, 10});
  }

  void cost() {
    const float y = column_.bottom() - kCostLine / 2 - 2;
    if (m_.cost.empty() || column_.h < 110) return;
    const Color ink = m_.costly ? p_.warning : p_.ok;
    const float line = std::min(b_.width(m_.line, 11, Weight::mono), column_.w * 0.4f);
    b_.text(column_.x, y, m_.line, {p_.text, 11, Weight::mono, Align::left, line + 0.5f});
    const float most = column_.w - line - 36;
    const std::string& text = b_.width(m_.cost, 11) <= most ? m_.cost : m_.cost_short;
    const float words = std::min(b_.width(text, 11), most);
    if (words < 30) return;
    const Box badge{column_.right() - words - 24, y - 8, words + 24, 16};
    b_.rect(badge, fade(ink, 0.12f), fade(ink, 0.6f), 3);
    Pick pick;
    pick.kind = Pick::Kind::event, pick.value = m_.number, pick.event = m_.instruction;
    if (m_.code_line > 0) pick.line = m_.code_line;
    b_.pickable(pick);
    const Point mark{badge.x + 10, y};
    if (m_.costly) {
      b_.triangle(mark, 8, Way::up, ink);
    } else {
      b_.tick(mark, 5, ink, 1.5f);
    }
    b_.text(badge.x + 18, y, text, {ink, 11, Weight::regular, Align::left, words + 0.5f});
  }

  SceneBuilder& b_;
  const Palette& p_;
  const AccessState& s_;
  const AccessMatrix& m_;
  Box column_, box_;
};

/// What the colours say.
void draw_access_legend(SceneBuilder& b, const AccessState& s, Size size) {
  const Palette& p = b.palette();
  const float y = size.h - kLegendLine / 2;
  float x = b.text(0, y, s.what, {p.dim, 10, Weight::regular, Align::left, size.w * 0.5f}) + 8;
  const float ends = b.width(s.low, 10) + b.width(s.high, 10) + 16;
  const float strip = std::min(130.0f, size.w - x - ends);
  if (strip < 32) return;
  x += b.text(x, y, s.low, {p.dim, 10}) + 5;
  constexpr int kSteps = 32;
  const float step = strip / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const Color color =
        s.color == CellColor::lanes ? p.lane(i) : viridis((static_cast<float>(i) + 0.5f) / kSteps);
    b.rect({x + step * static_cast<float>(i), y - 4, step, 8}, color);
  }
  b.text(x + strip + 5, y, s.high, {p.dim, 10});
}

}  // namespace

AccessPlaces access_places(int matrices, Size size) {
  const auto fit = [](float room, float least) {
    return std::max(1, static_cast<int>(room / least));
  };
  AccessPlaces places;
  places.columns = std::clamp(fit(size.w + kColumnGap, kLeastColumn), 1, std::max(1, matrices));
  const int needed = ceil_div(std::max(1, matrices), places.columns);
  places.rows = std::clamp(fit(size.h, kLeastAccessRow), 1, needed);
  // As many in each row.
  if (places.count() >= matrices) places.columns = ceil_div(std::max(1, matrices), places.rows);
  return places;
}

Box access_box(int nth, int matrices, Size size) {
  const Box column = column_of(nth, matrices, size);
  const float below = kIndexLine + (column.h < 110 ? 0 : kCostLine);
  return {column.x + kIndexColumn, column.y + kHeadLines, std::max(0.0f, column.w - kIndexColumn),
          std::max(0.0f, column.h - kHeadLines - below)};
}

Box access_window_box(Box box, long long rows, long long cols) {
  const auto side = [](long long cells, float room) {
    return std::floor(std::min(room, static_cast<float>(std::max(1LL, cells)) * kMostCellSide));
  };
  return {std::floor(box.x), std::floor(box.y), side(cols, box.w), side(rows, box.h)};
}

Scene build_access(const AccessState& s, const Palette& palette, const TextMeasure& measure,
                   Size size) {
  SceneBuilder b(size, palette, measure);
  const int count = static_cast<int>(s.matrices.size());
  const int shown = std::min(count, access_places(count, size).count());
  for (int i = 0; i < shown; ++i) {
    const AccessMatrix& m = s.matrices[static_cast<size_t>(i)];
    MatrixPicture(b, s, m, column_of(i, count, size), access_box(i, count, size)).draw();
  }
  sign_picked(b, s.marks);
  if (count > 0) {
    draw_access_legend(b, s, size);
  } else {
    b.wrap(8, 16, std::max(40.0f, size.w - 16), s.what, {palette.dim, 12}, 16);
  }
  return b.finish();
}

}  // namespace tilescope::viz
