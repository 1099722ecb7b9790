// CTAs whose counts must be equal: one of them is executed for all.
#pragma once
#include <cstdint>
#include <vector>

#include "core/layout/kernel_plan.h"

namespace tilescope::worker {

struct CtaClass {
  int cta_x = 0, cta_y = 0;  // blockIdx of the one to execute
  Coord tile;                // the block tile it computes
  uint64_t count = 0;        // CTAs in the class, itself included
};

/// For kernels whose CTAs do not depend on data and share their k range. Two CTAs are alike if
/// their tiles stick out of C alike, both begin at row (and column) 0 or neither does, and the
/// places of their tiles in A, B and C are the same bytes into a 32-byte sector. At 0 an edge's
/// stand-in address (the buffer's start) may share a sector with a real one, so 0 is a class of its
/// own.
std::vector<CtaClass> cta_classes(const KernelPlan& plan, const Problem& problem);

/// The part of C that a block tile covers.
struct Rect tile_rect(const KernelPlan& plan, const Problem& problem, Coord tile);

}  // namespace tilescope::worker
