// What walking the lanes of a plan's warps gives, whatever their order: kept, since tiles that
// differ by stages, raster or the CTAs that share the work walk the same.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/model/banks.h"
#include "core/model/tile_classes.h"
#include "core/model/warp_access.h"

namespace tilescope::model {

/// Blocks of the problem along each of its extents.
struct Work {
  Blocks m, n, k;
};
Work work_of(const KernelPlan& plan, const Problem& problem);

/// Bytes from one element to the next along the rows and the columns of an operand.
struct Steps {
  int64_t row, col;
};
Steps element_steps(const Problem& problem, Operand operand);

struct Walked {
  GlobalSum load_a, load_b, store_c;        // of the whole problem, each tile once
  SharedSum write_a, write_b;               // of a k slice of a CTA
  SharedSum reads, joined_reads;            // the same; as the assembler joins them
  SharedSum step_reads;                     // of one k step
  SharedSum epilogue_store, epilogue_load;  // of the whole problem
};
/// `problem`: as the kernel reads it (problem_read). Valid until the next call of this thread.
const Walked& walked(const KernelPlan& plan, const Problem& problem);

}  // namespace tilescope::model
