// What a kernel moves, counted from its KernelPlan by walking the lanes of its warps through the
// layout functions that the kernel itself is compiled from: registers, shared memory, requests to
// L1. CTAs that differ only by where they start are counted once per class × how many there are.
#pragma once
#include <cstdint>

#include "core/layout/kernel_plan.h"
#include "core/model/banks.h"
#include "core/model/counted_in.h"
#include "core/model/global_access.h"

namespace tilescope::model {

/// Accesses and arithmetic of the whole problem, counted as the emulator counts them.
struct Counts {
  uint64_t ctas = 0;
  GlobalSum load_a, load_b, load_c, store_c;  // loads include the global side of cp.async
  // Bulk copies: what is loaded of A, of B, what is stored of C.
  bool boxes_a = false, boxes_b = false, boxes_c = false;
  GlobalSum load_bias;
  SharedSum shared_load, shared_store;  // load includes ldmatrix
  SharedSum joined_load;  // of the slices, once ptxas has joined neighbouring loads (kJoinedWhy)
  SharedSum epilogue_load, epilogue_store;  // of shared_load and _store: accumulators' way to C
  SharedSum shared_copy;                    // the shared side of cp.async, kept apart
  SharedSum shared_product;  // what products (wgmma) and boxes of C read by themselves
  SharedSum box_load;        // of that, boxes of C
  uint64_t mma = 0;  // warp instructions: each warp of those that compute an atom issues one
  uint64_t fma = 0;  // lane operations of SIMT kernels

  /// Sums of shared tiles, to and from the workspace, with its counters. Atomics, and reads of a
  /// counter that is not yet complete, are not in it: hardware and emulator count them apart, too.
  GlobalSum load_sums, store_sums;
  GlobalSum load_pack, store_pack;  // of the pass that packs operands, if the plan has one

  GlobalSum global_load() const;  // that the L1 sees
  GlobalSum bulk_load() const;    // and those that it does not
  GlobalSum global_store() const;
  GlobalSum bulk_store() const;
  /// Bytes of shared memory that are read, or written, of sums on their way to C.
  uint64_t sums_read() const { return epilogue_load.bytes + box_load.bytes; }
  uint64_t sums_written() const { return epilogue_store.bytes; }
  /// All shared loads as a card counts them: see kJoinedWhy.
  SharedSum joined_shared_load() const;
  bool joins_shared_loads() const { return joined_shared_load().requests != shared_load.requests; }
};
inline constexpr const char* kJoinedWhy =
    "of neighbouring loads in the PTX ptxas makes one wide load, which takes fewer wavefronts and "
    "which the PTX does not show";
Counts count(const KernelPlan& plan, const Problem& problem);

/// Bytes that cross one level, and the elements of A, B and C that they are; reads go towards the
/// arithmetic.
struct MemoryLevel {
  double read = 0, write = 0;
  bool exact = false;  // equals the emulator's count to the byte; else marked ~
  double flop_per_byte = 0;
  double read_elements = 0, write_elements = 0;

  double all(Count count) const {
    return count == Count::bytes ? read + write : read_elements + write_elements;
  }
};
struct Traffic {
  Counts counts;
  MemoryLevel registers;  // operands that the arithmetic instructions read and write
  MemoryLevel shared;     // ld/st.shared, ldmatrix and what cp.async writes
  MemoryLevel l1;         // asked by lanes
  MemoryLevel l2;         // L2 → SM: requests less what L1 keeps
  MemoryLevel dram;       // compulsory: each matrix once, and what a pass before the kernel copies
  int operand_bytes = 2;  // of an element of A and B
  double packed_bytes = 0;                // that pass reads, and writes again
  uint64_t fetched_a = 0, fetched_b = 0;  // sectors that L2 sends of A and B
  uint64_t fetched_bias = 0;              // and of the bias
};
Traffic traffic(const KernelPlan& plan, const Problem& problem);
/// The traffic of the kernel alone, without the pass that packs operands: what a card's counters of
/// the kernel are compared with.
Traffic without_pass(Traffic traffic);

/// How many elements bytes are that were counted without knowing of which matrix. Global memory:
/// as much is loaded of C as is stored, sums as `modelled` says, and the rest belongs to A and B.
/// Shared memory: `sum_bytes` belong to sums on their way to C, the rest to A and B.
double global_elements(const Problem& problem, double load_bytes, double store_bytes,
                       const Counts& modelled);
double shared_elements(const Problem& problem, double bytes, uint64_t sum_bytes,
                       const Counts& modelled);
/// Bytes of a sum on its way through shared memory: a float's, in a box those of C's elements.
int sum_element_bytes(const Problem& problem, const Counts& modelled);

}  // namespace tilescope::model
