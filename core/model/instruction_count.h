// Estimates from a plan how many instructions a launch executes, and so how many issue slots it
// takes. Where the compiled kernel has been counted, that count is better.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/model/traffic.h"

namespace tilescope::model {

/// Warp instructions of the whole launch. Arithmetic and memory accesses are counted; what lies
/// around them (addresses, predicates, loops, moves between registers) is taken as a number of
/// instructions per access, per slice and per warp. Those numbers were fitted to half of
/// smsp__inst_executed.sum of 358 launches on an H200 (tests/fixtures/model); on the other half the
/// mean error is 4 % without tiles, 5 % with vectors, 11 % with scalar tiles and wmma, 16 % with
/// mma.
double estimated_instructions(const KernelPlan& plan, const Counts& counts);

}  // namespace tilescope::model
