// What a layer does, as plain data: matrices, each with its split over the ranks, and steps, each a
// GEMM, a column sum or a collective. Everything that models, draws or runs a layer reads this.
#pragma once
#include <string>
#include <vector>

#include "core/layout/problem.h"
#include "core/workload/layer.h"
#include "core/workload/split.h"

namespace tilescope::workload {

/// What of a matrix a rank has.
enum class Split {
  whole,  // all of it
  rows,   // a range of its rows
  cols,   // a range of its columns
  parts,  // as many rows and columns as the whole: a summand of it
};

/// Row-major. A rank's part lies dense in a buffer of its own.
struct Matrix {
  std::string name;
  int rows = 0, cols = 0;
  ElementType type = ElementType::f16;
  Split split = Split::whole;
  bool given = false;  // not computed by a step
  int shares = -1;     // lies where this other matrix lies, which is done with then
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
/// Of all that a rank holds; matrices that share a place count once.
double held_bytes(const Workload& w, int rank);
double held_bytes(const Workload& w, int matrix, int rank);

/// Rows of what a step computes, of the rank's part, that belong to a chunk.
Range chunk_rows(const Workload& w, const Step& step, int rank, int chunk);

/// A GEMM's chunk as a problem on the buffers of the rank's parts; a chunk begins at an offset.
Problem problem_of(const Workload& w, const Step& step, int rank, int chunk);
/// All chunks as one.
Problem problem_of(const Workload& w, const Step& step, int rank);

/// Of GEMMs and column sums, of a rank's part.
double flop_of(const Workload& w, const Step& step, int rank);
/// Each operand read once, and the result written; what a collective reads and writes at best.
double least_bytes(const Workload& w, const Step& step, int rank);
/// That each rank sends (and receives), as a ring does: of an all-reduce 2 (P − 1) / P of the
/// matrix, of an all-gather (P − 1) / P. 0 for all other steps.
double bytes_between_ranks(const Workload& w, const Step& step);

}  // namespace tilescope::workload
