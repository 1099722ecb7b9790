// Walking the lanes of a plan's warps takes most of the model's time. What it gives does not depend
// on stages, on the raster or on which CTA does what, so it is kept and used again for tiles that
// differ in those alone.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/model/banks.h"
#include "core/model/global_access.h"
#include "core/model/tile_classes.h"

namespace tilescope::model {

/// Into which blocks the problem is cut along m, n and k.
struct Work {
  Blocks m, n, k;
};
Work work_of(const KernelPlan& plan, const Problem& problem);

/// Bytes from one element to the next along the rows and the columns of an operand.
struct Steps {
  int64_t row, col;
};
Steps element_steps(const Problem& problem, Operand operand);

/// Accumulators on their way to C, of the whole problem.
struct EpilogueWalk {
  GlobalSum store_c;
  GlobalSum load_c;  // if beta is not 0
  GlobalSum load_bias;
  SharedSum stores, loads;  // where they go through shared memory
  SharedSum box_loads;      // from there by boxes
};
/// A k slice of a CTA in shared memory.
struct SliceWalk {
  SharedSum write_a, write_b;
  SharedSum reads, joined_reads;  // as the PTX has them, and as the assembler joins them
  SharedSum product_reads;        // by products themselves
  SharedSum split_loads, split_stores;
  SharedSum step_reads;  // of one k step, where fragments are loaded ahead
};
struct Walked {
  GlobalSum load_a, load_b;  // of the whole problem
  EpilogueWalk epilogue;
  SliceWalk slice;
};
/// `problem`: as the kernel reads it (problem_read).
Walked walked(const KernelPlan& plan, const Problem& problem);

}  // namespace tilescope::model
