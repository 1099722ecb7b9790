// What a layer does, as plain data: matrices, each with its split over the ranks, and steps, each a
// GEMM, a column sum or a collective. Everything that models, draws or runs a layer reads this.
#pragma once
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "core/workload/layer.h"
#include "core/workload/split.h"

namespace tilescope::workload {

/// Which part of a matrix each rank holds.
enum class Split {
  whole,  // all of it
  rows,   // a range of its rows
  cols,   // a range of its columns
  parts,  // a matrix as large as the whole; the sum over all ranks is the whole
};

/// Row-major. A rank's part lies dense in a buffer of its own.
struct Matrix {
  std::string name;
  int rows = 0, cols = 0;
  ElementType type = ElementType::f16;
  Split split = Split::whole;
  bool given = false;  // not computed by a step
  int shares = -1;     // number of a matrix whose memory it takes, since that is no longer needed
};

enum class StepKind { gemm, column_sum, all_reduce, all_gather };
enum class Pass { forward, backward };

/// Operands are numbers of matrices. gemm: c = op(a)·op(b) + bias, op being the transpose where it
/// says so; column_sum: c [1, n] = sums of a's columns; collectives: c = a, added or put together.
struct Step {
  StepKind kind = StepKind::gemm;
  Pass pass = Pass::forward;
  std::string name;  // "Y = X·Wᵀ + b"
  int a = -1, b = -1, c = -1, bias = -1;
  bool transposed_a = false, transposed_b = false;
  bool bias_on_first = false;   // on rank 0 alone: the results of all are added
  int chunks = 1;               // ranges of c's rows, one after the other
  std::vector<int> after = {};  // steps whose results it reads
};

/// What names have beside formulas: of a matrix that is a summand, and of the step that makes it.
inline constexpr const char* kPartOf = "part of ";
inline constexpr const char* kColumnSumsOf = " = column sums of ";

struct Workload {
  Layer layer;
  std::vector<Matrix> matrices;
  std::vector<Step> steps;  // in the order in which they are started
};

/// The layer must have no why_not().
Workload make_workload(const Layer& layer);

inline bool is_collective(const Step& step) {
  return step.kind == StepKind::all_reduce || step.kind == StepKind::all_gather;
}
/// "gemm", "column_sum", "all_reduce", "all_gather"
const char* name_of(StepKind kind);

/// Which rows and columns of a matrix a rank holds.
struct Slice {
  Range rows, cols;
  constexpr long long elements() const { return 1LL * rows.count * cols.count; }
};
Slice slice_of(const Workload& w, int matrix, int rank);
/// Bytes of all matrices that a rank holds, or of one; matrices that share memory count once.
double held_bytes(const Workload& w, int rank);
double held_bytes(const Workload& w, int matrix, int rank);

/// Which rows of what a step computes on a rank belong to a chunk.
Range chunk_rows(const Workload& w, const Step& step, int rank, int chunk);

/// A GEMM's chunk as a problem on the buffers of the rank's parts; a chunk begins at an offset.
Problem problem_of(const Workload& w, const Step& step, int rank, int chunk);
/// All chunks as one.
Problem problem_of(const Workload& w, const Step& step, int rank);

/// FLOP of a rank's part of a GEMM or a column sum.
double flop_of(const Workload& w, const Step& step, int rank);
/// Bytes of a rank's part at best: each operand is read once and the result is written once.
double least_bytes(const Workload& w, const Step& step, int rank);
/// Bytes that each of P ranks sends (and receives) in a ring: of an all-reduce 2 (P − 1) / P of the
/// matrix, of an all-gather (P − 1) / P of it. 0 for all other steps.
double bytes_between_ranks(const Workload& w, const Step& step);

}  // namespace tilescope::workload
