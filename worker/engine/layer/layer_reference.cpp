#include "worker/engine/layer/layer_reference.h"

#include <algorithm>

#include "worker/engine/layer/layer_data.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {

using workload::Matrix;
using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

LayerReference::LayerReference(const Workload& one, uint64_t seed, int threads) : one_(one) {
  for (size_t i = 0; i < one.matrices.size(); ++i) {
    const Matrix& m = one.matrices[i];
    const auto count = static_cast<size_t>(1LL * m.rows * m.cols);
    std::vector<double> values(count);
    if (m.given) {
      std::vector<std::byte> rounded(count * static_cast<size_t>(element_bytes(m.type)));
      fill_part(one, static_cast<int>(i), 0, seed, rounded, threads);
      for (size_t e = 0; e < count; ++e) values[e] = load_element(m.type, rounded.data(), e);
    }
    values_.push_back(std::move(values));
  }
  for (const Step& step : one.steps) {
    if (step.kind == StepKind::gemm) multiply(step, threads);
    if (step.kind == StepKind::column_sum) sum_columns(step);
  }
}

double LayerReference::bytes(const Workload& one) {
  double bytes = 0;
  for (const Matrix& m : one.matrices) bytes += 8.0 * m.rows * m.cols;
  return bytes;
}

void LayerReference::multiply(const Step& step, int threads) {
  Problem p = problem_of(one_, step, 0);
  p.type_a = p.type_b = ElementType::f64;
  p.bias = false;  // of another type; added below
  const auto bytes = [&](int matrix) {
    return reinterpret_cast<const std::byte*>(values_[static_cast<size_t>(matrix)].data());
  };
  const ReferenceInput input{&p, bytes(step.a), bytes(step.b)};
  std::vector<double>& out = values_[static_cast<size_t>(step.c)];
  const std::vector<double>* bias =
      step.bias >= 0 ? &values_[static_cast<size_t>(step.bias)] : nullptr;
  constexpr int kRows = 64;
  parallel_for(threads, static_cast<size_t>(ceil_div(p.m, kRows)), [&](size_t block) {
    const int first = static_cast<int>(block) * kRows;
    const Rect rect{first, 0, min_of(kRows, p.m - first), p.n};
    const auto cols = static_cast<size_t>(p.n);
    const std::span<double> rows(out.data() + static_cast<size_t>(first) * cols,
                                 static_cast<size_t>(rect.rows) * cols);
    reference(input, rect, rows);
    for (size_t i = 0; bias && i < rows.size(); ++i) {
      rows[i] += (*bias)[static_cast<size_t>(bias_index({0, static_cast<int>(i % cols)}))];
    }
  });
}

void LayerReference::sum_columns(const Step& step) {
  const std::vector<double>& from = values_[static_cast<size_t>(step.a)];
  std::vector<double>& to = values_[static_cast<size_t>(step.c)];
  for (size_t i = 0; i < from.size(); ++i) to[i % to.size()] += from[i];
}

void LayerReference::compare(const Workload& w, int matrix, int rank, int expected,
                             const std::byte* part, Comparison& to) const {
  const Matrix& m = w.matrices[static_cast<size_t>(matrix)];
  const Slice s = slice_of(w, matrix, rank);
  Problem p;
  p.m = s.rows.count, p.n = s.cols.count, p.type_c = m.type;
  const std::vector<double>& all = values_[static_cast<size_t>(expected)];
  for (int row = 0; row < s.rows.count; ++row) {
    const long long first =
        element_index(Order::row_major, m.cols, s.rows.first + row, s.cols.first);
    const std::span<const double> line(all.data() + first, static_cast<size_t>(s.cols.count));
    to.add(p, {row, 0, 1, s.cols.count}, line, part);
  }
}

}  // namespace tilescope::worker
