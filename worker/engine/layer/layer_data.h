// The random numbers that a layer is run on, and how far its results may be off. An element of a
// given matrix follows from the seed, the matrix's name and the place in the whole matrix. So each
// rank fills its part by itself, and a layer that is split otherwise has the same numbers.
#pragma once
#include <span>
#include <string>

#include "core/workload/workload.h"
#include "worker/engine/emulate/operands.h"

namespace tilescope::worker {

uint64_t matrix_seed(uint64_t seed, const std::string& name);

/// A rank's part of a given matrix, dense and row-major.
void fill_part(const workload::Workload& w, int matrix, int rank, uint64_t seed,
               std::span<std::byte> to, int threads);

/// Where a matrix lies: its own number, or that of the one whose place it takes.
int place_of(const workload::Workload& w, int matrix);
/// By its name; −1 if there is none.
int find_matrix(const workload::Workload& w, const std::string& name);
/// The matrix of the layer on one rank that `matrix` should equal; −1 if it is a part of a sum.
int expected_matrix(const workload::Workload& w, int matrix, const workload::Workload& one);
/// The step that computes a matrix; nullptr of given ones.
const workload::Step* step_of(const workload::Workload& w, int matrix);

/// Mean square of random data.
inline constexpr double kSquareOfData = 1.0 / 3;

/// How far a matrix may be from the exact one (see tolerance_of()): its own rounding, and what the
/// rounding of its operands makes of it.
double matrix_tolerance(const workload::Workload& one, int matrix);
/// What a column sum of so many rows adds to that.
double column_sum_tolerance(double rows);
/// Mean square of its elements, about.
double matrix_square(const workload::Workload& one, int matrix);

}  // namespace tilescope::worker
