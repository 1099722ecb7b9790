// Groups CTAs into classes that must do the same. One CTA of each class is executed, and what it
// does is counted for all of its class.
#pragma once
#include <cstdint>
#include <vector>

#include "core/layout/kernel_plan.h"

namespace tilescope::worker {

/// CTAs that are run together.
struct CtaClass {
  std::vector<BlockIndex> ctas;
  std::vector<Coord> tiles;      // block tiles that they work on
  std::vector<Coord> completed;  // those whose C they store
  uint64_t count = 0;            // groups of CTAs in the class, itself included
};

/// The classes of a kernel whose CTAs have one tile each, or a part of one. Two tiles are alike if
/// they stick out of C alike, both begin at row (and column) 0 or neither does, and begin equally
/// many bytes into a 32-byte sector of A, of B and of C. Row and column 0 are classes of their own
/// since the address that a masked access uses instead (the buffer's start) may then share a sector
/// with a real one. Where CTAs go from tile to tile no two are alike; a few of them, evenly spread,
/// are then a sample.
std::vector<CtaClass> cta_classes(const KernelPlan& plan, const Problem& problem);
/// False of a sample.
bool classes_are_exact(const KernelPlan& plan);
std::vector<Coord> tiles_of(const std::vector<CtaClass>& classes);
uint64_t executed_ctas(const std::vector<CtaClass>& classes);

/// The part of C that a block tile covers.
struct Rect tile_rect(const KernelPlan& plan, const Problem& problem, Coord tile);

}  // namespace tilescope::worker
