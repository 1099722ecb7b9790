// Lists the memory instructions of one CTA, warp by warp, from its KernelPlan. Every address comes
// from core/layout; this file only has the loops in which kernels ask for them.
#pragma once
#include <vector>

#include "core/layout/kernel_plan.h"
#include "core/model/banks.h"
#include "core/model/global_access.h"

namespace tilescope::model {

/// Warp instructions that touch global memory, addresses relative to the first element of the
/// block.
using Accesses = std::vector<LikeAccesses>;

/// Copies of one k slice of operand A or B. `valid_outer`, `valid_k`: how much of it lies in the
/// matrix.
std::vector<CopyAccess> walk_copy(const KernelPlan& plan, const Problem& problem, Operand operand,
                                  int valid_outer, int valid_k);

/// The same of a tensor copy: all its boxes, also those that lie outside. Of C those of a block
/// tile that is stored by boxes; there [outer, k] is [row, column].
std::vector<BoxAccess> walk_boxes(const KernelPlan& plan, const Problem& problem, Operand operand,
                                  int valid_outer, int valid_k);
/// CopyKind::direct: one k step's loads of an operand by the threads that compute an element inside
/// valid_m × valid_n.
Accesses walk_direct(const KernelPlan& plan, const Problem& problem, Operand operand, int valid_m,
                     int valid_n);

/// Accesses of threads to the CTA's tile of C: loads, and stores where those are not by boxes.
Accesses walk_epilogue(const KernelPlan& plan, const Problem& problem, int valid_m, int valid_n);

/// Loads of the bias beside those stores, from its first value for the tile on.
Accesses walk_bias(const KernelPlan& plan, const Problem& problem, int valid_m, int valid_n);

/// Stores (equally: loads) of all a CTA's sums to its part of the workspace.
Accesses walk_part(const KernelPlan& plan);

/// What the copies of one k slice write to shared memory; zeros beyond the edge are written too.
SharedSum walk_shared_writes(const KernelPlan& plan, Operand operand);

/// Shared-memory loads of all k steps of one slice, and of one step alone.
SharedSum walk_shared_reads(const KernelPlan& plan);
SharedSum walk_shared_reads_step(const KernelPlan& plan, int step);

/// What the products of one slice read of shared memory by themselves.
SharedSum walk_product_reads(const KernelPlan& plan);
/// Elements of a slice that are taken apart, or their rests.
SharedSum walk_split(const KernelPlan& plan, SharedUse use);
/// How many times a CTA reads an element of A or B from shared memory, on average: once per lane
/// that loads it, once per matrix of ldmatrix that it is in.
double reads_per_element(const KernelPlan& plan, Operand operand);

/// The shared loads of one slice as ptxas compiles them: it joins loads of 4 bytes whose addresses
/// follow each other in every lane to one of 8 or 16 bytes, where the first is aligned. In the PTX
/// they are separate.
SharedSum walk_joined_reads(const KernelPlan& plan);

/// Accumulators of one block tile on their way to C through shared memory: all are stored to it,
/// and those of the valid_m × valid_n elements that lie in C are loaded from it.
struct EpilogueShared {
  SharedSum stores, loads;
};
EpilogueShared walk_shared_epilogue(const KernelPlan& plan, int valid_m, int valid_n);

/// The same of a block tile that is stored by boxes: its threads store all of it wherever it lies,
/// and boxes read what of them lies in C, in pieces of 16 bytes.
SharedSum walk_box_fills(const KernelPlan& plan);
SharedSum walk_box_reads(const std::vector<BoxAccess>& boxes);

}  // namespace tilescope::model
