#include "worker/engine/layer/layer_data.h"

#include <algorithm>
#include <cmath>

#include "worker/engine/emulate/verify.h"
#include "worker/engine/parallel.h"

namespace tilescope::worker {

using workload::Matrix;
using workload::Slice;
using workload::Step;
using workload::StepKind;
using workload::Workload;

uint64_t matrix_seed(uint64_t seed, const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return mixed_seed({DataSpec::Kind::random, seed}, hash);
}

void fill_part(const Workload& w, int matrix, int rank, uint64_t seed, std::span<std::byte> to,
               int threads) {
  const Matrix& m = w.matrices[static_cast<size_t>(matrix)];
  const Slice s = slice_of(w, matrix, rank);
  const uint64_t mixed = matrix_seed(seed, m.name);
  parallel_for(threads, static_cast<size_t>(s.rows.count), [&](size_t row) {
    const int in_part = static_cast<int>(row), in_whole = s.rows.first + in_part;
    for (int col = 0; col < s.cols.count; ++col) {
      const long long from = element_index(Order::row_major, m.cols, in_whole, s.cols.first + col);
      const long long at = element_index(Order::row_major, s.cols.count, in_part, col);
      store_element(m.type, to.data(), static_cast<uint64_t>(at),
                    data_value(DataSpec::Kind::random, mixed, static_cast<uint64_t>(from)));
    }
  });
}

int place_of(const Workload& w, int matrix) {
  const int shares = w.matrices[static_cast<size_t>(matrix)].shares;
  return shares >= 0 ? shares : matrix;
}

int find_matrix(const Workload& w, const std::string& name) {
  const auto found = std::ranges::find(w.matrices, name, &Matrix::name);
  return found == w.matrices.end() ? -1 : static_cast<int>(found - w.matrices.begin());
}

const Step* step_of(const Workload& w, int matrix) {
  const auto found = std::ranges::find(w.steps, matrix, &Step::c);
  return found == w.steps.end() ? nullptr : &*found;
}

int expected_matrix(const Workload& w, int matrix, const Workload& one) {
  const Matrix& m = w.matrices[static_cast<size_t>(matrix)];
  if (m.split == workload::Split::parts) return -1;
  const Step* step = step_of(w, matrix);
  const bool gathered = step && step->kind == StepKind::all_gather;
  return find_matrix(one, w.matrices[static_cast<size_t>(gathered ? step->a : matrix)].name);
}

double column_sum_tolerance(double rows) {
  constexpr double kRounding = 0x1p-24;
  return kRounding * (4 * std::sqrt(rows) + 2);
}

double matrix_tolerance(const Workload& one, int matrix) {
  const Step* step = step_of(one, matrix);
  if (!step) return 0;
  double tolerance = matrix_tolerance(one, step->a);
  if (step->kind == StepKind::column_sum) {
    return tolerance + column_sum_tolerance(one.matrices[static_cast<size_t>(step->a)].rows);
  }
  tolerance += matrix_tolerance(one, step->b);
  return tolerance + tolerance_of(problem_of(one, *step, 0), true);
}

double matrix_square(const Workload& one, int matrix) {
  const Step* step = step_of(one, matrix);
  if (!step) return kSquareOfData;
  const double a = matrix_square(one, step->a);
  if (step->kind == StepKind::column_sum) {
    return a * one.matrices[static_cast<size_t>(step->a)].rows;
  }
  const Problem p = problem_of(one, *step, 0);
  return a * matrix_square(one, step->b) * p.k + (p.bias ? kSquareOfData : 0);
}

}  // namespace tilescope::worker
