// The memory instructions of one CTA, warp by warp, from its KernelPlan. Every address comes from
// core/layout; this file only knows in which loops a kernel of each kind asks for them.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/model/banks.h"
#include "core/model/warp_access.h"

namespace tilescope::model {

/// Copies of one k slice of operand A or B from global memory. `valid_outer`, `valid_k`: how much
/// of the slice lies in the matrix; `base`: byte address of its first element.
GlobalSum walk_copy(const KernelPlan& plan, const Problem& problem, Operand operand,
                    int valid_outer, int valid_k, int64_t base);

/// CopyKind::direct: one k step's loads of an operand by the threads that compute an element inside
/// valid_m × valid_n.
GlobalSum walk_direct(const KernelPlan& plan, const Problem& problem, Operand operand, int valid_m,
                      int valid_n, int64_t base);

/// Stores (equally: loads) of the CTA's tile of C.
GlobalSum walk_epilogue(const KernelPlan& plan, const Problem& problem, int valid_m, int valid_n,
                        int64_t base);

/// What the copies of one k slice write to shared memory; zeros beyond the edge are written too.
SharedSum walk_shared_writes(const KernelPlan& plan, Operand operand);

/// Shared-memory loads of all k steps of one slice.
SharedSum walk_shared_reads(const KernelPlan& plan);
/// Those of a single k step `kk` (Math::mma: an mma's depth; else one k).
SharedSum walk_shared_reads_step(const KernelPlan& plan, int kk);

/// Elements that one shared-memory load of a SIMT kernel brings, along m for A and n for B.
int shared_run(const KernelPlan& plan, Operand operand);

}  // namespace tilescope::model
