// The worker's own kernels: fresh data, the double-precision reference and the comparison, all on
// the GPU. Compiled by NVRTC like any other source.
#pragma once
#include <cstdint>

namespace tilescope::worker {

extern const char* const kGpuKernelsSource;

// Parameter structs, the same on both sides (the source declares them again; sizes are asserted).

struct GpuFill {  // ts_fill: count threads in all
  uint64_t to = 0;
  uint64_t count = 0;       // elements
  uint64_t seed_mixed = 0;  // operand_seed(): what the index is mixed with
  int type = 0;             // ElementType
  int exact = 0;            // DataSpec::Kind::exact
  // Of a part of a matrix: element i is that of the whole's index first + i / cols · leading +
  // i % cols.
  uint64_t first = 0, cols = ~0ull, leading = 0;
};
static_assert(sizeof(GpuFill) == 56);

struct GpuMatrix {
  uint64_t first = 0;                  // address of element 0, 0
  int64_t row_step = 0, col_step = 0;  // elements
  int type = 0, unused = 0;            // ElementType
};
static_assert(sizeof(GpuMatrix) == 32);

struct GpuReference {  // ts_reference: a block of 256 threads a 64 × 64 tile of C
  GpuMatrix a, b, c;   // c: before the run; not read if beta is 0
  uint64_t out = 0;    // doubles [m, n], row-major and dense
  int m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  int bias_type = 0;  // ElementType
  uint64_t bias = 0;  // [n]; 0 = none
};
static_assert(sizeof(GpuReference) == 136);

struct GpuCompare {  // ts_compare: blocks of 256 threads, one GpuPartial a block
  GpuMatrix out;
  uint64_t reference = 0, partials = 0;
  uint64_t count = 0;  // m · n
  int n = 0;
  uint32_t untouched = 0;  // untouched_word() of C's type
  double most = 0;         // difference above which an element is wrong by itself
};
static_assert(sizeof(GpuCompare) == 72);

struct GpuPlace {  // ts_place: blocks of 256 threads, lines over the grid
  uint64_t from = 0, to = 0;
  uint64_t from_pitch = 0, to_pitch = 0;  // words from line to line
  uint64_t words = 0, lines = 0;          // of a line; how many
  int word = 4, unused = 0;               // bytes: 2, 4 or 16, to which all is aligned
};
static_assert(sizeof(GpuPlace) == 56);

struct GpuPartial {  // ComparedSums, with places as indices of C by rows; -1 = none
  double difference = 0, reference = 0;
  double worst = 0;
  long long worst_index = -1;
  uint64_t nan = 0, infinite = 0, untouched = 0;
  long long none_index = -1, first_index = -1;
};
static_assert(sizeof(GpuPartial) == 72);

}  // namespace tilescope::worker
