// How many instructions a launch executes, from its plan: the issue slots that it takes. The
// compiled kernel's own count, where it is known, is better.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/model/traffic.h"

namespace tilescope::model {

/// Warp instructions of the whole launch: arithmetic and memory accesses are counted, what lies
/// around them (addresses, predicates, loops, moves between registers) is so many instructions an
/// access, a slice and a warp. These were fitted to smsp__inst_executed.sum of 208 launches on an
/// H200 (random tiles and shapes, bench/gpu_model.py, 2026-11-23): mean error 5 % for kernels
/// without tiles, with vectors and with wmma, 12 % for scalar tiles and mma.
double estimated_instructions(const KernelPlan& plan, const Counts& counts);

}  // namespace tilescope::model
