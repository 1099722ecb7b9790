#include "viz/scene/l2_scene.h"

#include <algorithm>
#include <cmath>

#include "viz/scene/builder.h"

namespace tilescope::viz {
namespace {

constexpr float kTitleHeight = 18, kLegendHeight = 16, kFactHeight = 14;
constexpr float kLeastCell = 4;  // pixels; smaller ones are drawn together
constexpr float kBeside = 480;   // from this width on the curve stands beside the tiles
constexpr float kLow = 220;      // a lower picture is a strip
constexpr float kCurve = 90;     // its least height

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

/// Tiles that share a cell.
struct Cell {
  float begin = 2, end = -1;
  double bytes = 0, hit_bytes = 0;
  float hits() const { return bytes > 0 ? static_cast<float>(hit_bytes / bytes) : 0; }
};

class Tiles {
 public:
  Tiles(SceneBuilder& b, const L2State& s, Box box) : b_(b), p_(b.palette()), s_(s), box_(box) {
    box_.y += kTitleHeight, box_.h -= kTitleHeight + kLegendHeight;
    const auto together = [](int tiles, float room) {
      return std::max(1, static_cast<int>(std::ceil(static_cast<float>(tiles) * kLeastCell /
                                                    std::max(room, kLeastCell))));
    };
    side_ = std::max(together(s.cols, box_.w), together(s.rows, box_.h));
    cols_ = (s.cols + side_ - 1) / side_, rows_ = (s.rows + side_ - 1) / side_;
    constexpr float kMostWide = 64, kMostHigh = 40;
    width_ = std::min(kMostWide, box_.w / static_cast<float>(cols_));
    height_ = std::min(kMostHigh, box_.h / static_cast<float>(rows_));
    if (width_ >= 8) width_ = std::floor(width_);
    if (height_ >= 8) height_ = std::floor(height_);
  }

  void draw() {
    const std::string side = grouped(side_);
    const std::string title =
        side_ > 1 ? wording(
                        "C, tile by tile: share of its reads that the L2 had, {} × {} tiles "
                        "per cell",
                        side, side)
                  : tr("C, tile by tile: share of its reads that the L2 had");
    b_.text(box_.x, box_.y - kTitleHeight / 2 - 2, title,
            {p_.dim, 11, Weight::regular, Align::left, box_.w});
    if (box_.h < kLeastCell || box_.w < kLeastCell) return;
    for (const Cell& cell : cells()) one(cell);
    if (s_.hover && s_.hover->cta_row >= 0) mark(s_.hover->cta_row, s_.hover->cta_col, true);
    mark(s_.selected_row, s_.selected_col, false);
    legend();
  }

 private:
  std::vector<Cell> cells() const {
    std::vector<Cell> all(static_cast<size_t>(cols_) * static_cast<size_t>(rows_));
    for (int row = 0; row < s_.rows; ++row) {
      for (int col = 0; col < s_.cols; ++col) {
        const L2TileState& tile =
            (*s_.tiles)[static_cast<size_t>(row) * static_cast<size_t>(s_.cols) +
                        static_cast<size_t>(col)];
        Cell& cell = all[static_cast<size_t>(row / side_) * static_cast<size_t>(cols_) +
                         static_cast<size_t>(col / side_)];
        if (tile.begin < 0) continue;
        cell.begin = std::min(cell.begin, tile.begin), cell.end = std::max(cell.end, tile.end);
        cell.bytes += tile.bytes, cell.hit_bytes += tile.bytes * tile.hits;
      }
    }
    return all;
  }

  Box box_of(int row, int col) const {
    const float x = box_.x + static_cast<float>(col) * width_;
    const float y = box_.y + static_cast<float>(row) * height_;
    const float gap = std::min(width_, height_) >= 8 ? 1.0f : 0.0f;
    return {x, y, width_ - gap, height_ - gap};
  }

  /// Finished: its colour. Under way: its colour, and an outline. To come: empty.
  void one(const Cell& cell) {
    const auto row = next_ / cols_, col = next_ % cols_;
    ++next_;
    const Box box = box_of(row, col);
    Pick pick;
    pick.kind = Pick::Kind::cta, pick.cta_row = row * side_, pick.cta_col = col * side_;
    if (cell.begin > s_.moment) {
      b_.rect(box, p_.frame);
      b_.pickable(pick);
      return;
    }
    const Color fill = viridis(cell.hits());
    b_.rect(box, fill);
    b_.pickable(pick);
    const bool under_way = cell.end > s_.moment;
    if (under_way && box.w >= 6 && box.h >= 6) b_.rect(box.grown(-1), {}, p_.select, 0, 1.5f);
    const std::string text = percent(cell.hits());
    if (box.h >= 13 && b_.width(text, 10, Weight::mono) <= box.w - 4) {
      b_.text(box.x + box.w / 2, box.y + box.h / 2, text,
              {ink_on(fill), 10, Weight::mono, Align::center});
    }
  }

  void mark(int row, int col, bool hover) {
    if (row < 0 || col < 0 || row >= s_.rows || col >= s_.cols) return;
    const Box box = box_of(row / side_, col / side_);
    if (hover) {
      b_.hover_ring(box);
    } else {
      b_.cell_ring(box, true);
    }
  }

  /// What the colours say; below the cells.
  void legend() {
    const float y = box_.y + static_cast<float>(rows_) * height_ + kLegendHeight / 2 + 2;
    const float left = b_.text(box_.x, y, "0 %", {p_.dim, 10});
    float x = box_.x + left + 5;
    const float strip = std::min(90.0f, box_.w * 0.3f);
    constexpr int kSteps = 30;
    for (int i = 0; i < kSteps; ++i) {
      b_.rect({x + strip * static_cast<float>(i) / kSteps, y - 4, strip / kSteps + 0.5f, 8},
              viridis((static_cast<float>(i) + 0.5f) / kSteps));
    }
    x += strip + 5;
    x += b_.text(x, y, "100 % from the L2",
                 {p_.dim, 10, Weight::regular, Align::left, std::max(1.0f, box_.right() - x)});
    const float mark = 9;
    const char* words = tr("under way");
    if (x + 16 + mark + 5 + b_.width(words, 10) > box_.right()) return;
    b_.rect({x + 16, y - mark / 2, mark, mark}, p_.frame, p_.select, 0, 1.5f);
    b_.text(x + 16 + mark + 5, y, words, {p_.dim, 10});
  }

  SceneBuilder& b_;
  const Palette& p_;
  const L2State& s_;
  Box box_;
  int side_ = 1, cols_ = 1, rows_ = 1;
  float width_ = 1, height_ = 1;
  int next_ = 0;
};

/// The hit rate over the launch, and the moment that the tiles are drawn at.
void draw_curve(SceneBuilder& b, const L2State& s, Box box) {
  const Palette& p = b.palette();
  b.text(box.x, box.y + kTitleHeight / 2 - 2, "hit rate of reads, over the launch",
         {p.dim, 11, Weight::regular, Align::left, box.w});
  const float labels = b.width("100 %", 10) + 6;
  const Box plot{box.x + labels, box.y + kTitleHeight + 4, box.w - labels - 4,
                 box.h - kTitleHeight - 22};
  if (plot.h < 16 || plot.w < 30 || s.hit_rate.empty()) return;
  const auto y = [&](double share) {
    return plot.bottom() - static_cast<float>(std::clamp(share, 0.0, 1.0)) * plot.h;
  };
  for (const double share : {0.0, 0.5, 1.0}) {
    b.line({plot.x, y(share)}, {plot.right(), y(share)}, p.grid);
    if (share == 0.5 && plot.h < 40) continue;
    b.text(plot.x - 5, y(share), percent(share), {p.dim, 10, Weight::regular, Align::right});
  }
  const auto count = static_cast<float>(s.hit_rate.size());
  const float step = plot.w / count;
  Polyline line;
  line.color = p.accent, line.width = 1.5f;
  for (size_t i = 0; i < s.hit_rate.size(); ++i) {
    line.points.push_back(
        {plot.x + (static_cast<float>(i) + 0.5f) * step, y(static_cast<double>(s.hit_rate[i]))});
  }
  if (line.points.size() > 1) {
    b.add(line);
  } else {
    b.circle(line.points.front(), 3, p.accent);
  }
  const float now = plot.x + std::clamp(s.moment, 0.0f, 1.0f) * plot.w;
  b.line({now, plot.y - 2}, {now, plot.bottom() + 2}, p.select, 1.5f);
  b.triangle({now, plot.y - 4}, 7, Way::down, p.select);
  for (size_t i = 0; i < s.hit_rate.size(); ++i) {
    b.rect({plot.x + static_cast<float>(i) * step, plot.y, step, plot.h}, Color{0, 0, 0, 0});
    Pick pick;
    pick.kind = Pick::Kind::point, pick.value = static_cast<int>(i);
    b.pickable(pick);
  }
  const float below = plot.bottom() + 11;
  const std::string at = wording("{} of the launch", percent(static_cast<double>(s.moment)));
  const float half = b.width(at, 10) / 2 + 6;
  const float middle = std::clamp(now, plot.x + half, std::max(plot.x + half, plot.right() - half));
  b.text(middle, below, at, {p.text, 10, Weight::regular, Align::center});
  const char *start = tr("start"), *end = tr("end");
  if (plot.x + b.width(start, 10) < middle - half) b.text(plot.x, below, start, {p.dim, 10});
  if (plot.right() - b.width(end, 10) > middle + half)
    b.text(plot.right(), below, end, {p.dim, 10, Weight::regular, Align::right});
}

float draw_facts(SceneBuilder& b, const L2State& s, Box box) {
  float y = box.y + kFactHeight / 2;
  for (const std::string& fact : s.facts) {
    const int most = static_cast<int>((box.bottom() - y) / kFactHeight + 0.5f);
    if (most < 1) break;
    const int lines =
        b.wrap(box.x, y, box.w, fact, {b.palette().text, 11}, kFactHeight, std::min(most, 4));
    y += static_cast<float>(lines) * kFactHeight + 3;
  }
  return y;
}

/// About how high the facts are.
float facts_height(SceneBuilder& b, const L2State& s, float width) {
  float height = 0;
  for (const std::string& fact : s.facts) {
    height += std::ceil(b.width(fact, 11) * 1.15f / width) * kFactHeight + 3;
  }
  return height;
}

}  // namespace

Scene build_l2(const L2State& s, const Palette& palette, const TextMeasure& measure, Size size) {
  SceneBuilder b(size, palette, measure);
  if (s.rows <= 0 || s.cols <= 0) return b.finish();
  const Box all{2, 2, size.w - 4, size.h - 4};
  // A low panel has room for both only side by side.
  const bool beside = all.w >= kBeside || (all.h < kLow && all.w >= kBeside / 2);
  const bool tiles = s.tiles && !s.tiles->empty();
  const float side = !tiles ? all.w : beside ? std::clamp(all.w * 0.42f, 150.0f, 420.0f) : all.w;
  Box right{all.right() - side, all.y, side, all.h};
  if (tiles) {
    Box left{all.x, all.y, all.w - side - 16, all.h};
    if (!beside) {
      const float below = std::clamp(all.h * 0.45f, std::min(kCurve, all.h / 2), 200.0f);
      left = {all.x, all.y, all.w, all.h - below - 6};
      right = {all.x, all.bottom() - below, all.w, below};
    }
    Tiles(b, s, left).draw();
  }
  // The curve before the facts: those are in the table of Memory traffic, too.
  const float facts = std::min(facts_height(b, s, right.w), std::max(0.0f, right.h - kCurve - 6));
  const float curve = std::min(right.h - facts - 6, 240.0f);
  draw_curve(b, s, {right.x, right.y, right.w, curve});
  draw_facts(b, s, {right.x, right.y + curve + 4, right.w, right.h - curve - 4});
  return b.finish();
}

}  // namespace tilescope::viz
