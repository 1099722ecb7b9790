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
};
static_assert(sizeof(GpuFill) == 32);

struct GpuReference {  // ts_reference: a block of 256 threads a 64 × 64 tile of C
  uint64_t a = 0, b = 0, c = 0, out = 0;  // c: before the run, 0 if beta is 0; out: doubles [m, n]
  int m = 0, n = 0, k = 0;
  int type_a = 0, type_b = 0, type_c = 0;
  int a_by_rows = 1, b_by_rows = 1;
  float alpha = 1, beta = 0;
};
static_assert(sizeof(GpuReference) == 72);

struct GpuCompare {  // ts_compare: blocks of 256 threads, one GpuPartial a block
  uint64_t reference = 0, out = 0, partials = 0;
  uint64_t count = 0;
  int type_c = 0, unused = 0;
};
static_assert(sizeof(GpuCompare) == 40);

struct GpuPartial {
  double difference = 0, reference = 0;  // sums of squares
  double worst = 0;
  long long worst_index = -1;
};
static_assert(sizeof(GpuPartial) == 32);

}  // namespace tilescope::worker
