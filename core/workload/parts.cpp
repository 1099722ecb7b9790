// What of a workload is a rank's: slices, problems, work and bytes.
#include <set>

#include "core/workload/workload.h"

namespace tilescope::workload {
namespace {

const Matrix& matrix_of(const Workload& w, int matrix) {
  return w.matrices[static_cast<size_t>(matrix)];
}

Problem product(const Workload& w, const Step& step, int rank, Range rows) {
  const Slice a = slice_of(w, step.a, rank), b = slice_of(w, step.b, rank);
  const Slice c = slice_of(w, step.c, rank);
  Problem p;
  p.m = rows.count, p.n = c.cols.count;
  p.k = step.transposed_a ? a.rows.count : a.cols.count;
  p.type_a = matrix_of(w, step.a).type, p.type_b = matrix_of(w, step.b).type;
  p.type_c = matrix_of(w, step.c).type;
  // A transpose is read where the matrix lies, as one of the other order.
  p.order_a = step.transposed_a ? Order::column_major : Order::row_major;
  p.order_b = step.transposed_b ? Order::column_major : Order::row_major;
  p.lda = a.cols.count, p.ldb = b.cols.count, p.ldc = c.cols.count;
  p.offset_a = element_index(p.order_a, p.lda, rows.first, 0);
  p.offset_c = element_index(p.order_c, p.ldc, rows.first, 0);
  p.bias = step.bias >= 0 && !(step.bias_on_first && rank != 0);
  // The least there can be is what is meant where nobody says it.
  if (p.lda == least_leading_dimension(p, Operand::a)) p.lda = 0;
  if (p.ldb == least_leading_dimension(p, Operand::b)) p.ldb = 0;
  if (p.ldc == least_leading_dimension(p, Operand::c)) p.ldc = 0;
  return p;
}

}  // namespace

Slice slice_of(const Workload& w, int matrix, int rank) {
  const Matrix& m = matrix_of(w, matrix);
  Slice s{{0, m.rows}, {0, m.cols}};
  if (m.split == Split::rows) s.rows = part_of(m.rows, w.layer.ranks, rank);
  if (m.split == Split::cols) s.cols = part_of(m.cols, w.layer.ranks, rank);
  return s;
}

double held_bytes(const Workload& w, int matrix, int rank) {
  const Matrix& m = matrix_of(w, matrix);
  return static_cast<double>(slice_of(w, matrix, rank).elements()) * element_bytes(m.type);
}

double held_bytes(const Workload& w, int rank) {
  double bytes = 0;
  for (size_t i = 0; i < w.matrices.size(); ++i) {
    if (w.matrices[i].shares < 0) bytes += held_bytes(w, static_cast<int>(i), rank);
  }
  return bytes;
}

Range chunk_rows(const Workload& w, const Step& step, int rank, int chunk) {
  return part_of(slice_of(w, step.c, rank).rows.count, step.chunks, chunk);
}

Problem problem_of(const Workload& w, const Step& step, int rank, int chunk) {
  return product(w, step, rank, chunk_rows(w, step, rank, chunk));
}

Problem problem_of(const Workload& w, const Step& step, int rank) {
  return product(w, step, rank, {0, slice_of(w, step.c, rank).rows.count});
}

double flop_of(const Workload& w, const Step& step, int rank) {
  if (step.kind == StepKind::gemm) return flops(problem_of(w, step, rank));
  if (step.kind == StepKind::column_sum) {
    return static_cast<double>(slice_of(w, step.a, rank).elements());
  }
  return 0;
}

double least_bytes(const Workload& w, const Step& step, int rank) {
  if (step.kind == StepKind::all_reduce) return 2 * held_bytes(w, step.a, rank);
  double bytes = held_bytes(w, step.a, rank) + held_bytes(w, step.c, rank);
  if (step.b >= 0) bytes += held_bytes(w, step.b, rank);
  const bool biased = step.bias >= 0 && !(step.bias_on_first && rank != 0);
  return biased ? bytes + held_bytes(w, step.bias, rank) : bytes;
}

double bytes_between_ranks(const Workload& w, const Step& step) {
  if (!is_collective(step)) return 0;
  const Matrix& m = matrix_of(w, step.c);
  const double all = 1.0 * m.rows * m.cols * element_bytes(m.type);
  const double others = 1.0 * (w.layer.ranks - 1) / w.layer.ranks;
  return all * others * (step.kind == StepKind::all_reduce ? 2 : 1);
}

}  // namespace tilescope::workload
