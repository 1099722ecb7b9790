#include "viz/scene/layer/layer_flow.h"

#include <algorithm>
#include <cmath>

namespace tilescope::viz {
namespace {

using workload::Matrix;
using workload::Pass;
using workload::Split;
using workload::Step;
using workload::StepKind;
using workload::Workload;

constexpr float kLeast = 5;                             // pixels: a vector is still seen
constexpr float kPlus = 22;                             // between summands
constexpr float kEllipsis = 44;                         // where some are left out between them
constexpr float kMatrixGap = 6;                         // between a product's matrices
constexpr float kCellGap = 30;                          // between cells
constexpr float kArrow = 136;                           // of a collective
constexpr float kMostTitle = 250;                       // that a cell is made wider for
constexpr float kLeastProduct = 120, kLeastNamed = 70;  // names have room
constexpr float kSmallest = 40;  // pixels of the longest side at the least scale

const Matrix& matrix_of(const Workload& w, int matrix) {
  return w.matrices[static_cast<size_t>(matrix)];
}

/// Puts a step's matrices side by side at a scale.
class CellMaker {
 public:
  CellMaker(const Workload& w, float scale, const TitleWidth& title)
      : w_(w), scale_(scale), title_(title) {}
  /// Lines above the cells that follow.
  void titles(bool above) { top_ = above ? kLayerTitle : 0; }

  LayerCell make(int number) {
    const Step& step = w_.steps[static_cast<size_t>(number)];
    LayerCell cell;
    cell.step = number;
    if (is_collective(step)) {
      cell.arrow = kArrow;
      const float top = std::max(top_, kLayerName);
      add_result(cell, step.c, kArrow + 8, top, lies(step));
      cell.box.h = std::max(cell.box.h, top + 34.0f);
      cell.box.w = std::max(cell.box.w, kArrow + kLeastNamed);
      cell.lower = result_top(step) - top;
    } else if (step.kind == StepKind::gemm && step.pass == Pass::forward) {
      product(cell, step);
    } else {
      add_result(cell, step.c, 0, kLayerTitle, lies(step));
    }
    if (top_ > 0) cell.box.w = std::max(cell.box.w, std::min(kMostTitle, title_(step)));
    return cell;
  }

 private:
  /// Gradients of weights are drawn lying, as the weights mostly are above; so are their sums.
  bool lies(const Step& step) const {
    const Matrix& c = matrix_of(w_, step.c);
    bool weights = step.transposed_a;
    for (const Step& other : w_.steps) {
      weights = weights || (is_collective(step) && other.c == step.a && other.transposed_a);
    }
    return weights && c.rows > c.cols;
  }
  /// Where the product begins that a collective goes on with: lower where operands stand above it.
  float result_top(const Step& step) const {
    for (const Step& other : w_.steps) {
      const bool product = other.kind == StepKind::gemm && other.pass == Pass::forward;
      if (other.c == step.a && product) return top_ + upper(other) + 2 * kLayerName + 2;
    }
    return std::max(top_, kLayerName);
  }
  /// Height of what stands above a product's left operand and its result.
  float upper(const Step& step) const {
    return size_of(step.b, above_c(step) ? step.transposed_b : !step.transposed_b).h;
  }
  /// b as it is multiplied, above c; else above a with the k that they share: the less high one.
  bool above_c(const Step& step) const {
    const Matrix& a = matrix_of(w_, step.a);
    const Matrix& b = matrix_of(w_, step.b);
    return (step.transposed_a ? a.rows : a.cols) <= (step.transposed_b ? b.rows : b.cols);
  }
  float length(int elements) const {
    return std::max(kLeast, scale_ * static_cast<float>(elements));
  }
  Size size_of(int matrix, bool turned) const {
    const Matrix& m = matrix_of(w_, matrix);
    const Size size{length(m.cols), length(m.rows)};
    return turned ? Size{size.h, size.w} : size;
  }
  Box add(LayerCell& cell, int matrix, float x, float y, bool turned) {
    const Size size = size_of(matrix, turned);
    cell.drawn.push_back({.matrix = matrix, .box = {x, y, size.w, size.h}, .turned = turned});
    cell.box.w = std::max(cell.box.w, x + size.w), cell.box.h = std::max(cell.box.h, y + size.h);
    return cell.drawn.back().box;
  }
  void add_result(LayerCell& cell, int matrix, float x, float y, bool turned) {
    Box at = add(cell, matrix, x, y, turned);
    DrawnMatrix& d = cell.drawn.back();
    d.result = true;
    if (matrix_of(w_, matrix).split != Split::parts) return;
    at.x = at.right() + kPlus;
    d.more.push_back(at);
    if (w_.layer.ranks > 2) {
      at.x = at.right() + (w_.layer.ranks > 3 ? kEllipsis : kPlus);
      d.more.push_back(at);
    }
    cell.box.w = std::max(cell.box.w, at.right());
  }
  /// a at the left of c, b above one of them.
  void product(LayerCell& cell, const Step& step) {
    cell.with_operands = true;
    const Matrix& a = matrix_of(w_, step.a);
    const bool over_c = above_c(step);
    const float left = length(step.transposed_a ? a.rows : a.cols) + kMatrixGap;
    const float top = top_ + kLayerName, low = top + upper(step) + kLayerName + 2;
    add(cell, step.b, over_c ? left : 0, top, over_c ? step.transposed_b : !step.transposed_b);
    add(cell, step.a, 0, low, step.transposed_a);
    add_result(cell, step.c, left, low, false);
    cell.box.w = std::max(cell.box.w, kLeastProduct);
    if (step.bias >= 0) add(cell, step.bias, left, cell.box.h + 4, false);
  }

  const Workload& w_;
  const float scale_;
  const TitleWidth& title_;
  float top_ = kLayerTitle;
};

void move(LayerCell& cell, float x, float y) {
  cell.box.x = x, cell.box.y = y;
  for (DrawnMatrix& d : cell.drawn) {
    d.box.x += x, d.box.y += y;
    for (Box& box : d.more) box.x += x, box.y += y;
  }
}

/// All at one scale; `fits` tells whether no cell is wider than the room.
LayerFlow flow_at(const Workload& w, float scale, float width, const TitleWidth& title,
                  bool* fits) {
  LayerFlow flow;
  flow.scale = scale;
  *fits = true;
  CellMaker maker(w, scale, title);
  float y = 0;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    LayerPass p;
    p.pass = pass;
    const auto titled = [&](const Step& step) { return step.pass == pass && !is_collective(step); };
    p.title_in_heading = std::ranges::count_if(w.steps, titled) == 1;
    maker.titles(!p.title_in_heading);
    float x = 0, line = 0;
    const float top = y;
    y += kLayerHeading;
    for (size_t i = 0; i < w.steps.size(); ++i) {
      if (w.steps[i].pass != pass) continue;
      LayerCell cell = maker.make(static_cast<int>(i));
      if (x > 0 && x + cell.box.w > width) x = 0, y += line + 6, line = 0;
      *fits = *fits && cell.box.w <= width;
      const float lower = x > 0 ? cell.lower : 0;
      move(cell, x, y + lower);
      x += cell.box.w + kCellGap, line = std::max(line, lower + cell.box.h);
      p.cells.push_back(std::move(cell));
    }
    y += line;
    p.box = {0, top, width, y - top};
    y += 12;
    if (!p.cells.empty()) flow.passes.push_back(std::move(p));
  }
  flow.height = y - 12;
  return flow;
}

}  // namespace

LayerFlow flow_of(const Workload& w, Size room, const TitleWidth& title) {
  int longest = 1;
  for (const Matrix& m : w.matrices) longest = std::max({longest, m.rows, m.cols});
  const auto all = static_cast<float>(longest);
  const float least = kSmallest / all;
  bool fits = false;
  for (float scale = room.w / all; scale > least && room.h > 0; scale *= 0.98f) {
    LayerFlow flow = flow_at(w, scale, room.w, title, &fits);
    if (fits && flow.height <= room.h) return flow;
  }
  return flow_at(w, least, room.w, title, &fits);
}

}  // namespace tilescope::viz
