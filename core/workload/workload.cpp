#include "core/workload/workload.h"

#include <algorithm>

namespace tilescope::workload {
namespace {

/// Matrices and steps of a layer as they are added. Sums over ranks are in single precision, what
/// goes from layer to layer in half.
class Maker {
 public:
  explicit Maker(const Layer& layer) { w_.layer = layer; }
  Workload take() { return std::move(w_); }
  int tokens() const { return w_.layer.tokens; }
  bool many() const { return w_.layer.ranks > 1; }

  int matrix(std::string name, int rows, int cols, Split split, ElementType type, bool given) {
    // What one rank has a part of is all of it.
    if (!many()) split = Split::whole;
    w_.matrices.push_back({std::move(name), rows, cols, type, split, given});
    return static_cast<int>(w_.matrices.size()) - 1;
  }
  int given(std::string name, int rows, int cols, Split split) {
    return matrix(std::move(name), rows, cols, split, ElementType::f16, true);
  }
  void step(Step s) {
    for (const int operand : {s.a, s.b, s.bias}) {
      for (size_t i = 0; i < w_.steps.size() && operand >= 0; ++i) {
        if (w_.steps[i].c == operand) s.after.push_back(static_cast<int>(i));
      }
    }
    w_.steps.push_back(std::move(s));
  }
  /// A result that is added over the ranks: the step that computes it cut into chunks, and its sum.
  int sum(Step s, const std::string& name, int rows, int cols, int chunks) {
    if (!many()) {
      s.c = matrix(name, rows, cols, Split::whole, ElementType::f32, false);
      step(s);
      return s.c;
    }
    const int part = matrix(kPartOf + name, rows, cols, Split::parts, ElementType::f32, false);
    s.c = part, s.chunks = chunks;
    s.name = kPartOf + s.name;
    step(s);
    const int whole = matrix(name, rows, cols, Split::whole, ElementType::f32, false);
    w_.matrices[static_cast<size_t>(whole)].shares = part;
    step({.kind = StepKind::all_reduce,
          .pass = s.pass,
          .name = "all-reduce " + name,
          .a = part,
          .c = whole,
          .chunks = chunks});
    return whole;
  }

 private:
  Workload w_;
};

/// A product's names: "X", "W", "b", "Y", or with what tells two layers apart.
struct Names {
  std::string x = "X", w = "W", b = "b", y = "Y";
};
std::string grad(const std::string& name) { return "d" + name; }

/// One linear layer, split as `kind` says (no mlp).
struct Linear {
  Maker& make;
  LayerKind kind;
  int in, out;
  Names names;
  int chunks;
  int x = -1, w = -1, b = -1;

  bool by_tokens() const { return kind == LayerKind::linear; }
  bool by_out() const { return kind == LayerKind::column; }
  bool by_in() const { return kind == LayerKind::row; }
  Split split_x() const { return by_tokens() ? Split::rows : by_in() ? Split::cols : Split::whole; }
  Split split_w() const { return by_out() ? Split::rows : by_in() ? Split::cols : Split::whole; }
  Split split_b() const { return by_out() ? Split::cols : Split::whole; }
  Split split_y() const {
    return by_tokens() ? Split::rows : by_out() ? Split::cols : Split::whole;
  }

  void add_given(int given_x) {
    x = given_x >= 0 ? given_x : make.given(names.x, make.tokens(), in, split_x());
    w = make.given(names.w, out, in, split_w());
    // A bias has the type of what it is added to: parts of a sum are in single precision.
    const ElementType type = by_in() ? ElementType::f32 : ElementType::f16;
    b = make.matrix(names.b, 1, out, split_b(), type, true);
  }
  /// Its result.
  int forward() {
    Step s{.pass = Pass::forward,
           .name = names.y + " = " + names.x + "·" + names.w + "ᵀ + " + names.b,
           .a = x,
           .b = w,
           .bias = b,
           .transposed_b = true};
    if (by_in()) {
      s.bias_on_first = true;
      return make.sum(s, names.y, make.tokens(), out, chunks);
    }
    s.c = make.matrix(names.y, make.tokens(), out, split_y(), ElementType::f16, false);
    make.step(s);
    return s.c;
  }
  /// dX, of which a column layer's ranks each have a summand. `type`: in half precision if another
  /// product reads it.
  int input_gradient(int dy, ElementType type) {
    Step s{.pass = Pass::backward,
           .name = grad(names.x) + " = " + grad(names.y) + "·" + names.w,
           .a = dy,
           .b = w};
    if (by_out()) return make.sum(s, grad(names.x), make.tokens(), in, chunks);
    s.c = make.matrix(grad(names.x), make.tokens(), in, split_x(), type, false);
    make.step(s);
    return s.c;
  }
  void weight_gradient(int dy) {
    Step s{.pass = Pass::backward,
           .name = grad(names.w) + " = " + grad(names.y) + "ᵀ·" + names.x,
           .a = dy,
           .b = x,
           .transposed_a = true};
    if (by_tokens()) {
      make.sum(s, grad(names.w), out, in, chunks);
      return;
    }
    s.c = make.matrix(grad(names.w), out, in, split_w(), ElementType::f32, false);
    make.step(s);
  }
  void bias_gradient(int dy) {
    Step s{.kind = StepKind::column_sum,
           .pass = Pass::backward,
           .name = grad(names.b) + kColumnSumsOf + grad(names.y),
           .a = dy};
    if (by_tokens()) {
      make.sum(s, grad(names.b), 1, out, 1);
      return;
    }
    s.c = make.matrix(grad(names.b), 1, out, split_b(), ElementType::f32, false);
    make.step(s);
  }
  /// What is added over the ranks first, so that the sum runs beside what follows.
  int backward(int dy, ElementType type) {
    if (by_tokens()) {
      weight_gradient(dy), bias_gradient(dy);
      return input_gradient(dy, type);
    }
    const int dx = input_gradient(dy, type);
    weight_gradient(dy), bias_gradient(dy);
    return dx;
  }
};

Workload make_mlp(const Layer& l) {
  Maker make(l);
  Linear up{make, LayerKind::column, l.in, l.out, {"X", "U", "b₁", "H"}, l.chunks};
  Linear down{make, LayerKind::row, l.out, l.in, {"H", "D", "b₂", "Y"}, l.chunks};
  up.add_given(-1);
  const int h = up.forward();
  down.add_given(h);
  down.forward();
  const int dy = make.given("dY", l.tokens, l.in, Split::whole);
  const int dh = down.backward(dy, ElementType::f16);
  up.backward(dh, ElementType::f32);
  return make.take();
}

}  // namespace

Workload make_workload(const Layer& l) {
  if (l.kind == LayerKind::mlp) return make_mlp(l);
  Maker make(l);
  Linear one{make, l.kind, l.in, l.out, {}, l.chunks};
  one.add_given(-1);
  const int y = one.forward();
  if (l.gather && make.many()) {
    const int whole =
        make.matrix("Y on all", l.tokens, l.out, Split::whole, ElementType::f16, false);
    make.step({.kind = StepKind::all_gather, .name = "all-gather Y", .a = y, .c = whole});
  }
  const int dy = make.given("dY", l.tokens, l.out, one.split_y());
  one.backward(dy, ElementType::f32);
  return make.take();
}

const char* name_of(StepKind kind) {
  switch (kind) {
    case StepKind::gemm:
      return "gemm";
    case StepKind::column_sum:
      return "column_sum";
    case StepKind::all_reduce:
      return "all_reduce";
    case StepKind::all_gather:
      return "all_gather";
  }
  return "";
}

}  // namespace tilescope::workload
