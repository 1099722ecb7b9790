// A layer's steps, done with plain loops over the ranks' own parts, give what the layer is: Y, dX,
// dW and db of the whole, whatever is split.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

#include "tests/workload/layers.h"

namespace tilescope::workload {
namespace {

using Values = std::vector<double>;  // row-major

size_t at(int row, int col, int cols) {
  return static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col);
}

/// Small whole numbers: sums are exact in any order.
double given_value(int matrix, int row, int col) {
  return (row * 7 + col * 3 + matrix * 5) % 11 - 5;
}

/// What each rank has of each matrix.
class Ranks {
 public:
  explicit Ranks(const Workload& w) : w_(w) {
    for (int rank = 0; rank < w.layer.ranks; ++rank) {
      std::vector<Values> mine;
      for (size_t i = 0; i < w.matrices.size(); ++i) {
        const int matrix = static_cast<int>(i);
        const Slice s = slice_of(w, matrix, rank);
        Values v(static_cast<size_t>(s.elements()), -1e9);
        for (int row = 0; row < s.rows.count && w.matrices[i].given; ++row) {
          for (int col = 0; col < s.cols.count; ++col) {
            v[at(row, col, s.cols.count)] =
                given_value(matrix, s.rows.first + row, s.cols.first + col);
          }
        }
        mine.push_back(std::move(v));
      }
      parts_.push_back(std::move(mine));
    }
  }
  void run() {
    for (const Step& step : w_.steps) {
      if (step.kind == StepKind::all_reduce) {
        add(step);
      } else if (step.kind == StepKind::all_gather) {
        gather(step);
      } else {
        for (int rank = 0; rank < w_.layer.ranks; ++rank) {
          for (int chunk = 0; chunk < step.chunks; ++chunk) {
            if (step.kind == StepKind::gemm) multiply(step, rank, chunk);
          }
          if (step.kind == StepKind::column_sum) sum(step, rank);
        }
      }
    }
  }
  /// As the ranks have it together; fails if two have different values of an element.
  Values whole(int matrix) const {
    const Matrix& m = w_.matrices[static_cast<size_t>(matrix)];
    Values all(static_cast<size_t>(m.rows * m.cols), -1e9);
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      const Slice s = slice_of(w_, matrix, rank);
      for (int row = 0; row < s.rows.count; ++row) {
        for (int col = 0; col < s.cols.count; ++col) {
          double& to = all[at(s.rows.first + row, s.cols.first + col, m.cols)];
          const double value = part(rank, matrix)[at(row, col, s.cols.count)];
          RC_ASSERT(to == -1e9 || to == value);
          to = value;
        }
      }
    }
    return all;
  }

 private:
  const Values& part(int rank, int matrix) const {
    return parts_[static_cast<size_t>(rank)][static_cast<size_t>(matrix)];
  }
  Values& part(int rank, int matrix) {
    return parts_[static_cast<size_t>(rank)][static_cast<size_t>(matrix)];
  }
  void multiply(const Step& step, int rank, int chunk) {
    const Problem p = problem_of(w_, step, rank, chunk);
    const auto index = [&p](Operand o, int row, int col) {
      return static_cast<size_t>(global_offset(p, o, {row, col}) /
                                 element_bytes(operand_type(p, o)));
    };
    for (int row = 0; row < p.m; ++row) {
      for (int col = 0; col < p.n; ++col) {
        double value =
            p.bias ? part(rank, step.bias).at(static_cast<size_t>(bias_index({row, col}))) : 0;
        for (int k = 0; k < p.k; ++k) {
          value += part(rank, step.a).at(index(Operand::a, row, k)) *
                   part(rank, step.b).at(index(Operand::b, k, col));
        }
        part(rank, step.c).at(index(Operand::c, row, col)) = value;
      }
    }
  }
  void sum(const Step& step, int rank) {
    const Slice s = slice_of(w_, step.a, rank);
    for (int col = 0; col < s.cols.count; ++col) {
      double value = 0;
      for (int row = 0; row < s.rows.count; ++row) {
        value += part(rank, step.a)[at(row, col, s.cols.count)];
      }
      part(rank, step.c).at(static_cast<size_t>(col)) = value;
    }
  }
  void add(const Step& step) {
    for (int rank = 0; rank < w_.layer.ranks; ++rank) {
      Values& to = part(rank, step.c);
      for (size_t i = 0; i < to.size(); ++i) {
        to[i] = 0;
        for (int other = 0; other < w_.layer.ranks; ++other) to[i] += part(other, step.a).at(i);
      }
    }
  }
  void gather(const Step& step) {
    const int cols = w_.matrices[static_cast<size_t>(step.c)].cols;
    const Values all = whole(step.a);
    for (int rank = 0; rank < w_.layer.ranks; ++rank) part(rank, step.c) = all;
    RC_ASSERT(cols > 0);
  }

  const Workload& w_;
  std::vector<std::vector<Values>> parts_;
};

/// op(a)·op(b) of whole matrices.
Values product(const Values& a, bool turned_a, const Values& b, bool turned_b, int m, int n,
               int k) {
  Values c(static_cast<size_t>(m) * static_cast<size_t>(n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) {
        sum += a[turned_a ? at(l, i, m) : at(i, l, k)] * b[turned_b ? at(j, l, k) : at(l, j, n)];
      }
      c[at(i, j, n)] = sum;
    }
  }
  return c;
}
void add_rows(Values& c, const Values& row) {
  for (size_t i = 0; i < c.size(); ++i) c[i] += row[i % row.size()];
}
Values column_sums(const Values& a, int cols) {
  Values sums(static_cast<size_t>(cols));
  for (size_t i = 0; i < a.size(); ++i) sums[i % sums.size()] += a[i];
  return sums;
}

/// All matrices of the whole layer by their names, from the given ones.
std::map<std::string, Values> whole_layer(const Layer& l, std::map<std::string, Values> v) {
  const int t = l.tokens;
  const auto linear = [&](const char* x, const char* w, const char* b, const char* y, int in,
                          int out) {
    v[y] = product(v.at(x), false, v.at(w), true, t, out, in);
    add_rows(v[y], v.at(b));
  };
  const auto back = [&](const char* x, const char* w, const char* b, const char* y, int in,
                        int out) {
    const auto d = [](const char* name) { return std::string("d") + name; };
    v[d(x)] = product(v.at(d(y)), false, v.at(w), false, t, in, out);
    v[d(w)] = product(v.at(d(y)), true, v.at(x), false, out, in, t);
    v[d(b)] = column_sums(v.at(d(y)), out);
  };
  if (l.kind == LayerKind::mlp) {
    linear("X", "U", "b₁", "H", l.in, l.out), linear("H", "D", "b₂", "Y", l.out, l.in);
    back("H", "D", "b₂", "Y", l.out, l.in), back("X", "U", "b₁", "H", l.in, l.out);
  } else {
    linear("X", "W", "b", "Y", l.in, l.out), back("X", "W", "b", "Y", l.in, l.out);
    if (l.gather && l.ranks > 1) v["Y on all"] = v["Y"];
  }
  return v;
}

RC_GTEST_PROP(Layer, ItsStepsGiveWhatTheWholeLayerIs, ()) {
  const Layer layer = any_layer(24);
  const Workload w = make_workload(layer);
  Ranks ranks(w);
  ranks.run();
  std::map<std::string, Values> given;
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    if (w.matrices[i].given) given[w.matrices[i].name] = ranks.whole(static_cast<int>(i));
  }
  const std::map<std::string, Values> expected = whole_layer(layer, given);
  size_t compared = 0;
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    if (w.matrices[i].split == Split::parts) continue;
    RC_ASSERT(ranks.whole(static_cast<int>(i)) == expected.at(w.matrices[i].name));
    ++compared;
  }
  RC_ASSERT(compared == expected.size());
}

}  // namespace
}  // namespace tilescope::workload
