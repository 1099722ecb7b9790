#include "viz/scene/tiling/observed_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace observed {
namespace {

constexpr float kMargin = 10, kTitle = 38;  // above each picture two lines
constexpr float kLeastPicture = 60;

std::string size_words(int rows, int cols) { return grouped(rows) + " × " + grouped(cols); }

/// Into a pick: which CTA, by its number in the order of the launch.
void put_cta(const Observed& o, int cta, Pick& pick) {
  const int row = std::max(1, o.grid_x), layer = row * std::max(1, o.grid_y);
  pick.cta_col = cta % row;
  pick.cta_row = cta % layer / row;
  pick.cta_z = cta / layer;
}

/// x, y of blockIdx, and z where the grid has more than one.
std::string cta_words(const Observed& o, int cta) {
  Pick at;
  put_cta(o, cta, at);
  std::string words = "CTA " + std::to_string(at.cta_col) + "," + std::to_string(at.cta_row);
  return o.grid_z > 1 ? words + "," + std::to_string(at.cta_z) : words;
}

/// The largest box of these proportions in a place, with room for the titles.
Box fitted(const Box& place, int rows, int cols) {
  const float w = std::max(1.0f, place.w), h = std::max(1.0f, place.h - kTitle);
  const float scale = std::min(w / static_cast<float>(std::max(1, cols)),
                               h / static_cast<float>(std::max(1, rows)));
  // A skinny matrix is still to be seen.
  return {place.x, place.y + kTitle, std::max(6.0f, std::floor(scale * static_cast<float>(cols))),
          std::max(6.0f, std::floor(scale * static_cast<float>(rows)))};
}

void draw_titles(SceneBuilder& b, const Box& place, const std::string& first,
                 const std::string& second) {
  const Palette& p = b.palette();
  TextStyle title{p.text, 12, Weight::semibold};
  title.max_width = place.w;
  b.text(place.x, place.y + 8, first, title);
  TextStyle note{p.dim, 11};
  note.max_width = place.w;
  b.text(place.x, place.y + 24, second, note);
}

Pick cta_pick(const Observed& o, const Observed::Part& part) {
  Pick pick;
  pick.kind = Pick::Kind::cta;
  pick.level = Level::grid;
  pick.matrix = 2;
  put_cta(o, part.cta, pick);
  return pick;
}

/// A CTA's number in the middle of what it stores, where there is room: CTAs may share elements.
void label_part(SceneBuilder& b, const Box& at, const std::string& number,
                std::vector<Box>& labels) {
  constexpr float kSize = 11, kGap = 4;
  const float width = b.width(number, kSize) + 2 * kGap;
  if (at.w < width || at.h < kSize + kGap) return;
  const Box own{at.x + (at.w - width) / 2, at.y + at.h / 2 - kSize, width, 2 * kSize};
  const bool taken = std::ranges::any_of(labels, [&](const Box& other) {
    return own.x < other.right() && other.x < own.right() && own.y < other.bottom() &&
           other.y < own.bottom();
  });
  if (taken) return;
  labels.push_back(own);
  b.text(at.x + at.w / 2, at.y + at.h / 2, number,
         {b.palette().text, kSize, Weight::regular, Align::center});
}

/// The matrix, shaded by the order in which CTAs are launched.
void draw_grid(SceneBuilder& b, const ObservedState& s, const Box& place) {
  const Observed& o = *s.seen;
  const Palette& p = b.palette();
  const Box box = fitted(place, o.rows, o.cols);
  const std::string ctas = grouped(static_cast<long long>(o.ctas)),
                    of_ctas = grouped(static_cast<long long>(o.of_ctas));
  draw_titles(b, place, wording("Grid: {} {}", o.name, size_words(o.rows, o.cols)),
              o.ctas < o.of_ctas
                  ? wording("observed: who stores what, {} of {} CTAs", ctas, of_ctas)
                  : wording("observed: who stores what, all {} CTAs", of_ctas));
  b.rect(box, p.frame, p.border);
  const float sx = box.w / static_cast<float>(std::max(1, o.cols));
  const float sy = box.h / static_cast<float>(std::max(1, o.rows));
  const auto place_of = [&](const Observed::Part& part) {
    const float x = box.x + std::round(static_cast<float>(part.col) * sx);
    const float y = box.y + std::round(static_cast<float>(part.row) * sy);
    const float right = box.x + std::round(static_cast<float>(part.col + part.cols) * sx);
    const float bottom = box.y + std::round(static_cast<float>(part.row + part.rows) * sy);
    return Box{x, y, std::max(1.0f, right - x), std::max(1.0f, bottom - y)};
  };
  std::vector<Box> labels;
  const auto last = static_cast<float>(std::max<uint64_t>(1, o.of_ctas));
  for (const Observed::Part& part : o.parts) {
    const float order = 0.25f + 0.6f * static_cast<float>(part.cta) / last;
    const Box at = place_of(part);
    b.rect(at, mix(p.panel, p.c, order), at.w > 4 && at.h > 4 ? p.panel : Color{});
    b.pickable(cta_pick(o, part));
    label_part(b, at, grouped(part.cta), labels);
  }
  for (const Observed::Part& part : o.parts) {
    const bool hovered = s.hover && *s.hover == cta_pick(o, part);
    if (part.cta == o.cta) b.ring(place_of(part), 2, false);
    if (hovered) b.hover_ring(place_of(part));
  }
}

/// What one CTA stores, a cell per element, in the colours of lanes; the selected warp stands out.
void draw_threads(SceneBuilder& b, const ObservedState& s, const Box& place) {
  const Observed& o = *s.seen;
  const Palette& p = b.palette();
  const Box box = fitted(place, o.box.rows, o.box.cols);
  const std::string where =
      o.box.rows > 0
          ? wording("rows {}, columns {}", range_text(o.box.row, o.box.row + o.box.rows - 1),
                    range_text(o.box.col, o.box.col + o.box.cols - 1))
          : wording("it stores nothing to {}", o.name);
  const std::string note = o.box.rows == 0 ? tr("choose another CTA")
                           : o.threads.empty()
                               ? tr("observed: too large a box to tell its threads")
                               : wording("observed: colour = lane, bright = warp {}", s.warp);
  draw_titles(b, place, cta_words(o, o.cta) + ": " + where, note);
  if (o.box.rows <= 0 || o.box.cols <= 0) return;
  b.rect(box, p.frame, p.border);
  Pick first;
  first.kind = Pick::Kind::element;
  first.level = Level::cta;
  first.matrix = 2;
  first.row = o.box.row, first.col = o.box.col;
  put_cta(o, o.cta, first);
  CellGrid cells;
  cells.box = box;
  cells.columns = o.box.cols, cells.rows = o.box.rows;
  cells.pick_mode = CellPick::element;
  cells.pick = first;
  cells.color = CellColor::lanes;
  cells.strength = 0.35f, cells.strong = 1;
  cells.line = p.panel;
  cells.line_width = box.w / static_cast<float>(o.box.cols) >= 5 ? 1.0f : 0.0f;
  for (const int thread : o.threads) {
    if (thread < 0) {
      cells.cells.push_back(kCellEmpty);
    } else {
      cells.cells.push_back(pack_cell(thread, 0) | (thread / 32 == s.warp ? kCellStrong : 0u));
    }
  }
  b.cells(cells);
  const float w = box.w / static_cast<float>(o.box.cols),
              h = box.h / static_cast<float>(o.box.rows);
  const auto cell = [&](int row, int col) {
    return Box{box.x + static_cast<float>(col) * w, box.y + static_cast<float>(row) * h,
               std::max(2.0f, w), std::max(2.0f, h)};
  };
  const int chosen = 32 * s.warp + s.lane;
  constexpr int kMostRings = 512;
  int rings = 0;
  for (size_t i = 0; i < o.threads.size() && rings < kMostRings; ++i) {
    if (o.threads[i] != chosen) continue;
    const auto at = static_cast<int>(i);
    b.cell_ring(cell(at / o.box.cols, at % o.box.cols), false);
    ++rings;
  }
  if (s.hover && s.hover->kind == Pick::Kind::element && s.hover->matrix == 2) {
    const int row = s.hover->row - o.box.row, col = s.hover->col - o.box.col;
    if (row >= 0 && col >= 0 && row < o.box.rows && col < o.box.cols) b.hover_ring(cell(row, col));
  }
}

}  // namespace
}  // namespace observed

int Observed::thread_at(int row, int col) const {
  const int r = row - box.row, c = col - box.col;
  if (r < 0 || c < 0 || r >= box.rows || c >= box.cols || threads.empty()) return -1;
  return threads.at(static_cast<size_t>(r) * static_cast<size_t>(box.cols) +
                    static_cast<size_t>(c));
}

Scene build_observed(const ObservedState& s, const Palette& palette, const TextMeasure& measure,
                     Size size) {
  SceneBuilder b(size, palette, measure);
  if (!s.seen) {
    const TextStyle style{palette.dim, 12, Weight::regular, Align::center};
    b.wrap(size.w / 2, size.h / 2, std::max(40.0f, size.w - 2 * observed::kMargin), s.empty_reason,
           style, 16);
    return b.finish();
  }
  const bool beside = size.w >= size.h;
  const float w = beside ? (size.w - 3 * observed::kMargin) / 2 : size.w - 2 * observed::kMargin;
  const float h = beside ? size.h - 2 * observed::kMargin : (size.h - 3 * observed::kMargin) / 2;
  if (w < observed::kLeastPicture || h < observed::kLeastPicture + observed::kTitle) {
    observed::draw_grid(b, s,
                        {observed::kMargin, observed::kMargin, size.w - 2 * observed::kMargin,
                         size.h - 2 * observed::kMargin});
    return b.finish();
  }
  observed::draw_grid(b, s, {observed::kMargin, observed::kMargin, w, h});
  observed::draw_threads(b, s,
                         beside ? Box{2 * observed::kMargin + w, observed::kMargin, w, h}
                                : Box{observed::kMargin, 2 * observed::kMargin + h, w, h});
  return b.finish();
}

}  // namespace tilescope::viz
